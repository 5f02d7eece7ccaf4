/* SPDX-License-Identifier: MIT */
#ifndef PMU_ARM_ARM_INSTRUCTIONS_H
#define PMU_ARM_ARM_INSTRUCTIONS_H

#include "pmu/instruction_counter.h"

extern const struct instruction_counter arm_instructions;

#endif
