/* SPDX-License-Identifier: MIT */
/* Last branch records of the fake CPU, model-specific and architectural, for intel_model.c. */
#ifndef TESTS_UNIT_PMU_X86_LBR_MODEL_H
#define TESTS_UNIT_PMU_X86_LBR_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define LBR_MODEL_MOST 64U

struct lbr_model {
	unsigned format; /* LBR_FMT_*; 0: no model-specific ones */
	/* model-specific: number of records; architectural: CPUID 1CH:EAX, with one bit set */
	unsigned depth;
	bool architectural;
	uint32_t can, has;                   /* CPUID 1CH:EBX and ECX */
	uint64_t select, top, control, used; /* used: IA32_LBR_DEPTH */
	uint64_t from[LBR_MODEL_MOST], to[LBR_MODEL_MOST], info[LBR_MODEL_MOST];
};

/* Accesses by register number; false: no such register, or the value is refused. */
bool lbr_model_read(const struct lbr_model *m, uint32_t reg, uint64_t *value);
bool lbr_model_write(struct lbr_model *m, uint32_t reg, uint64_t value);

/* The words of leaf 1CH. */
uint32_t lbr_model_cpuid(const struct lbr_model *m, uint32_t word);

/* A branch in ring 0 while records are enabled: kind is a bit of MSR_LBR_SELECT, info as in
 * MSR_LBR_INFO_x. */
void lbr_model_branch(struct lbr_model *m, bool enabled, uint32_t kind, uint64_t from, uint64_t to,
                      uint64_t info);

#endif
