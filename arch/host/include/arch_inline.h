/* SPDX-License-Identifier: MIT */
/*
 * The inline hooks of arch.h for tests and tools on the host. "This CPU" is the calling thread; its
 * interrupts are signals. Masking interrupts only sets a flag that unit tests can check; the code
 * under test does not depend on real masking.
 */
#ifndef ARCH_HOST_ARCH_INLINE_H
#define ARCH_HOST_ARCH_INLINE_H

#include "arch/x86_64/pmu/perfmon.h"

#if defined(__x86_64__)
/* arch_cycles() is the TSC unless a test has set host_fake_cycles. */
#define HOST_HAS_TSC 1
#endif

extern uint64_t host_fake_cycles; /* not 0: arch_cycles() returns this value */
/* For tests: returns the byte at a port; 0: no ports. */
extern uint8_t (*host_port_read)(uint16_t port);
extern void (*host_port_write)(uint16_t port, uint8_t value);

/* Called by arch_memory_clean_begin() and arch_memory_cleaned(); NULL: they do nothing. */
extern void (*host_memory_clean)(const void *start, size_t size);
extern void (*host_memory_cleaned)(void);

extern unsigned host_address_bits; /* the result of arch_address_bits(); 48 at first */

extern uint64_t host_irq_masked; /* 1: arch_irq_save() or arch_irq_disable() is in force */

static inline uint64_t arch_cycles(void)
{
	if (host_fake_cycles)
		return host_fake_cycles;
#ifdef HOST_HAS_TSC
	return __builtin_ia32_rdtsc();
#else
	uint64_t now;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
	return now;
#endif
}

static inline uint64_t arch_cycles_in_order(void)
{
#ifdef HOST_HAS_TSC
	__builtin_ia32_lfence();
#else
	__asm__ volatile("isb" : : : "memory");
#endif
	return arch_cycles();
}

static inline bool arch_cmpxchg_local(uint64_t *word, uint64_t old, uint64_t new)
{
#if defined(__x86_64__)
	bool done;

	/* No lock prefix: a signal arrives between instructions only. */
	__asm__ volatile("cmpxchgq %3, %1"
	                 : "=@ccz"(done), "+m"(*word), "+a"(old)
	                 : "r"(new)
	                 : "memory");
	return done;
#else
	return __atomic_compare_exchange_n(word, &old, new, false, __ATOMIC_RELAXED,
	                                   __ATOMIC_RELAXED);
#endif
}

static inline void arch_add_local(uint64_t *word, uint64_t value)
{
#if defined(__x86_64__)
	__asm__ volatile("addq %1, %0" : "+m"(*word) : "er"(value) : "cc");
#else
	__atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#endif
}

static inline uint32_t arch_exchange(uint32_t *word, uint32_t value)
{
	return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
}

static inline void arch_fence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline bool arch_has_ports(void)
{
	return true;
}

static inline uint8_t arch_port_read(uint16_t port)
{
	return host_port_read ? host_port_read(port) : 0xff;
}

static inline void arch_port_write(uint16_t port, uint8_t value)
{
	if (host_port_write)
		host_port_write(port, value);
}

/* Byte for byte, the lowest first. */
static inline uint32_t arch_port_read_wide(uint16_t port, unsigned bytes)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint32_t)arch_port_read((uint16_t)(port + i)) << 8 * i;
	return value;
}

static inline void arch_port_write_wide(uint16_t port, uint32_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		arch_port_write((uint16_t)(port + i), (uint8_t)(value >> 8 * i));
}

static inline void arch_reg_sync(void)
{
}

static inline uint64_t arch_counter_read(uint32_t reg)
{
	return arch_reg_read(reg);
}

static inline uint64_t arch_rdpmc(uint32_t selector)
{
	return arch_reg_read(RDPMC_VALUE(selector));
}

static inline void arch_counter_write(uint32_t reg, uint64_t value)
{
	arch_reg_write(reg, value);
}

static inline void arch_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#else
	__asm__ volatile("yield");
#endif
}

static inline uint64_t arch_irq_save(void)
{
	uint64_t saved = host_irq_masked;

	host_irq_masked = 1;
	return saved;
}

static inline void arch_irq_restore(uint64_t saved)
{
	host_irq_masked = saved;
}

#endif
