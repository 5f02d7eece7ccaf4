/* SPDX-License-Identifier: MIT */
/* The half of abi_test.c that sees the system's header; the two cannot be in one file. */
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

#include "tests/unit/abi/abi_constants.h"

const struct abi_fact linux_facts[] = { ABI_FACTS, { NULL, 0, 0 } };

/* Linux's flags are a bit field: set one, and see which bit of the word at 40 it is. */
unsigned long long linux_flag(int flag);
unsigned long long linux_flag(int flag)
{
	struct perf_event_attr attr;
	unsigned long long word;

	memset(&attr, 0, sizeof(attr));
	attr.disabled = flag == 0;
	attr.exclude_user = flag == 1;
	attr.exclude_kernel = flag == 2;
	attr.exclude_hv = flag == 3;
	attr.exclude_idle = flag == 4;
	attr.mmap = flag == 5;
	attr.comm = flag == 6;
	attr.freq = flag == 7;
	attr.task = flag == 8;
	attr.watermark = flag == 9;
	attr.sample_id_all = flag == 10;
	attr.mmap2 = flag == 11;
	attr.comm_exec = flag == 12;
	attr.write_backward = flag == 13;
	attr.inherit = flag == 14;
	attr.pinned = flag == 15;
	attr.exclusive = flag == 16;
	attr.exclude_guest = flag == 17;
	memcpy(&word, (const char *)&attr + 40, sizeof(word));
	return word;
}
