/* SPDX-License-Identifier: MIT */
#ifndef PMU_X86_X86_INSTRUCTIONS_H
#define PMU_X86_X86_INSTRUCTIONS_H

#include "pmu/instruction_counter.h"

extern const struct instruction_counter x86_instructions;

#endif
