/* The kinds of mistakes that the emulator finds. C and C++ read this.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_FINDINGS_H
#define GPU_EMULATOR_FINDINGS_H

typedef enum FindingKind {
    /* Found by the execution of threads. */
    FINDING_DEADLOCK,          /* threads of a block wait, and none can go on: a barrier that some never reach */
    FINDING_DIVERGENT_BARRIER, /* threads met at a barrier that not all reached: some had returned, or came from another line */
    FINDING_SHUFFLE,    /* a value from a lane that does not participate, or a lane that is not in its own mask */
    FINDING_ASYNC_COPY, /* a copy (cp.async) that is used without a wait */
    FINDING_LAUNCH,     /* a launch over the device's limits */
    /* Found by watching accesses. */
    FINDING_OUT_OF_BOUNDS,  /* device or shared memory that was never allocated */
    FINDING_AFTER_FREE,     /* device memory that was freed */
    FINDING_HOST_POINTER,   /* the host's memory, used in a kernel */
    FINDING_DEVICE_POINTER, /* device memory, used on the host */
    FINDING_UNINITIALISED,  /* read before anybody wrote it */
    FINDING_MISALIGNED,     /* an address that is no multiple of the access's size */
    FINDING_RACE_IN_BLOCK,  /* two threads of a block, no barrier between */
    FINDING_RACE_OF_BLOCKS, /* two blocks of one launch */
    FINDING_LEAK,           /* device memory that was never freed */
    FINDING_KINDS
} FindingKind;

#endif
