/* Text that a student's program printed, made fit to be shown: nothing in it stops JSON, XML or a terminal.
 * SPDX-License-Identifier: MIT */
#include "grade_run.h"

/* Length of the UTF-8 character at s, 0 if there is none: a bare byte above 127 would make the JSON invalid. */
static size_t
utf8_length(const unsigned char *s, size_t left)
{
    size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe1 && s[0] < 0xed ? 3 : 0;
    if (length == 0 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return length == 2 && s[0] == 0xc2 && s[1] < 0xa0 ? 0 : length; /* control characters again */
}

void
grade_clean(const char *from, size_t length, char *to, size_t size)
{
    const unsigned char *s = (const unsigned char *)from;
    size_t first = length < size ? 0 : length - (size - 1);
    for (size_t i = first; first > 0 && i < length; i++)
        if (s[i] == '\n') { /* cut at a line's beginning, if one is near */
            first = i + 1;
            break;
        }
    size_t written = 0;
    for (size_t i = first, step; i < length; i += step) {
        step = utf8_length(s + i, length - i);
        bool plain = step > 1 || (step == 1 && s[i] >= ' ' && s[i] != 0x7f) || s[i] == '\n';
        for (size_t j = 0; plain && j < step; j++)
            to[written++] = (char)s[i + j];
        if (!plain)
            to[written++] = s[i] == '\t' ? ' ' : '?';
        step = step == 0 ? 1 : step;
    }
    to[written] = '\0';
}
