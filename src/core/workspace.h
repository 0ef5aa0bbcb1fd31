/* Memory that a kernel needs for the time of one call, kept from call to call: fresh pages cost more than small products.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_WORKSPACE_H
#define CORE_WORKSPACE_H

#include <stddef.h>

/* At least `bytes` bytes that belong to the calling thread until its next call, with anything in them, aligned to a page (a large
 * page where there are some and it is worth it). Freed when the thread ends. Ends the program if there is no memory. */
void *workspace(size_t bytes);

/* The same from a second buffer, for a kernel that calls others (im2col calls gemm, which has the first): it belongs to the
 * thread until its next call of workspace_outer(). */
void *workspace_outer(size_t bytes);

#endif
