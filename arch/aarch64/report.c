/* SPDX-License-Identifier: MIT */
/* An exception's description. ESR_ELx: Arm ARM DDI 0487, D17.2.37. */
#include "arch/aarch64/regs.h"
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"

static const struct {
	uint8_t class;
	const char *text;
} classes[] = {
	{ ESR_EC_UNKNOWN, "undefined instruction" },
	{ ESR_EC_ILLEGAL, "illegal execution state" },
	{ 0x07, "trapped FP or SIMD instruction" },
	{ 0x0d, "branch target exception" },
	{ 0x15, "SVC" },
	{ ESR_EC_HVC64, "HVC" },
	{ 0x17, "SMC" },
	{ ESR_EC_SYSREG, "trapped system register access" },
	{ 0x19, "trapped SVE instruction" },
	{ ESR_EC_IABT_LOWER, "instruction abort" },
	{ ESR_EC_IABT, "instruction abort" },
	{ ESR_EC_PC_ALIGN, "PC alignment fault" },
	{ ESR_EC_DABT_LOWER, "data abort" },
	{ ESR_EC_DABT, "data abort" },
	{ ESR_EC_SP_ALIGN, "SP alignment fault" },
	{ ESR_EC_FP, "floating-point exception" },
	{ ESR_EC_SERROR, "SError" },
	{ ESR_EC_BREAKPT_LOWER, "breakpoint" },
	{ ESR_EC_BREAKPT, "breakpoint" },
	{ ESR_EC_STEP_LOWER, "single step" },
	{ ESR_EC_STEP, "single step" },
	{ 0x34, "watchpoint" },
	{ 0x35, "watchpoint" },
	{ ESR_EC_BRK64, "BRK instruction" },
};

/* Fault status codes in groups of four; the two low bits are the table's level. */
static const char *const fault_groups[] = {
	", address size fault",
	", translation fault",
	", access flag fault",
	", permission fault",
	", external abort",
	", external abort",
	", ECC error",
	", ECC error",
	", alignment fault",
	", fault",
	", fault",
	", fault",
	", TLB conflict",
	", fault",
	", fault",
	", fault",
};

static char *report_append(char *at, const char *end, const char *text)
{
	while (*text && at < end)
		*at++ = *text++;
	*at = '\0';
	return at;
}

static const char *report_class_text(uint64_t class)
{
	for (unsigned i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (classes[i].class == class)
			return classes[i].text;
	}
	return "unexpected exception";
}

static bool report_is_abort(uint64_t class)
{
	return class >= ESR_EC_IABT_LOWER && class <= ESR_EC_DABT && class != ESR_EC_PC_ALIGN;
}

const char *arch_regs_cause(const struct arch_regs *regs)
{
	static char text[96];
	const char *end = text + sizeof(text) - 1;
	uint64_t class = regs->esr >> ESR_EC_SHIFT & ESR_EC_MASK;
	unsigned kind = regs->vector & VECTOR_KIND_MASK;
	char *at = text;

	if (regs->vector == VECTOR_INTERRUPT || kind == VECTOR_IRQ || kind == VECTOR_FIQ)
		return "interrupt";
	if (kind == VECTOR_SERROR)
		class = ESR_EC_SERROR;
	at = report_append(at, end, report_class_text(class));
	if (class == ESR_EC_DABT || class == ESR_EC_DABT_LOWER)
		at = report_append(at, end, regs->esr & ESR_DABT_WNR ? ", write" : ", read");
	if (report_is_abort(class))
		at = report_append(at, end, fault_groups[(regs->esr & ESR_ABT_FSC_MASK) >> 2]);
	if (regs->vector >= VECTOR_LOWER)
		report_append(at, end, ", in the payload");
	return text;
}

static uint64_t report_x(const struct arch_regs *regs, unsigned n)
{
	switch (n) {
	case 18:
		return regs->x18;
	case 29:
		return regs->fp;
	case 30:
		return regs->x30;
	default:
		return n < 18 ? regs->x[n] : regs->x19[n - 19];
	}
}

void arch_regs_print(const struct arch_regs *regs, arch_print_fn print)
{
	bool interrupt = regs->vector == VECTOR_INTERRUPT;

	for (unsigned i = 0; i < (interrupt ? 18 : 30); i += 3)
		print("x%-2u %016lx  x%-2u %016lx  x%-2u %016lx\n", i, report_x(regs, i), i + 1,
		      report_x(regs, i + 1), i + 2, report_x(regs, i + 2));
	print("x30 %016lx  sp  %016lx  pc  %016lx\n", report_x(regs, 30), arch_regs_sp(regs),
	      regs->pc);
	if (!interrupt)
		print("pstate %016lx  esr %016lx  far %016lx\n", regs->pstate, regs->esr,
		      regs->far);
}
