/* SPDX-License-Identifier: MIT */
/* The entry from the firmware, which calls main(). */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <arch_floats.h>

#include "workload/sdk/sdk.h"

const struct bareperf_system *sdk_system;

typedef void (*init_fn)(void);

/* payload.ld's: constructors and destructors */
#pragma GCC visibility push(hidden)
extern const init_fn __init_array_start[], __init_array_end[];
extern const init_fn __fini_array_start[], __fini_array_end[];
#pragma GCC visibility pop

/* Identifies the image whose static objects are to be destroyed at the end; there is only one. */
extern void *const __dso_handle __attribute__((visibility("hidden")));
void *const __dso_handle = NULL;

int main(int argc, char **argv);

static void crt0_run_destructors(void)
{
	for (const init_fn *fn = __fini_array_end; fn > __fini_array_start;)
		(*--fn)();
}

/* A pointer to exit(), not exit() itself: behind a call that does not return gcc emits no code, so
 * the return address in callchains would belong to another function. */
static void (*volatile leave)(int status) = exit;

int _start(const struct bareperf_system *system)
{
	int code, count;
	char **words;

	if (system->version != BAREPERF_SYSTEM_VERSION || system->size < sizeof(*system))
		return -ENOSYS;
	sdk_system = system;
	sdk_time_begin();
	arch_floats_reset();
	code = sdk_tls_begin();
	if (code)
		return code;
	sdk_mark_begin();
	sdk_files_begin();
	count = sdk_arguments(system->argc, system->argv, &words);
	if (count < 0)
		return count;
	atexit(crt0_run_destructors);
	for (const init_fn *fn = __init_array_start; fn < __init_array_end; fn++)
		(*fn)();
	leave(main(count, words));
	return 0;
}
