/* Schedules from text and to text. SPDX-License-Identifier: MIT */
#include "mpi/parallel/pipeline/schedule.h"
#include "core/array.h"
#include "core/checked.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char pipeline_letters[PIPELINE_KINDS + 1] = "FBWU";

PipelineSchedule *
pipeline_create(int stages, int micros, int chunks)
{
    PipelineSchedule *schedule = ARRAY(PipelineSchedule, 1);
    *schedule = (PipelineSchedule){.stages = stages, .micros = micros, .chunks = chunks};
    schedule->stage = ARRAY(PipelineStage, (size_t)stages);
    for (int i = 0; i < stages; i++)
        schedule->stage[i].line = i + 1;
    return schedule;
}

void
pipeline_free(PipelineSchedule *schedule)
{
    if (schedule == NULL)
        return;
    for (int i = 0; i < schedule->stages; i++)
        array_free(schedule->stage[i].instruction);
    array_free(schedule->stage);
    array_free(schedule);
}

static void
append(PipelineStage *stage, PipelineInstruction what)
{
    if (stage->count == stage->room) {
        stage->room = 2 * stage->room + 16;
        PipelineInstruction *more = ARRAY(PipelineInstruction, (size_t)stage->room);
        if (stage->count > 0)
            memcpy(more, stage->instruction, (size_t)stage->count * sizeof *more);
        array_free(stage->instruction);
        stage->instruction = more;
    }
    stage->instruction[stage->count++] = what;
}

void
pipeline_append(PipelineSchedule *schedule, int stage, PipelineKind kind, int micro, int chunk)
{
    append(&schedule->stage[stage], (PipelineInstruction){kind, micro, chunk});
    schedule->split = schedule->split || kind == PIPELINE_W;
    schedule->updates += kind == PIPELINE_U && stage == 0;
}

/* ---- where chunks stand ---------------------------------------------------------------------------------------------------- */

int
pipeline_depth(const PipelineSchedule *schedule, int stage, int chunk)
{
    return chunk * schedule->stages + (schedule->wave && chunk % 2 == 1 ? schedule->stages - 1 - stage : stage);
}

int
pipeline_stage_of(const PipelineSchedule *schedule, int depth, int *chunk)
{
    *chunk = depth / schedule->stages;
    const int place = depth % schedule->stages;
    return schedule->wave && *chunk % 2 == 1 ? schedule->stages - 1 - place : place;
}

/* ---- text ------------------------------------------------------------------------------------------------------------------ */

const char *
pipeline_label(const PipelineSchedule *schedule, PipelineInstruction what, char label[PIPELINE_LABEL])
{
    if (what.kind == PIPELINE_U)
        snprintf(label, PIPELINE_LABEL, "U");
    else if (schedule->chunks > 1)
        snprintf(label, PIPELINE_LABEL, "%c%d.%d", pipeline_letters[what.kind], what.micro, what.chunk);
    else
        snprintf(label, PIPELINE_LABEL, "%c%d", pipeline_letters[what.kind], what.micro);
    return label;
}

void
pipeline_write(const PipelineSchedule *schedule, FILE *out)
{
    char label[PIPELINE_LABEL];
    if (schedule->wave)
        fprintf(out, "chunks wave\n");
    if (schedule->twice)
        fprintf(out, "weights double\n");
    for (int i = 0; i < schedule->stages; i++)
        for (int k = 0; k < schedule->stage[i].count; k++)
            fprintf(out, "%s%c", pipeline_label(schedule, schedule->stage[i].instruction[k], label),
                    k + 1 < schedule->stage[i].count ? ' ' : '\n');
}

/* A text that is being read. */
typedef struct Reader {
    const char *name;
    int line, used; /* used: stages so far */
    PipelineSchedule *schedule;
    size_t instructions;
    Error *error;
} Reader;

/* A number below `most` at *at, which moves behind it; -1 if there is none. */
static int
read_number(const char **at, const char *end, int most)
{
    long long number = 0;
    if (*at == end || !isdigit((unsigned char)**at))
        return -1;
    for (; *at < end && isdigit((unsigned char)**at); ++*at)
        number = number < most ? 10 * number + (**at - '0') : number;
    return number < most ? (int)number : -1;
}

static bool
read_instruction(const Reader *reader, const char *word, const char *end, PipelineInstruction *what)
{
    const char *at = word + 1;
    const char *kind = *word != '\0' ? strchr(pipeline_letters, *word) : NULL;
    *what = (PipelineInstruction){kind != NULL ? (PipelineKind)(kind - pipeline_letters) : PIPELINE_U, 0, 0};
    if (kind != NULL && what->kind != PIPELINE_U) {
        what->micro = read_number(&at, end, PIPELINE_MICROS);
        if (at < end && *at == '.') {
            at++;
            what->chunk = read_number(&at, end, PIPELINE_CHUNKS);
        }
    }
    if (kind != NULL && at == end && what->micro >= 0 && what->chunk >= 0)
        return true;
    return error_set(
        reader->error,
        "%s, line %d: \"%.*s\" is no instruction: write F0, B0 or W0 with a micro-batch below %d, F0.1 with a "
        "chunk below %d, or U",
        reader->name, reader->line, (int)(end - word < 40 ? end - word : 40), word, PIPELINE_MICROS, PIPELINE_CHUNKS);
}

/* The next word of a line; false at its end. */
static bool
next_word(const char **at, const char *end, const char **word)
{
    while (*at < end && isspace((unsigned char)**at))
        ++*at;
    *word = *at;
    while (*at < end && !isspace((unsigned char)**at))
        ++*at;
    return *at > *word;
}

static bool
is_word(const char *word, const char *end, const char *text)
{
    return (size_t)(end - word) == strlen(text) && memcmp(word, text, strlen(text)) == 0;
}

/* "chunks wave" or "weights double": true if the line is a setting, right or wrong. */
static bool
read_setting(Reader *reader, const char *line, const char *end, bool *right)
{
    const char *at = line, *word, *value;
    if (!next_word(&at, end, &word) || !islower((unsigned char)*word))
        return false;
    const bool chunks = is_word(word, at, "chunks"), weights = is_word(word, at, "weights");
    const char *word_end = at;
    next_word(&at, end, &value);
    const bool second = is_word(value, at, chunks ? "wave" : "double");
    *right = (chunks || weights) && (second || is_word(value, at, chunks ? "loop" : "stash"));
    *(chunks ? &reader->schedule->wave : &reader->schedule->twice) = second;
    if (*right && next_word(&at, end, &value))
        *right = false;
    if (!*right)
        error_set(
            reader->error,
            "%s, line %d: \"%.*s\" begins no setting that there is: write \"chunks loop\", \"chunks wave\", \"weights "
            "stash\" or \"weights double\" alone on the line",
            reader->name, reader->line, (int)(word_end - word < 40 ? word_end - word : 40), word);
    return true;
}

static bool
read_line(Reader *reader, const char *line, const char *end)
{
    const char *at = line, *word, *comment = memchr(line, '#', (size_t)(end - line));
    end = comment != NULL ? comment : end;
    bool right = true;
    if (read_setting(reader, line, end, &right))
        return right;
    PipelineStage stage = {.line = reader->line};
    while (right && next_word(&at, end, &word)) {
        PipelineInstruction what;
        right = read_instruction(reader, word, at, &what);
        if (right && ++reader->instructions > PIPELINE_INSTRUCTIONS)
            right =
                error_set(reader->error, "%s, line %d: there are more than %d instructions: write a shorter schedule",
                          reader->name, reader->line, PIPELINE_INSTRUCTIONS);
        if (right)
            append(&stage, what);
    }
    if (right && stage.count > 0 && reader->used == PIPELINE_STAGES)
        right = error_set(reader->error, "%s, line %d: there are more than %d stages, which are the most", reader->name,
                          reader->line, PIPELINE_STAGES);
    if (right && stage.count > 0)
        reader->schedule->stage[reader->used++] = stage;
    else
        array_free(stage.instruction);
    return right;
}

/* One more than the largest number that occurs at least twice. With one stage each number may occur once only where one is
 * missing: then those without a gap count, too. */
static int
count_numbers(const int *times, int most, bool alone)
{
    int count = 1;
    for (int i = 0; i < most; i++)
        if (times[i] > 1)
            count = i + 1;
    while (alone && count < most && times[count] > 0)
        count++;
    return count;
}

static void
count_all(PipelineSchedule *schedule)
{
    int *micros = ARRAY(int, PIPELINE_MICROS), chunks[PIPELINE_CHUNKS] = {0};
    for (int i = 0; i < schedule->stages; i++)
        for (int k = 0; k < schedule->stage[i].count; k++) {
            const PipelineInstruction what = schedule->stage[i].instruction[k];
            schedule->split = schedule->split || what.kind == PIPELINE_W;
            schedule->updates += what.kind == PIPELINE_U && i == 0;
            micros[what.micro] += what.kind != PIPELINE_U;
            chunks[what.chunk] += what.kind != PIPELINE_U;
        }
    schedule->micros = count_numbers(micros, PIPELINE_MICROS, schedule->stages == 1);
    schedule->chunks = count_numbers(chunks, PIPELINE_CHUNKS, false);
    array_free(micros);
}

PipelineSchedule *
pipeline_parse(const char *name, const char *text, size_t length, Error *error)
{
    Reader reader = {.name = name, .schedule = pipeline_create(PIPELINE_STAGES, 0, 1), .error = error};
    const char *end = text + length;
    bool right = true;
    for (const char *line = text, *next; right && line < end; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        next = newline != NULL ? newline + 1 : end;
        reader.line++;
        right = read_line(&reader, line, newline != NULL ? newline : end);
    }
    if (right && reader.used == 0)
        right = error_set(error, "%s has no stage: write a line for each, such as F0 F1 B0 B1", name);
    if (!right) {
        pipeline_free(reader.schedule);
        return NULL;
    }
    reader.schedule->stages = reader.used;
    count_all(reader.schedule);
    return reader.schedule;
}

PipelineSchedule *
pipeline_read(const char *path, Error *error)
{
    enum { MOST = 1 << 28 };
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return error_set(error, "cannot read %s: %s; give a file that holds a schedule", path, strerror(errno)), NULL;
    char *text = NULL, block[65536];
    size_t length = 0, got, all = 0;
    FILE *memory = NULL;
    CHECK_POINTER(memory = open_memstream(&text, &length));
    while ((got = fread(block, 1, sizeof block, file)) > 0 && (all += got) <= MOST)
        CHECK_THAT(fwrite(block, 1, got, memory) == got, "%s", strerror(errno));
    const bool failed = ferror(file);
    const int reason = errno;
    fclose(file);
    CHECK_THAT(fclose(memory) == 0, "%s", strerror(errno));
    PipelineSchedule *schedule = NULL;
    if (failed)
        error_set(error, "cannot read %s: %s; give a file that holds a schedule", path, strerror(reason));
    else if (all > MOST)
        error_set(error, "%s is longer than %d bytes, which no schedule needs", path, MOST);
    else
        schedule = pipeline_parse(path, text, length, error);
    free(text);
    return schedule;
}
