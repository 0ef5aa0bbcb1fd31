/* Checkpoints (nn/checkpoint.h). Saving and restoring go through one list of tensors: what is saved is what is restored.
 * SPDX-License-Identifier: MIT */
#include "nn/checkpoint.h"
#include "core/array.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT "rungs checkpoint 1"

enum { NAME_SIZE = 128, NUMBER_SIZE = 32, POSITION_KEYS = 5 };

/* ---- the list of tensors ---- */

/* Tensors whose data point at the trainer's own arrays: read from there when saving, written there when restoring. */
typedef struct TensorList {
    Tensor *tensors;
    char (*names)[NAME_SIZE];
    size_t count;
    double *columns; /* history.loss, .validation, .rate one after the other: the trainer holds them row by row */
} TensorList;

enum { HISTORY_COLUMNS = 3 };
static const char *const history_names[HISTORY_COLUMNS] = {"history.loss", "history.validation", "history.rate"};

static double *
history_field(TrainEpoch *epoch, int column)
{
    double *const fields[HISTORY_COLUMNS] = {&epoch->loss, &epoch->validation, &epoch->rate};
    return fields[column];
}

/* A tensor of one dimension; the caller may change the shape. */
static Tensor *
list_add(TensorList *list, const char *prefix, const char *name, TensorType type, size_t count, void *data)
{
    char *full = list->names[list->count];
    snprintf(full, NAME_SIZE, "%s%s", prefix, name);
    Tensor *tensor = &list->tensors[list->count++];
    *tensor = (Tensor){.name = full, .type = type, .dimensions = 1, .shape = {count}, .count = count, .data = data};
    return tensor;
}

/* One tensor for each named part of the network, cut from an array that is laid out like its parameters. */
static void
list_add_parts(TensorList *list, const char *prefix, const Net *net, float *array)
{
    for (int i = 0; i < net_parameter_tensors(net); i++) {
        const Parameter *part = net_parameter(net, i);
        Tensor *tensor = list_add(list, prefix, part->name, TENSOR_F32, part->count, array + part->first);
        tensor->dimensions = part->dimensions;
        memcpy(tensor->shape, part->shape, sizeof(part->shape));
    }
}

/* Everything but the input's normaliser. The first three tensors are the history's columns. */
static TensorList
list_create(Trainer *trainer)
{
    size_t parts = (size_t)net_parameter_tensors(trainer->net);
    int states = optimizer_state_count(trainer->optimizer);
    size_t room = HISTORY_COLUMNS + 2 + parts * (1 + (size_t)states), epochs = trainer->position.epoch;
    TensorList list = {.tensors = ARRAY(Tensor, room), .names = array_create(room, NAME_SIZE)};
    list.columns = ARRAY(double, HISTORY_COLUMNS *epochs);
    for (int c = 0; c < HISTORY_COLUMNS; c++)
        list_add(&list, "", history_names[c], TENSOR_F64, epochs, list.columns + (size_t)c * epochs);
    list_add_parts(&list, "", trainer->net, net_parameters(trainer->net));
    for (int s = 0; s < states; s++) {
        const char *name;
        char prefix[NAME_SIZE / 2];
        float *state = optimizer_state(trainer->optimizer, s, &name);
        snprintf(prefix, sizeof(prefix), "optimizer.%s.", name);
        list_add_parts(&list, prefix, trainer->net, state);
    }
    return list;
}

static void
list_add_normalizer(TensorList *list, const Normalizer *normalizer)
{
    list_add(list, "", "input.mean", TENSOR_F32, normalizer->features, normalizer->mean);
    list_add(list, "", "input.scale", TENSOR_F32, normalizer->features, normalizer->scale);
}

static void
list_free(TensorList *list)
{
    array_free(list->tensors);
    array_free(list->names);
    array_free(list->columns);
}

/* ---- saving ---- */

bool
checkpoint_save(const Checkpoint *checkpoint, Error *error)
{
    Trainer *trainer = checkpoint->trainer;
    const TrainPosition *at = &trainer->position;
    char number[POSITION_KEYS][NUMBER_SIZE];
    snprintf(number[0], NUMBER_SIZE, "%d", trainer->options.epochs);
    snprintf(number[1], NUMBER_SIZE, "%" PRIu64, at->epoch);
    snprintf(number[2], NUMBER_SIZE, "%" PRIu64, at->step);
    snprintf(number[3], NUMBER_SIZE, "%.17g", at->loss_sum); /* 17 digits give back the same double */
    const Metadata position[POSITION_KEYS] = {
        {"format", FORMAT}, {"epochs", number[0]}, {"epoch", number[1]}, {"step", number[2]}, {"loss_sum", number[3]}};
    size_t count = POSITION_KEYS + checkpoint->setting_count;
    Metadata *metadata = ARRAY(Metadata, count);
    memcpy(metadata, position, sizeof(position));
    for (size_t i = 0; i < checkpoint->setting_count; i++)
        metadata[POSITION_KEYS + i] = checkpoint->settings[i];

    TensorList list = list_create(trainer);
    if (checkpoint->normalizer)
        list_add_normalizer(&list, checkpoint->normalizer);
    for (int c = 0; c < HISTORY_COLUMNS; c++)
        for (uint64_t e = 0; e < at->epoch; e++)
            list.columns[(uint64_t)c * at->epoch + e] = *history_field(&trainer->history[e], c);
    bool good = safetensors_write(checkpoint->path, list.tensors, list.count, metadata, count, error);
    list_free(&list);
    array_free(metadata);
    return good;
}

/* ---- restoring ---- */

bool
checkpoint_open(const char *path, Safetensors *file, Error *error)
{
    if (!safetensors_read(path, file, error))
        return false;
    const char *format = safetensors_metadata(file, "format");
    if (format && strcmp(format, FORMAT) == 0)
        return true;
    error_set(error, "%s: is a safetensors file but not a checkpoint: its format is \"%.40s\", expected \"%s\"", path,
              format ? format : "", FORMAT);
    safetensors_free(file);
    return false;
}

/* A whole number of the metadata. */
static bool
read_count(const Checkpoint *checkpoint, const Safetensors *file, const char *key, uint64_t *number, Error *error)
{
    const char *text = safetensors_metadata(file, key);
    char *end = NULL;
    errno = 0;
    *number = text && text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
    if (!end || *end != '\0' || errno != 0)
        return error_set(error, "%s: the metadata entry \"%s\" is \"%.40s\", expected a whole number", checkpoint->path,
                         key, text ? text : "");
    return true;
}

static bool
read_position(const Checkpoint *checkpoint, const Safetensors *file, TrainPosition *at, Error *error)
{
    const Trainer *trainer = checkpoint->trainer;
    if (!read_count(checkpoint, file, "epoch", &at->epoch, error) ||
        !read_count(checkpoint, file, "step", &at->step, error))
        return false;
    const char *sum = safetensors_metadata(file, "loss_sum");
    char *end = NULL;
    at->loss_sum = sum ? strtod(sum, &end) : 0;
    if (!end || end == sum || *end != '\0' || !isfinite(at->loss_sum))
        return error_set(error, "%s: the metadata entry \"loss_sum\" is \"%.40s\", expected a number", checkpoint->path,
                         sum ? sum : "");
    uint64_t epochs = (uint64_t)trainer->options.epochs;
    if (at->epoch > epochs || (at->epoch == epochs && at->step > 0))
        return error_set(error, "%s: has done %" PRIu64 " epochs, which is more than the %" PRIu64 " of this run",
                         checkpoint->path, at->epoch + (at->step > 0), epochs);
    if (at->step >= trainer->steps_per_epoch)
        return error_set(error, "%s: stands before step %" PRIu64 " of an epoch of %" PRIu64 " steps: it is damaged",
                         checkpoint->path, at->step, trainer->steps_per_epoch);
    at->seen = at->step * (uint64_t)trainer->options.batch; /* only an epoch's last batch may be smaller */
    return true;
}

/* More epochs are welcome as long as the rates of the steps that are done would have been the same. */
static bool
check_epochs(const Checkpoint *checkpoint, const Safetensors *file, const TrainPosition *at, Error *error)
{
    const Trainer *trainer = checkpoint->trainer;
    const TrainOptions *options = &trainer->options;
    uint64_t epochs, done = at->epoch * trainer->steps_per_epoch + at->step;
    if (!read_count(checkpoint, file, "epochs", &epochs, error))
        return false;
    if (epochs < at->epoch || epochs > INT32_MAX)
        return error_set(error, "%s: the metadata entry \"epochs\" is %" PRIu64 ": it is damaged", checkpoint->path,
                         epochs);
    for (uint64_t s = 0; epochs != (uint64_t)options->epochs && s < done; s++)
        if (schedule_rate(&options->schedule, options->rate, s, epochs * trainer->steps_per_epoch) !=
            schedule_rate(&options->schedule, options->rate, s, trainer_steps_total(trainer)))
            return error_set(error,
                             "%s: belongs to a run of %" PRIu64 " epochs, and its schedule of the rate depends on that "
                             "number, so it cannot go on as a run of %d",
                             checkpoint->path, epochs, options->epochs);
    return true;
}

/* ", key value" at the end of a list; of a long value, the path of a file, its end. */
static void
add_setting(char list[200], const char *key, const char *value)
{
    enum { SHOWN = 60 };
    const size_t used = strlen(list), length = strlen(value), cut = length > SHOWN ? length - SHOWN : 0;
    snprintf(list + used, 200 - used, "%s%s %s%s", used ? ", " : "", key, cut ? ".." : "", value + cut);
}

/* Names every setting that differs, in one sentence. */
static bool
check_settings(const Checkpoint *checkpoint, const Safetensors *file, Error *error)
{
    char theirs[200] = "", ours[200] = "";
    for (size_t i = 0; i < checkpoint->setting_count; i++) {
        const char *key = checkpoint->settings[i].key, *wanted = checkpoint->settings[i].value;
        const char *found = safetensors_metadata(file, key);
        if (found && strcmp(found, wanted) == 0)
            continue;
        add_setting(theirs, key, found ? found : "(none)");
        add_setting(ours, key, wanted);
    }
    if (ours[0] == '\0')
        return true;
    return error_set(error, "%s: was made with %s, but this run has %s: go on with the same settings, or start anew",
                     checkpoint->path, theirs, ours);
}

/* The file's tensor that corresponds to `wanted`. */
static const Tensor *
find_like(const Checkpoint *checkpoint, const Safetensors *file, const Tensor *wanted, Error *error)
{
    const Tensor *found = safetensors_find(file, wanted->name);
    if (!found) {
        error_set(error, "%s: has no tensor \"%s\": it belongs to another network or optimiser", checkpoint->path,
                  wanted->name);
        return NULL;
    }
    bool same = found->type == wanted->type && found->dimensions == wanted->dimensions;
    for (int d = 0; same && d < wanted->dimensions; d++)
        same = found->shape[d] == wanted->shape[d];
    if (!same) {
        error_set(error,
                  "%s: tensor \"%s\" has another shape or type (%zu elements of %s, expected %zu of %s): it belongs "
                  "to another network",
                  checkpoint->path, wanted->name, found->count, tensor_type_name(found->type), wanted->count,
                  tensor_type_name(wanted->type));
        return NULL;
    }
    return found;
}

static bool
copy_tensors(const Checkpoint *checkpoint, const Safetensors *file, const TensorList *list, Error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        const Tensor *wanted = &list->tensors[i], *found = find_like(checkpoint, file, wanted, error);
        if (!found || !tensor_copy(found, wanted->type, (void *)wanted->data, wanted->count, error))
            return false;
    }
    return true;
}

static bool
check_tensor_count(const Checkpoint *checkpoint, const Safetensors *file, const TensorList *list, Error *error)
{
    size_t expected = list->count + (checkpoint->normalizer ? 2 : 0);
    if (file->tensor_count == expected)
        return true;
    return error_set(error, "%s: holds %zu tensors, but this run has %zu: it belongs to another network or optimiser",
                     checkpoint->path, file->tensor_count, expected);
}

bool
checkpoint_restore(const Checkpoint *checkpoint, const Safetensors *file, Error *error)
{
    Trainer *trainer = checkpoint->trainer;
    TrainPosition at;
    if (!check_settings(checkpoint, file, error) || !read_position(checkpoint, file, &at, error) ||
        !check_epochs(checkpoint, file, &at, error))
        return false;
    trainer->position = at;
    TensorList list = list_create(trainer);
    bool good = copy_tensors(checkpoint, file, &list, error) && check_tensor_count(checkpoint, file, &list, error);
    for (uint64_t e = 0; good && e < at.epoch; e++) {
        trainer->history[e].seconds = NAN;
        for (int c = 0; c < HISTORY_COLUMNS; c++)
            *history_field(&trainer->history[e], c) = list.columns[(uint64_t)c * at.epoch + e];
    }
    list_free(&list);
    optimizer_set_steps(trainer->optimizer, trainer_steps_done(trainer));
    trainer->epoch_partial = at.step > 0;
    return good;
}
