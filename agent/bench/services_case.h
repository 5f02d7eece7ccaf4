/* SPDX-License-Identifier: MIT */
/*
 * The services that `bench --uefi` measures: each case calls one service. A case undoes what its
 * call did before the next call begins. Boot services only. Thread.
 *
 *	services_memory.c	pool, pages, memory map, copies, checksum
 *	services_events.c	events, timers, task priority levels
 *	services_handles.c	protocols and handles
 *	services_runtime.c	variables, time
 *	services_devices.c	a block device, the console
 */
#ifndef AGENT_BENCH_SERVICES_CASE_H
#define AGENT_BENCH_SERVICES_CASE_H

#include <stdint.h>

#include "lib/efi/efi.h"

#define SERVICES_ROOM (2U << 20) /* bytes of services_room */
#define SERVICES_HALF (SERVICES_ROOM / 2)

struct services_case {
	const char *service; /* the specification's name */
	const char *detail;  /* such as a size; "": none */
	uint64_t argument;   /* of each function */
	/* Not measured; NULL: nothing to do. An error ends the case. */
	EFI_STATUS (*before)(uint64_t argument);
	EFI_STATUS (*call)(uint64_t argument); /* measured */
	/* Not measured; undoes a call that succeeded. */
	EFI_STATUS (*after)(uint64_t argument);
	EFI_STATUS expected; /* of the call; EFI_SUCCESS (0) in most cases */
};

/* Each ends with a NULL service. */
extern const struct services_case services_of_memory[], services_of_events[], services_of_handles[],
    services_of_runtime[], services_of_devices[], services_of_console[];

/* Memory that the cases may use, at a multiple of 4096: SERVICES_ROOM bytes. */
extern uint8_t *services_room;

#endif
