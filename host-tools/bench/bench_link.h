/* SPDX-License-Identifier: MIT */
/* A machine that carries out microbenchmarks: booted in QEMU, or at the end of a channel. */
#ifndef HOST_TOOLS_BENCH_BENCH_LINK_H
#define HOST_TOOLS_BENCH_BENCH_LINK_H

#include <stdio.h>

#include "host-tools/bench/bench_options.h"
#include "host-tools/record/qemu/run_machine.h"
#include "host-tools/record/remote/remote_link.h"
#include "lib/bench/bench.h"

struct bench_link {
	struct region *region;
	bool is_remote;
	double timeout; /* s without an answer */
	struct remote_link remote;
	struct run_options run; /* of the machine in QEMU */
	struct machine machine;
	char image[4096];
	uint64_t at; /* bytes of the stream that were taken */
};

/* Connect, or boot. 0, or a negative errno and the reason; call bench_link_close() in any case. */
int bench_link_open(struct bench_link *link, const struct machine_options *options,
                    struct error *error);

/* ELF's e_machine of the machine. */
uint16_t bench_link_machine(const struct bench_link *link);

/* Send a request and await its result. result->values: room for BENCH_VALUES. 0, also if the result
 * has a status of its own; or a negative errno: the machine does not answer. */
int bench_link_ask(struct bench_link *link, const struct bench_request *request,
                   struct bench_result *result, struct error *error);

/* Send a command, await its end, and print what the machine printed meanwhile. 0, or a negative
 * errno and the reason: the machine refused the command, or does not answer. */
int bench_link_command(struct bench_link *link, const char *text, FILE *out, struct error *error);

/* The signal that ended the last call; 0: none did. */
int bench_link_signal(const struct bench_link *link);

void bench_link_close(struct bench_link *link);

#endif
