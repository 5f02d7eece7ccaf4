/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

uint64_t host_fake_cycles;
uint64_t host_irq_masked;
