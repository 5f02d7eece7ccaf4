/* SPDX-License-Identifier: MIT */
/* Include it before the code under test: another CPU may run between a read of a word and the
 * action that depends on it. */
#ifndef TESTS_HOST_CPUS_BETWEEN_H
#define TESTS_HOST_CPUS_BETWEEN_H

void host_cpus_between(void);

#define __atomic_load_n(word, order)                                       \
	({                                                                 \
		__typeof__(*(word)) looked = __atomic_load_n(word, order); \
                                                                           \
		host_cpus_between();                                       \
		looked;                                                    \
	})

#endif
