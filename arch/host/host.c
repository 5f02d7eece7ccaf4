/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

uint64_t host_fake_cycles;
uint64_t host_irq_masked;
uint8_t (*host_port_read)(uint16_t port);
void (*host_port_write)(uint16_t port, uint8_t value);
