/* SPDX-License-Identifier: MIT */
/*
 * The other CPUs where the firmware has them and stays: it runs a procedure of ours on each, which
 * is over when we are done (EFI_MP_SERVICES_PROTOCOL: UEFI Platform Initialization 1.7, volume 2,
 * 13.4). Boot services only; thread.
 */
#ifndef LIB_PROCESSORS_H
#define LIB_PROCESSORS_H

/* Have each enabled one call arch_cpu_take_over(), and wait until all are there. Where the firmware
 * has no such service there is nothing to be had, which is said. 0; -EIO: it refused one;
 * -ETIMEDOUT: one did not come. */
int processors_take_over(void);

/* After arch_cpus_end(): wait until the firmware has noticed that all are back, some 100 ms. 0, or
 * -ETIMEDOUT: one is not. */
int processors_return(void);

#endif
