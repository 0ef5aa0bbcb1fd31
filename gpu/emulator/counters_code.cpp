/* What a basic block computes: read from the machine code, by objdump of GNU binutils, once.
 *
 *     call __sanitizer_cov_trace_pc     <- here a basic block of the kernel begins
 *     vmovss  (%rax),%xmm0
 *     vfmadd231ss (%rdx),%xmm0,%xmm1    <- 2 flops
 *     cmp     %ebx,%r12d
 *     jl      ..                        <- its branch
 *     call __sanitizer_cov_trace_pc     <- the next one
 *
 * Flops of a kernel = flops of each block times how often lanes ran it. The compiler for the GPU fuses a multiplication and
 * an addition just as this one does (-ffp-contract=fast). Where there is no such instruction the two count as much.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/counters_log.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unordered_map>

static std::unordered_map<uint32_t, BlockCode> blocks;

#if defined(__x86_64__)
/* "vfmadd213ss": without v, ends with ss, sd, ps, pd; 0 if it is none that counts. Packed ones compute 4, 8 or 16 floats. */
static Instruction
arithmetic(const char *name, const char *operands)
{
    static const char *const simple[] = {"add", "sub", "mul", "div", "sqrt", "addsub", "hadd", NULL};
    Instruction none = {0, 0, 0, 0};
    name += *name == 'v';
    const size_t length = strlen(name);
    if (length < 5)
        return none;
    const char kind = name[length - 2], number = name[length - 1];
    if ((kind != 's' && kind != 'p') || (number != 's' && number != 'd'))
        return none;
    unsigned each = strncmp(name, "fmadd", 5) == 0 || strncmp(name, "fmsub", 5) == 0 ||
                            strncmp(name, "fnmadd", 6) == 0 || strncmp(name, "fnmsub", 6) == 0
                        ? 2
                        : 0;
    for (int i = 0; simple[i] != NULL && each == 0; i++)
        each = strlen(simple[i]) == length - 2 && strncmp(name, simple[i], length - 2) == 0;
    const unsigned bytes = kind == 's'                        ? 0
                           : strstr(operands, "%zmm") != NULL ? 64
                           : strstr(operands, "%ymm") != NULL ? 32
                                                              : 16;
    if (number == 's')
        none.flops = each * (bytes == 0 ? 1 : bytes / 4);
    else
        none.double_flops = each * (bytes == 0 ? 1 : bytes / 8);
    return none;
}

#else
static Instruction
arithmetic(const char *name, const char *operands)
{
    static const struct {
        const char *name;
        unsigned each;
    } known[] = {{"fadd", 1},  {"fsub", 1},  {"fmul", 1},   {"fdiv", 1},   {"fsqrt", 1}, {"fnmul", 1},
                 {"fmadd", 2}, {"fmsub", 2}, {"fnmadd", 2}, {"fnmsub", 2}, {"fmla", 2},  {"fmls", 2}};
    Instruction it = {0, 0, 0, 0};
    unsigned each = 0;
    for (const auto &one : known)
        if (strcmp(one.name, name) == 0)
            each = one.each;
    const bool is_double = operands[0] == 'd' || strstr(operands, ".2d") != NULL;
    const unsigned wide = strstr(operands, ".4s") != NULL ? 4 : strstr(operands, ".2") != NULL ? 2 : 1;
    (is_double ? it.double_flops : it.flops) = each * wide;
    return it;
}
#endif

/* "call 1234 <expf@plt>": a function that a GPU has a special unit for. */
static bool
is_special(const char *operands)
{
    static const char *const names[] = {"exp", "exp2", "log", "log2", "sin",   "cos",
                                        "tan", "tanh", "pow", "erf",  "log1p", "expm1"};
    const char *at = strchr(operands, '<');
    for (const char *name : names) {
        const size_t length = strlen(name);
        if (at == NULL || strncmp(at + 1, name, length) != 0)
            continue;
        const char *rest = at + 1 + length;
        rest += *rest == 'f';
        if (*rest == '@' || *rest == '>')
            return true;
    }
    return false;
}

static bool
is_branch(const char *name)
{
    return (name[0] == 'j' && strcmp(name, "jmp") != 0) || strncmp(name, "b.", 2) == 0 || strncmp(name, "cb", 2) == 0 ||
           strncmp(name, "tb", 2) == 0;
}

/* Where the reading of objdump's output stands. */
struct Reader {
    BlockCode *block; /* NULL: before the first one of a function */
    bool begins;      /* the next instruction is the first of a block */
    bool branched;    /* its first conditional jump has been seen */
};

/* "    1a2b:\tvfmadd231ss (%rdx),%xmm0,%xmm1" */
static void
read_instruction(Reader *reader, const char *text)
{
    char name[32] = "";
    char *end;
    const uint32_t offset = (uint32_t)strtoul(text, &end, 16);
    if (*end != ':')
        return;
    int used = 0;
    if (sscanf(end + 1, " %31s%n", name, &used) != 1)
        return;
    const char *operands = end + 1 + used;
    while (isspace((unsigned char)*operands))
        operands++;
    if (reader->begins) {
        reader->block = &blocks[offset];
        *reader->block = BlockCode{{}, offset};
        reader->begins = reader->branched = false;
    }
    const bool call = strncmp(name, "call", 4) == 0 || strcmp(name, "bl") == 0;
    if (call && strstr(operands, "<__sanitizer_cov_trace_pc") != NULL) {
        reader->begins = true;
        return;
    }
    if (reader->block == NULL)
        return;
    if (is_branch(name) && !reader->branched) {
        reader->block->branch = offset + 1;
        reader->branched = true;
    }
    Instruction it = arithmetic(name, operands);
    it.special = call && is_special(operands);
    it.offset = offset + 1;
    if (it.flops + it.double_flops + it.special > 0)
        reader->block->instructions.push_back(it);
}

static void
read_library()
{
    const std::string command = std::string("objdump -d --no-show-raw-insn '") + code_library() + "' 2>/dev/null";
    FILE *in = popen(command.c_str(), "r");
    char text[1024];
    Reader reader = {NULL, false, false};
    if (in == NULL)
        return;
    while (fgets(text, sizeof(text), in) != NULL) {
        if (!isspace((unsigned char)text[0]))
            reader = Reader{NULL, false, false}; /* "0000000000001234 <name>:" */
        else
            read_instruction(&reader, text);
    }
    pclose(in);
}

const BlockCode *
block_code(uint32_t pc)
{
    static bool read;
    if (!read)
        read_library();
    read = true;
    const auto it = blocks.find(pc);
    return it == blocks.end() ? NULL : &it->second;
}
