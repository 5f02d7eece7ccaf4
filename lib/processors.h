/* SPDX-License-Identifier: MIT */
/*
 * The other CPUs, if the firmware has them and stays: it runs a procedure of ours on each, which
 * ends when we give the CPU back (EFI_MP_SERVICES_PROTOCOL: UEFI Platform Initialization 1.7,
 * volume 2, 13.4). Boot services only; thread.
 */
#ifndef LIB_PROCESSORS_H
#define LIB_PROCESSORS_H

/* Make each enabled CPU call arch_cpu_take_over(), and wait until all have. If the firmware has no
 * such service, the console reports that no other CPUs are available. Returns 0; -EIO: the firmware
 * refused; -ETIMEDOUT: a CPU did not come. */
int processors_take_over(void);

/* After arch_cpus_end(): wait until the firmware has noticed that all CPUs are back, some 100 ms.
 * Returns 0, or -ETIMEDOUT: one is not back. */
int processors_return(void);

#endif
