/* oneDNN as a peer: see onednn.h. Versions 2 and 3 differ in how a primitive is described. Functions, numbers and the layout of an
 * argument are those of oneapi/dnnl/dnnl.h and dnnl_types.h of 2.6.3 and 3.2.
 * SPDX-License-Identifier: MIT */
#include "cpu/onednn.h"
#include "core/array.h"
#include "core/checked.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.3.dylib", NULL};

enum { CPU = 1, IN_ORDER = 1, QUERY_IMPLEMENTATION = 8, ARG_A = 1, ARG_B = 33, ARG_C = 17, SUCCESS = 0 };

/* The caller of version 2 holds the descriptions of matrices (696 bytes in 2.6.3) and of the product (2800). */
typedef union Description {
    void *version3;
    uint64_t version2[1024];
} Description;

typedef struct Argument {
    int which;
    void *memory;
} Argument;

struct OnednnMatmul {
    void *primitive;
    Argument arguments[3]; /* A, B, C */
    const void *at[3];     /* where they are now */
    const char *name;
    OnednnMatrix made_for[3];
};

/* Loaded once, for the whole program. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static bool version3;
static OnednnSgemm *sgemm;
static void (*set_threads)(int threads);
static int (*describe_matrix)(void *description, int dimensions, const int64_t *size, int type, const int64_t *step);
static int (*describe_product2)(void *product, const void *a, const void *b, const void *bias, const void *c);
static int (*choose2)(void **chosen, const void *product, const void *attributes, void *engine, const void *hint);
static int (*choose3)(void **chosen, void *engine, const void *a, const void *b, const void *bias, const void *c,
                      const void *attributes);
static int (*query)(const void *chosen, int what, int index, void *result);
static int (*create)(void **primitive, const void *chosen);
static int (*create_memory)(void **memory, const void *description, void *engine, void *at);
static int (*move_memory)(void *memory, void *to);
static int (*execute)(const void *primitive, void *stream, int count, const Argument *arguments);
static int (*wait_for)(void *stream);
static int (*destroy_chosen)(void *), (*destroy_primitive)(void *), (*destroy_memory)(void *),
    (*destroy_matrix)(void *);
static void *engine, *stream;
static char description[96];
static Error why_not;

static const char *
instructions_name(int instructions)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {{0x1, "sse41"},
                 {0x3, "avx"},
                 {0x7, "avx2"},
                 {0x27, "avx512_core"},
                 {0x67, "avx512_core_vnni"},
                 {0xe7, "avx512_core_bf16"},
                 {0x1ef, "avx512_core_fp16"},
                 {0x3e7, "avx512_core_amx"},
                 {0xfef, "avx512_core_amx"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].number == instructions)
            return known[i].name;
    return "instructions unknown to this program";
}

/* Every function is looked up by its name behind dnnl_; false if one is missing. */
#define FIND(pointer, name) ((pointer = (__typeof__(pointer))library_function(library, "dnnl_" name)) != NULL)

static bool
find_functions(void)
{
    const bool by_version =
        version3 ? FIND(describe_matrix, "memory_desc_create_with_strides") &&
                       FIND(choose3, "matmul_primitive_desc_create") && FIND(destroy_matrix, "memory_desc_destroy")
                 : FIND(describe_matrix, "memory_desc_init_by_strides") &&
                       FIND(describe_product2, "matmul_desc_init") && FIND(choose2, "primitive_desc_create");
    set_threads = (void (*)(int))library_function(library, "omp_set_num_threads");
    return by_version && FIND(query, "primitive_desc_query") && FIND(create, "primitive_create") &&
           FIND(create_memory, "memory_create") && FIND(move_memory, "memory_set_data_handle") &&
           FIND(execute, "primitive_execute") && FIND(wait_for, "stream_wait") &&
           FIND(destroy_chosen, "primitive_desc_destroy") && FIND(destroy_primitive, "primitive_destroy") &&
           FIND(destroy_memory, "memory_destroy") && set_threads != NULL;
}

static void
load(void)
{
    const int *(*version)(void) = NULL; /* major, minor, patch, .. */
    int (*instructions)(void) = NULL, (*create_engine)(void **, int, size_t) = NULL;
    int (*create_stream)(void **, void *, unsigned) = NULL;
    library = library_open(names, &why_not);
    if (library == NULL)
        return;
    OnednnSgemm *found = NULL;
    version3 = FIND(version, "version") && version()[0] >= 3;
    if (version == NULL || !FIND(found, "sgemm") || !FIND(instructions, "get_effective_cpu_isa") ||
        !FIND(create_engine, "engine_create") || !FIND(create_stream, "stream_create") || !find_functions() ||
        create_engine(&engine, CPU, 0) != SUCCESS || create_stream(&stream, engine, IN_ORDER) != SUCCESS) {
        error_set(&why_not, "the library that is installed as oneDNN does not work as its versions 2 and 3 do");
        return;
    }
    sgemm = found;
    snprintf(description, sizeof description, "oneDNN %d.%d.%d, %s", version()[0], version()[1], version()[2],
             instructions_name(instructions()));
}

OnednnSgemm *
onednn_sgemm(Error *error)
{
    pthread_once(&once, load);
    if (sgemm == NULL)
        error_set(error, "%s", why_not.text);
    return sgemm;
}

LibraryFunction *
onednn_function(const char *name, Error *error)
{
    LibraryFunction *found = onednn_sgemm(error) != NULL ? library_function(library, name) : NULL;
    if (found == NULL && onednn_sgemm(NULL) != NULL)
        error_set(error, "this oneDNN has no %s", name);
    return found;
}

bool
onednn_accepts(const int *size, Error *reason)
{
    (void)size;
    return onednn_sgemm(reason) != NULL;
}

const char *
onednn_describe(void)
{
    return onednn_sgemm(NULL) != NULL ? description : why_not.text;
}

void
onednn_use_threads(int threads)
{
    if (onednn_sgemm(NULL) != NULL)
        set_threads(threads);
}

/* ---- matmul ---- */

static const void *
of(const Description *matrix)
{
    return version3 ? matrix->version3 : matrix;
}

static bool
describe(Description *matrix, const OnednnMatrix *m)
{
    const int64_t size[12] = {m->rows, m->columns}, step[12] = {m->row_step, m->column_step};
    return describe_matrix(matrix, 2, size, (int)m->type, step) == SUCCESS;
}

static bool
choose(void **chosen, const Description matrix[3])
{
    Description product;
    if (version3)
        return choose3(chosen, engine, of(&matrix[0]), of(&matrix[1]), NULL, of(&matrix[2]), NULL) == SUCCESS;
    return describe_product2(&product, &matrix[0], &matrix[1], NULL, &matrix[2]) == SUCCESS &&
           choose2(chosen, &product, NULL, engine, NULL) == SUCCESS;
}

OnednnMatmul *
onednn_matmul_create(const OnednnMatrix *a, const OnednnMatrix *b, const OnednnMatrix *c, Error *error)
{
    static const int which[3] = {ARG_A, ARG_B, ARG_C};
    Description matrix[3] = {{0}};
    void *chosen = NULL;
    if (onednn_sgemm(error) == NULL)
        return NULL;
    OnednnMatmul *matmul = ARRAY(OnednnMatmul, 1);
    bool done = describe(&matrix[0], a) && describe(&matrix[1], b) && describe(&matrix[2], c) &&
                choose(&chosen, matrix) && create(&matmul->primitive, chosen) == SUCCESS &&
                query(chosen, QUERY_IMPLEMENTATION, 0, &matmul->name) == SUCCESS;
    for (int i = 0; i < 3; i++) {
        matmul->arguments[i].which = which[i];
        done = done && create_memory(&matmul->arguments[i].memory, of(&matrix[i]), engine, NULL) == SUCCESS;
        if (version3 && matrix[i].version3 != NULL)
            destroy_matrix(matrix[i].version3);
    }
    if (chosen != NULL)
        destroy_chosen(chosen);
    matmul->made_for[0] = *a;
    matmul->made_for[1] = *b;
    matmul->made_for[2] = *c;
    if (done)
        return matmul;
    onednn_matmul_free(matmul);
    error_set(error, "oneDNN has no matmul for these types and shapes");
    return NULL;
}

static bool
same(const OnednnMatrix *a, const OnednnMatrix *b)
{
    return a->type == b->type && a->rows == b->rows && a->columns == b->columns && a->row_step == b->row_step &&
           a->column_step == b->column_step;
}

OnednnMatmul *
onednn_matmul_keep(OnednnMatmul **kept, const OnednnMatrix *a, const OnednnMatrix *b, const OnednnMatrix *c,
                   Error *error)
{
    if (*kept != NULL && same(&(*kept)->made_for[0], a) && same(&(*kept)->made_for[1], b) &&
        same(&(*kept)->made_for[2], c))
        return *kept;
    onednn_matmul_free(*kept);
    return *kept = onednn_matmul_create(a, b, c, error);
}

void
onednn_matmul_run(OnednnMatmul *matmul, const void *A, const void *B, void *C)
{
    const void *const at[3] = {A, B, C};
    for (int i = 0; i < 3; i++)
        if (matmul->at[i] != at[i]) {
            move_memory(matmul->arguments[i].memory, (void *)at[i]);
            matmul->at[i] = at[i];
        }
    const int failed = execute(matmul->primitive, stream, 3, matmul->arguments);
    CHECK_THAT(failed == SUCCESS && wait_for(stream) == SUCCESS, "oneDNN returned %d", failed);
}

void
onednn_matmul_free(OnednnMatmul *matmul)
{
    if (matmul == NULL)
        return;
    for (int i = 0; i < 3; i++)
        if (matmul->arguments[i].memory != NULL)
            destroy_memory(matmul->arguments[i].memory);
    if (matmul->primitive != NULL)
        destroy_primitive(matmul->primitive);
    array_free(matmul);
}

const char *
onednn_matmul_name(const OnednnMatmul *matmul)
{
    return matmul->name;
}
