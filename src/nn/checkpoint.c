/* Checkpoints (nn/checkpoint.h). Saving and restoring go through one list of tensors: what is saved is what is restored.
 * SPDX-License-Identifier: MIT */
#include "nn/checkpoint.h"
#include "core/array.h"
#include "nn/checksum.h"
#include "nn/group_file.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT "rungs checkpoint 1"

enum { NUMBER_SIZE = 32, POSITION_KEYS = 5 };

/* ---- the list of tensors ---- */

/* history.loss, .validation, .rate, one after the other in `columns`: the trainer holds them row by row. */
enum { HISTORY_COLUMNS = 3 };
static const char *const history_names[HISTORY_COLUMNS] = {"history.loss", "history.validation", "history.rate"};

static double *
history_field(TrainEpoch *epoch, int column)
{
    double *const fields[HISTORY_COLUMNS] = {&epoch->loss, &epoch->validation, &epoch->rate};
    return fields[column];
}

static double *
columns_create(const Trainer *trainer)
{
    const uint64_t epochs = trainer->position.epoch;
    double *columns = ARRAY(double, HISTORY_COLUMNS *epochs);
    for (int c = 0; c < HISTORY_COLUMNS; c++)
        for (uint64_t e = 0; e < epochs; e++)
            columns[(uint64_t)c * epochs + e] = *history_field(&trainer->history[e], c);
    return columns;
}

/* Everything but the input's normaliser. The types of 8 bytes come first. */
static TensorList
list_create(const Checkpoint *checkpoint, double *columns)
{
    Trainer *trainer = checkpoint->trainer;
    Net *net = trainer->net;
    const int states = optimizer_state_count(trainer->optimizer);
    const size_t arrays = 1 + (size_t)states, epochs = trainer->position.epoch;
    const size_t parts = (size_t)net_whole_parameter_tensors(net) * arrays + (size_t)net_whole_average_tensors(net);
    TensorList list =
        tensor_list_create(HISTORY_COLUMNS + 2 + parts, net_parameter_count(net) * arrays + net_average_count(net));
    list.holder = checkpoint->holder;
    for (int c = 0; c < HISTORY_COLUMNS; c++)
        tensor_list_add(&list, history_names[c], TENSOR_F64, epochs, columns + (size_t)c * epochs);
    tensor_list_add_parameters(&list, "", net, net_parameters(net));
    tensor_list_add_averages(&list, net, net_averages(net));
    for (int s = 0; s < states; s++) {
        const char *name;
        char prefix[TENSOR_NAME_SIZE / 2];
        float *state = optimizer_state(trainer->optimizer, s, &name);
        snprintf(prefix, sizeof(prefix), "optimizer.%s.", name);
        tensor_list_add_parameters(&list, prefix, net, state);
    }
    return list;
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

    double *columns = columns_create(trainer);
    TensorList list = list_create(checkpoint, columns);
    const Normalizer *normalizer = checkpoint->normalizer;
    if (normalizer) {
        tensor_list_add(&list, "input.mean", TENSOR_F32, normalizer->features, normalizer->mean);
        tensor_list_add(&list, "input.scale", TENSOR_F32, normalizer->features, normalizer->scale);
    }
    const ProcessGroup *group = trainer->group ? &trainer->group->processes : NULL;
    bool good = group_file_write(group, checkpoint->path, list.tensors, list.count, metadata, count, error);
    tensor_list_free(&list);
    array_free(columns);
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
    const bool ours = format && strcmp(format, FORMAT) == 0;
    if (ours && checksums_check(path, file, error))
        return true;
    if (!ours)
        error_set(error, "%s: is a safetensors file but not a checkpoint: its format is \"%.40s\", expected \"%s\"",
                  path, format ? format : "", FORMAT);
    safetensors_free(file);
    return false;
}

/* An integer of the metadata. */
static bool
read_count(const Checkpoint *checkpoint, const Safetensors *file, const char *key, uint64_t *number, Error *error)
{
    const char *text = safetensors_metadata(file, key);
    char *end = NULL;
    errno = 0;
    *number = text && text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
    if (!end || *end != '\0' || errno != 0)
        return error_set(error, "%s: the metadata entry \"%s\" is \"%.40s\", expected an integer", checkpoint->path,
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
    at->seen = at->step * trainer->training->batch; /* only an epoch's last batch may be smaller */
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
    double *columns = columns_create(trainer);
    TensorList list = list_create(checkpoint, columns);
    bool good =
        tensor_list_read(&list, checkpoint->path, file, error) && check_tensor_count(checkpoint, file, &list, error);
    for (uint64_t e = 0; good && e < at.epoch; e++) {
        trainer->history[e].seconds = NAN;
        for (int c = 0; c < HISTORY_COLUMNS; c++)
            *history_field(&trainer->history[e], c) = columns[(uint64_t)c * at.epoch + e];
    }
    tensor_list_free(&list);
    array_free(columns);
    optimizer_set_steps(trainer->optimizer, trainer_steps_done(trainer));
    trainer->epoch_partial = at.step > 0;
    return good;
}
