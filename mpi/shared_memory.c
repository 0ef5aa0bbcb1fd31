/* SPDX-License-Identifier: MIT */
#include "mpi/shared_memory.h"
#include "core/checked_mpi.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { NAME_BYTES = 64 };

/* A new file of `bytes` bytes, none of them reserved yet; -1 if there can be none. A name that is taken was left by a process
 * that was killed: it had our number. */
static int
create_file(char *name, size_t bytes)
{
    static atomic_uint made; /* by this process */
    int file;
    do
        snprintf(name, NAME_BYTES, "/dev/shm/rungs-%ld-%u", (long)getpid(), atomic_fetch_add(&made, 1));
    while ((file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)) < 0 && errno == EEXIST);
    if (file >= 0 && (bytes > INT64_MAX || ftruncate(file, (off_t)bytes) != 0)) {
        close(file);
        unlink(name);
        return -1;
    }
    return file;
}

static bool
map(SharedMemory *memory)
{
    if (memory->file < 0)
        return false;
    void *begin = mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->file, 0);
    memory->begin = begin == MAP_FAILED ? NULL : begin;
    return memory->begin != NULL;
}

bool
shared_memory_create(SharedMemory *memory, MPI_Comm mpi, size_t bytes)
{
    char name[NAME_BYTES] = "";
    int rank;
    CHECK_MPI(MPI_Comm_rank(mpi, &rank));
    *memory = (SharedMemory){.bytes = bytes, .file = -1};
    if (rank == 0)
        memory->file = create_file(name, bytes);
    CHECK_MPI(MPI_Bcast(name, NAME_BYTES, MPI_CHAR, 0, mpi));
    if (rank != 0)
        memory->file = open(name, O_RDWR | O_CLOEXEC);
    int ok = map(memory), all_ok;
    CHECK_MPI(MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, mpi));
    if (rank == 0 && memory->file >= 0)
        unlink(name); /* all have opened it, or never will; nothing is left behind if we are killed */
    if (!all_ok)
        shared_memory_free(memory);
    return all_ok;
}

bool
shared_memory_reserve(const SharedMemory *memory, size_t first, size_t bytes)
{
    enum { BLOCK = 4 << 20 }; /* a signal undoes the call that it meets: short ones end between two of a timer's */
    for (size_t done = 0, block; done < bytes; done += block) {
        int code;
        block = bytes - done < BLOCK ? bytes - done : BLOCK;
        do
            code = posix_fallocate(memory->file, (off_t)(first + done), (off_t)block);
        while (code == EINTR);
        if (code != 0)
            return false;
    }
    return true;
}

void
shared_memory_free(SharedMemory *memory)
{
    if (memory->begin != NULL)
        CHECK_ZERO(munmap(memory->begin, memory->bytes));
    if (memory->file >= 0)
        close(memory->file);
    *memory = (SharedMemory){.file = -1};
}

size_t
shared_memory_pages(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return bytes == 0 ? page : (bytes + page - 1) / page * page;
}

size_t
shared_memory_room(const SharedMemory *memory)
{
    struct statvfs room;
    return fstatvfs(memory->file, &room) == 0 ? (size_t)room.f_bavail * (size_t)room.f_frsize : 0;
}
