/* SPDX-License-Identifier: MIT */
/* A machine whose CPUs are threads of the host: CPU 0 is the test's thread, the next HOST_CPUS take
 * payloads' threads (agent/payload/payload_threads.c), and other threads have higher numbers. */
#ifndef TESTS_HOST_CPUS_H
#define TESTS_HOST_CPUS_H

#define HOST_CPUS 4U

void host_cpus_open(void);
void host_cpus_close(void);

/* Run fn(0) here, and fn(1) up to fn(count - 1) at the same time on CPUs that take no threads. */
void host_cpus_at_once(unsigned count, void (*fn)(unsigned number));

/* Let the host run another thread, now and then. */
void host_cpus_others(void);

#endif
