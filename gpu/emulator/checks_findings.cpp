/* What is wrong is collected here while kernels run, and told in words when somebody asks: see counters.h.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/checks.h"
#include <algorithm>
#include <map>
#include <string.h>
#include <tuple>
#include <vector>

struct Found {
    Sighting sighting;
    Running running;
    unsigned long long count;
};

/* A mistake with its strings. */
struct Told {
    EmulatorFinding finding;
    std::string kernel, text;
};

/* kind, pc, other pc, file, line, callers */
typedef std::tuple<int, const void *, uint32_t, const char *, int, std::vector<const void *>> Key;

/* Never destroyed: a program may make mistakes while it ends. */
static std::vector<Found> &found = *new std::vector<Found>;
static std::map<Key, size_t> &index_of = *new std::map<Key, size_t>;
static std::vector<Told *> &told = *new std::vector<Told *>;
static bool changed, reported = true;
static const Launch *launch;
static std::string last_kernel;

const char *
emulator_finding_name(FindingKind kind)
{
    static const char *const names[FINDING_KINDS] = {
        "deadlock",      "divergent barrier", "wrong shuffle",  "forgotten wait", "launch over the limits",
        "out of bounds", "use after free",    "host pointer",   "device pointer", "uninitialised",
        "misaligned",    "race in a block",   "race of blocks", "leak",
    };
    return (unsigned)kind < FINDING_KINDS ? names[kind] : "unknown";
}

/* ---- collecting ------------------------------------------------------------------------------------- */

void
finding_launch(const Launch *now)
{
    launch = now;
    if (now != NULL)
        last_kernel = now->kernel;
}

Running
finding_running(const Thread *thread)
{
    if (thread == NULL)
        return Running{launch != NULL ? last_kernel : "", uint3{0, 0, 0}, uint3{0, 0, 0}, running_grid, running_block};
    return Running{last_kernel, thread->block, thread->thread, running_grid, running_block};
}

static Key
key_of(const Sighting *sighting)
{
    std::vector<const void *> callers(sighting->callers.pcs, sighting->callers.pcs + sighting->callers.count);
    return Key(sighting->kind, sighting->pc, sighting->race ? sighting->other.pc : 0, sighting->file, sighting->line,
               callers);
}

bool
finding_repeats(FindingKind kind, const void *pc, uint32_t other_pc)
{
    const auto it = index_of.find(Key(kind, pc, other_pc, NULL, 0, {}));
    if (it == index_of.end())
        return false;
    found[it->second].count++;
    changed = true;
    return true;
}

void
finding_add_of(const Running *running, const Sighting *sighting)
{
    const Key key = key_of(sighting);
    const auto it = index_of.find(key);
    changed = true;
    reported = false;
    if (it != index_of.end()) {
        found[it->second].count++;
        return;
    }
    index_of[key] = found.size();
    found.push_back(Found{*sighting, *running, 1});
}

void
finding_add(const Sighting *sighting)
{
    const Running running = finding_running(emulator_thread);
    finding_add_of(&running, sighting);
}

void
findings_forget()
{
    found.clear();
    index_of.clear();
    changed = true;
    reported = true;
}

bool
findings_unreported()
{
    return !reported;
}

/* ---- telling ------------------------------------------------------------------------------------------ */

/* The first of the callers that is not in the emulator. */
static Line
line_of_callers(const Callers *callers)
{
    lines_prepare(callers->pcs, (size_t)callers->count);
    for (int i = 0; i < callers->count; i++)
        if (line_of(callers->pcs[i]).file != NULL)
            return line_of(callers->pcs[i]);
    return Line{NULL, 0};
}

static Line
line_of_sighting(const Sighting *sighting)
{
    if (sighting->pc != NULL)
        return line_of(sighting->pc);
    if (sighting->callers.count > 0)
        return line_of_callers(&sighting->callers);
    return Line{sighting->file != NULL ? line_name(sighting->file) : NULL, sighting->line};
}

static EmulatorPlace
place_of(Line line, uint3 block, uint3 thread)
{
    return EmulatorPlace{line.file, line.line, {block.x, block.y, block.z}, {thread.x, thread.y, thread.z}};
}

/* The '\1' of a text becomes the line that allocated. */
static std::string
finish_text(const Sighting *sighting)
{
    std::string text = sighting->text;
    const size_t at = text.find('\1');
    if (at == std::string::npos)
        return text;
    const Line line = line_of_callers(&sighting->allocated);
    const std::string origin =
        line.file == NULL ? "" : std::string(" allocated at ") + line.file + ":" + std::to_string(line.line);
    return text.replace(at, 1, origin);
}

static std::string
format_triple(uint3 x)
{
    return "(" + std::to_string(x.x) + "," + std::to_string(x.y) + "," + std::to_string(x.z) + ")";
}

static std::string
format_line(Line line)
{
    return line.file != NULL ? std::string(line.file) + ":" + std::to_string(line.line) : "a line that is not known";
}

static Told *
tell(const Found *it)
{
    Told *out = new Told();
    const Sighting *sighting = &it->sighting;
    out->kernel = it->running.kernel;
    out->finding.kind = sighting->kind;
    out->finding.here = place_of(line_of_sighting(sighting), it->running.block, it->running.thread);
    out->finding.count = it->count;
    out->text = finish_text(sighting);
    if (sighting->race) {
        const Line line = line_of(code_address(sighting->other.pc));
        const uint3 block = coordinates(sighting->other.block, it->running.grid_shape);
        const uint3 thread = coordinates(sighting->other.thread, it->running.block_shape);
        out->finding.other = place_of(line, block, thread);
        out->text +=
            ", which " +
            (sighting->kind == FINDING_RACE_OF_BLOCKS ? "block " + format_triple(block) + ", " : std::string()) +
            "thread " + format_triple(thread) + (sighting->other_writes ? " wrote" : " read") + " at " +
            format_line(line) + "; " + sighting->advice;
    }
    return out;
}

static bool
same_line(const EmulatorPlace *a, const EmulatorPlace *b)
{
    return a->line == b->line &&
           (a->file == b->file || (a->file != NULL && b->file != NULL && strcmp(a->file, b->file) == 0));
}

/* Is it the same mistake? A race is the same whichever of the two lines came first. */
static bool
is_same(const EmulatorFinding *a, const EmulatorFinding *b)
{
    if (a->kind != b->kind)
        return false;
    return (same_line(&a->here, &b->here) && same_line(&a->other, &b->other)) ||
           (a->other.file != NULL && same_line(&a->here, &b->other) && same_line(&a->other, &b->here));
}

static void
tell_all()
{
    if (!changed)
        return;
    std::vector<const void *> pcs;
    for (const Found &it : found) {
        pcs.push_back(it.sighting.pc);
        pcs.push_back(it.sighting.race ? code_address(it.sighting.other.pc) : NULL);
    }
    lines_prepare(pcs.data(), pcs.size());
    for (Told *it : told)
        delete it;
    told.clear();
    for (const Found &it : found) {
        Told *next = tell(&it);
        const auto same =
            std::find_if(told.begin(), told.end(), [=](Told *t) { return is_same(&t->finding, &next->finding); });
        if (same == told.end()) {
            told.push_back(next);
        } else {
            (*same)->finding.count += next->finding.count;
            delete next;
        }
    }
    changed = false;
}

int
emulator_findings(void)
{
    tell_all();
    reported = true;
    return (int)told.size();
}

const EmulatorFinding *
emulator_finding(int i)
{
    tell_all();
    if (i < 0 || (size_t)i >= told.size())
        return NULL;
    told[(size_t)i]->finding.kernel = told[(size_t)i]->kernel.c_str();
    told[(size_t)i]->finding.text = told[(size_t)i]->text.c_str();
    return &told[(size_t)i]->finding;
}
