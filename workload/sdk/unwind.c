/* SPDX-License-Identifier: MIT */
/*
 * Replaces the dynamic linker for libgcc when an exception is thrown: reports where the image's
 * tables are. There is one image.
 *
 * Only linked into programs that unwind their stack.
 */
#include <stddef.h>
#include <unwind.h>

/* glibc 2.35, <dlfcn.h> */
struct dl_find_object {
	unsigned long long flags;
	void *map_start, *map_end;
	void *link_map;
	const void *eh_frame_hdr;
	unsigned long long reserved[7];
};

/* payload.ld's */
extern const char __eh_frame_hdr_start[] __attribute__((visibility("hidden")));

int _dl_find_object(void *pc, struct dl_find_object *object);

/* libgcc itself rejects functions that its table does not have. */
int _dl_find_object(void *pc, struct dl_find_object *object)
{
	(void)pc;
	*object = (struct dl_find_object){ .eh_frame_hdr = __eh_frame_hdr_start };
	return 0;
}

static _Unwind_Reason_Code unwind_stop(struct _Unwind_Context *context, void *argument)
{
	(void)context;
	(void)argument;
	return _URC_NORMAL_STOP;
}

/* The first unwinding fills a table in libgcc, without a lock, because libgcc finds no threads of
 * glibc's. So it is done here, before there are any threads. */
static __attribute__((constructor)) void unwind_first(void)
{
	_Unwind_Backtrace(unwind_stop, NULL);
}
