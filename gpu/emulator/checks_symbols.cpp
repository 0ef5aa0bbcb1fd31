/* Addresses of code as lines of source, by addr2line of GNU binutils, which reads the debug information.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/checks.h"
#include <dlfcn.h>
#include <link.h>
#include <map>
#include <set>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vector>

/* Never destroyed, like all that findings need. */
static std::map<const void *, Line> &known = *new std::map<const void *, Line>;
static std::set<std::string> &files = *new std::set<std::string>; /* names that lines point to */

/* The library or program that holds an address, and the number by which addr2line knows it. */
struct Module {
    const char *name;
    uintptr_t base;
};

static bool
module_of(const void *pc, Module *module)
{
    Dl_info info;
    if (dladdr(pc, &info) == 0 || info.dli_fname == NULL || info.dli_fbase == NULL)
        return false;
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)info.dli_fbase;
    module->name = info.dli_fname;
    module->base =
        header->e_type == ET_DYN ? (uintptr_t)info.dli_fbase : 0; /* a program may be loaded at a fixed address */
    return true;
}

static const Module *
own_module()
{
    static Module own;
    if (own.name == NULL && !module_of((const void *)&own_module, &own)) {
        fprintf(stderr, "emulator: cannot find its own library\n");
        abort();
    }
    return &own;
}

uint32_t
code_offset(const void *pc)
{
    static const uintptr_t base = own_module()->base;
    return (uint32_t)((uintptr_t)pc - base);
}

const void *
code_address(uint32_t offset)
{
    return (const void *)(own_module()->base + offset);
}

const char *
code_library()
{
    return own_module()->name;
}

std::string
short_path(const char *path)
{
    char *here = getcwd(NULL, 0);
    const size_t length = here != NULL ? strlen(here) : 0;
    const bool below = length > 0 && strncmp(path, here, length) == 0 && path[length] == '/';
    free(here);
    return below ? path + length + 1 : path;
}

const char *
line_name(const char *path)
{
    return files.insert(short_path(path)).first->c_str();
}

/* The line that matters is one that the kernel's author wrote: not in the emulator, nor in C++'s headers. */
static bool
is_foreign(const char *file)
{
    return strstr(file, "gpu/emulator/") != NULL || strstr(file, "gpu/device.cu") != NULL ||
           strncmp(file, "/usr/", 5) == 0 || strstr(file, "/libsanitizer/") != NULL || file[0] == '?';
}

/* "FILE:LINE" or "FILE:LINE (discriminator 2)" */
static Line
parse_line(char *text)
{
    char *end = strstr(text, " (");
    if (end != NULL)
        *end = '\0';
    char *colon = strrchr(text, ':');
    if (colon == NULL)
        return Line{NULL, 0};
    *colon = '\0';
    const int line = atoi(colon + 1);
    if (line == 0 || is_foreign(text))
        return Line{NULL, 0};
    return Line{line_name(text), line};
}

/* addr2line prints for each address: 0x.., then the lines of what is inlined there, the innermost first. */
static void
read_lines(FILE *in, const std::vector<const void *> &pcs)
{
    char text[4096];
    size_t at = 0;
    while (fgets(text, sizeof(text), in) != NULL) {
        text[strcspn(text, "\n")] = '\0';
        if (strncmp(text, "0x", 2) == 0) {
            at++;
            continue;
        }
        if (at == 0 || at > pcs.size() || known[pcs[at - 1]].file != NULL)
            continue;
        known[pcs[at - 1]] = parse_line(text);
    }
}

static void
look_up(const Module *module, const std::vector<const void *> &pcs)
{
    char name[] = "/tmp/rungs-addresses-XXXXXX";
    const int descriptor = mkstemp(name);
    FILE *list = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (list == NULL)
        return;
    for (const void *pc : pcs)
        fprintf(list, "%#zx\n", (size_t)((uintptr_t)pc - 1 - module->base));
    fclose(list);
    const std::string command = std::string("addr2line -a -i -e '") + module->name + "' 2>/dev/null <" + name;
    FILE *in = popen(command.c_str(), "r");
    if (in != NULL) {
        read_lines(in, pcs);
        pclose(in);
    }
    unlink(name);
}

void
lines_prepare(const void *const *pcs, size_t n)
{
    std::map<std::string, std::vector<const void *>> unknown;
    for (size_t i = 0; i < n; i++) {
        Module module;
        if (pcs[i] == NULL || known.count(pcs[i]) > 0)
            continue;
        known[pcs[i]] = Line{NULL, 0};
        if (module_of((const char *)pcs[i] - 1, &module))
            unknown[module.name].push_back(pcs[i]);
    }
    for (const auto &it : unknown) {
        Module module;
        if (module_of((const char *)it.second[0] - 1, &module))
            look_up(&module, it.second);
    }
}

Line
line_of(const void *pc)
{
    if (pc == NULL)
        return Line{NULL, 0};
    lines_prepare(&pc, 1);
    return known[pc];
}
