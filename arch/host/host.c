/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

uint64_t host_fake_cycles;
uint64_t host_irq_masked;
uint8_t (*host_port_read)(uint16_t port);
void (*host_port_write)(uint16_t port, uint8_t value);
void (*host_memory_clean)(const void *start, size_t size);
void (*host_memory_cleaned)(void);

unsigned host_address_bits = 48;

unsigned arch_address_bits(void)
{
	return host_address_bits;
}

void arch_memory_clean_begin(const void *start, size_t size)
{
	if (host_memory_clean)
		host_memory_clean(start, size);
}

void arch_memory_cleaned(void)
{
	if (host_memory_cleaned)
		host_memory_cleaned();
}
