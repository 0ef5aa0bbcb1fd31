/* One file written by a process group: see group_file.h. SPDX-License-Identifier: MIT */
#include "nn/group_file.h"
#include "core/array.h"
#include "nn/checksum.h"

/* owner[i]: the lowest rank that holds tensor i. False on all ranks if there is none. */
static bool
find_owners(const ProcessGroup *group, const Tensor *tensors, size_t count, int *owner, Error *error)
{
    for (size_t i = 0; i < count; i++)
        owner[i] = tensors[i].data ? group->rank : group->size;
    group->least(group->context, owner, count);
    for (size_t i = 0; i < count; i++)
        if (owner[i] == group->size)
            return error_set(error, "no rank holds tensor \"%.80s\", so it cannot be saved", tensors[i].name);
    return true;
}

/* Rank 0's room for a tensor of another rank; NULL with a sentence. */
static void *
create_room(const Tensor *tensors, size_t count, Error *error)
{
    size_t largest = 0;
    for (size_t i = 0; i < count; i++)
        if (!tensors[i].data && tensor_bytes(&tensors[i]) > largest)
            largest = tensor_bytes(&tensors[i]);
    return array_try_create(largest, 1, error);
}

/* Each by its owner. */
static double *
add_checksums(const ProcessGroup *group, const Tensor *tensors, size_t count, const int *owner)
{
    double *crc = ARRAY(double, count);
    checksums_of(tensors, count, crc);
    for (size_t i = 0; i < count; i++)
        crc[i] = owner[i] == group->rank ? crc[i] : 0;
    group->sum(group->context, crc, count);
    return crc;
}

static bool
begin_file(AtomicFile *file, const char *path, const Tensor *tensors, size_t count, const double *crc,
           const Metadata *metadata, size_t metadata_count, Error *error)
{
    ChecksumMetadata all = checksums_describe(tensors, count, crc, metadata, metadata_count);
    const bool good = safetensors_begin(file, path, tensors, count, all.all, all.count, error);
    checksums_free(&all);
    return good;
}

/* file and room are rank 0's. If the disk is full, rank 0 still receives the rest, so that no rank waits for it. */
static void
write_tensors(const ProcessGroup *group, AtomicFile *file, const Tensor *tensors, size_t count, const int *owner,
              void *room)
{
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = tensor_bytes(&tensors[i]);
        if (group->rank == 0 && owner[i] != 0)
            group->receive(group->context, owner[i], room, bytes);
        if (group->rank == 0)
            safetensors_append(file, &tensors[i], owner[i] == 0 ? tensors[i].data : room);
        else if (group->rank == owner[i])
            group->send(group->context, 0, tensors[i].data, bytes);
    }
}

bool
group_file_write(const ProcessGroup *group, const char *path, const Tensor *tensors, size_t tensor_count,
                 const Metadata *metadata, size_t metadata_count, Error *error)
{
    if (!group)
        return checksums_write(path, tensors, tensor_count, metadata, metadata_count, error);
    AtomicFile file = {0};
    void *room = NULL;
    int *owner = ARRAY(int, tensor_count);
    bool good = find_owners(group, tensors, tensor_count, owner, error);
    double *crc = add_checksums(group, tensors, tensor_count, owner);
    if (good && group->rank == 0) {
        room = create_room(tensors, tensor_count, error);
        good = room && begin_file(&file, path, tensors, tensor_count, crc, metadata, metadata_count, error);
    }
    array_free(crc);
    good = group->agree(group->context, good, error);
    if (good) {
        write_tensors(group, &file, tensors, tensor_count, owner, room);
        if (group->rank == 0)
            good = atomic_commit(&file, error);
        good = group->agree(group->context, good, error);
    }
    array_free(room);
    array_free(owner);
    return good;
}
