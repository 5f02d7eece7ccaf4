/* SPDX-License-Identifier: MIT */
/* The arch seam for what the hardware itself notes of events that spoil a measurement, beside
 * arch_smi_count(). All of the calling CPU. Thread. */
#ifndef ARCH_NOISE_H
#define ARCH_NOISE_H

#include <stdbool.h>
#include <stdint.h>

#define ARCH_NOISE_BANKS 32U

struct arch_noise {
	unsigned nr_banks; /* of machine checks; 0: the CPU has none that we may read */
	uint64_t banks[ARCH_NOISE_BANKS]; /* each bank's status register */
	bool logs_throttling;             /* the CPU notes it */
	bool throttled;                   /* since arch_noise_begin() */
	uint64_t aperf, mperf; /* clocks at the present and at the base frequency; both 0: none */
};

/* Forget that the CPU was throttled before. */
void arch_noise_begin(void);

/* Read the present values. */
void arch_noise_read(struct arch_noise *noise);

#endif
