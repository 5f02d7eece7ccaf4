/* SPDX-License-Identifier: MIT */
/*
 * The PMU's registers by number, and its interrupt. The name of a system register is part of the
 * instruction, hence the switch statements.
 */
#include <errno.h>

#include "arch/aarch64/interrupt/gic.h"
#include "arch/aarch64/pmu/brbe.h"
#include "arch/aarch64/pmu/pmuv3.h"
#include "arch/aarch64/pmu/spe.h"
#include "arch/aarch64/sysreg.h"
#include "arch/aarch64/takeover.h"
#include "arch/pmi.h"

/* BSA (DEN0094), "PPI assignments" */
#define PPI_SPE 21U

/* F(name, encoding) for each register, C(n) for each counter. SPE's registers and PMICNTR are
 * named by encoding, because older assemblers do not know their names. */
#define READ_ONLY(F)                        \
	F(midr_el1, MIDR_EL1)               \
	F(s3_0_c9_c14_6, PMMIR_EL1)         \
	F(id_aa64dfr0_el1, ID_AA64DFR0_EL1) \
	F(id_aa64dfr1_el1, ID_AA64DFR1_EL1) \
	F(id_aa64pfr0_el1, ID_AA64PFR0_EL1) \
	F(currentel, CURRENT_EL)            \
	F(s2_1_c9_c2_0, BRBIDR0_EL1)        \
	F(s3_0_c9_c9_7, PMSIDR_EL1)         \
	F(s3_0_c9_c10_7, PMBIDR_EL1)        \
	F(pmceid0_el0, PMCEID0_EL0)         \
	F(pmceid1_el0, PMCEID1_EL0)
#define REGISTERS(F)                      \
	F(pmcr_el0, PMCR_EL0)             \
	F(pmcntenset_el0, PMCNTENSET_EL0) \
	F(pmcntenclr_el0, PMCNTENCLR_EL0) \
	F(pmovsclr_el0, PMOVSCLR_EL0)     \
	F(pmselr_el0, PMSELR_EL0)         \
	F(pmccntr_el0, PMCCNTR_EL0)       \
	F(pmxevcntr_el0, PMXEVCNTR_EL0)   \
	F(pmuserenr_el0, PMUSERENR_EL0)   \
	F(pmintenset_el1, PMINTENSET_EL1) \
	F(pmintenclr_el1, PMINTENCLR_EL1) \
	F(pmccfiltr_el0, PMCCFILTR_EL0)   \
	F(s3_3_c9_c4_0, PMICNTR_EL0)      \
	F(s3_3_c9_c6_0, PMICFILTR_EL0)    \
	F(contextidr_el1, CONTEXTIDR_EL1) \
	F(s2_1_c9_c0_0, BRBCR_EL1)        \
	F(s2_1_c9_c0_1, BRBFCR_EL1)       \
	F(s2_4_c9_c0_0, BRBCR_EL2)        \
	F(s3_0_c9_c9_0, PMSCR_EL1)        \
	F(s3_4_c9_c9_0, PMSCR_EL2)        \
	F(s3_0_c9_c9_1, PMSNEVFR_EL1)     \
	F(s3_0_c9_c9_2, PMSICR_EL1)       \
	F(s3_0_c9_c9_3, PMSIRR_EL1)       \
	F(s3_0_c9_c9_4, PMSFCR_EL1)       \
	F(s3_0_c9_c9_5, PMSEVFR_EL1)      \
	F(s3_0_c9_c9_6, PMSLATFR_EL1)     \
	F(s3_0_c9_c10_0, PMBLIMITR_EL1)   \
	F(s3_0_c9_c10_1, PMBPTR_EL1)      \
	F(s3_0_c9_c10_3, PMBSR_EL1)       \
	F(s3_0_c9_c10_4, PMSDSFR_EL1)
/* clang-format off */
#define COUNTERS(C)                                                                        \
	C(0) C(1) C(2) C(3) C(4) C(5) C(6) C(7) C(8) C(9) C(10) C(11) C(12) C(13) C(14) C(15)  \
	C(16) C(17) C(18) C(19) C(20) C(21) C(22) C(23) C(24) C(25) C(26) C(27) C(28) C(29) C(30)
/* clang-format on */

#define READ(name, number) \
	case number:       \
		return read_sysreg(name);
#define READ_COUNTER(n)       \
	case PMEVCNTR_EL0(n): \
		return read_sysreg(pmevcntr##n##_el0);
#define WRITE(name, number)                \
	case number:                       \
		write_sysreg(name, value); \
		break;
#define WRITE_COUNTER(n)                                \
	case PMEVCNTR_EL0(n):                           \
		write_sysreg(pmevcntr##n##_el0, value); \
		break;
#define READ_TYPE(n)           \
	case PMEVTYPER_EL0(n): \
		return read_sysreg(pmevtyper##n##_el0);
#define WRITE_TYPE(n)                                    \
	case PMEVTYPER_EL0(n):                           \
		write_sysreg(pmevtyper##n##_el0, value); \
		break;

static uint64_t pmu_read_counter(uint32_t reg)
{
	switch (reg) {
		COUNTERS(READ_COUNTER)
		COUNTERS(READ_TYPE)
	default:
		return 0;
	}
}

static void pmu_write_counter(uint32_t reg, uint64_t value)
{
	switch (reg) {
		COUNTERS(WRITE_COUNTER)
	default:
		break;
	}
}

static void pmu_write_type(uint32_t reg, uint64_t value)
{
	switch (reg) {
		COUNTERS(WRITE_TYPE)
	default:
		break;
	}
}

/* ---- Counters that are stopped in handlers: vectors.S ---- */

/* Entered at EL2, handlers are counted only if an event asks for EL2. */
void arch_counters_hide(uint32_t reg)
{
	if (current_el() == 2 || arm_machine.hosted)
		return;
	write_sysreg(vbar_el1, (uint64_t)(reg ? gic->vectors_el1_stopped : gic->vectors_el1));
	isb();
}

/* The saved enable bits for the return of the running handler, if it hides; else NULL. Handlers do
 * not nest, so the registers at the top of their stack belong to the running one. */
static uint64_t *pmu_counters_at_return(void)
{
	struct arch_regs *regs;

	if (!gic || arm_machine.hosted) /* the firmware's vectors are in use */
		return NULL;
	if (!read_sysreg(spsel) || read_sysreg(vbar_el1) != (uint64_t)gic->vectors_el1_stopped)
		return NULL;
	regs = (struct arch_regs *)arm_this_cpu()->exception_top - 1;
	return regs->vector == VECTOR_INTERRUPT ? &regs->counters : NULL;
}

static bool pmu_enables_at_return(uint32_t reg, uint64_t which)
{
	uint64_t *counters = pmu_counters_at_return();

	if (!counters)
		return false;
	*counters = reg == PMCNTENSET_EL0 ? *counters | which : *counters & ~which;
	return true;
}

/* ---- All registers ---- */

uint64_t arch_reg_read(uint32_t reg)
{
	switch (reg) {
		READ_ONLY(READ)
		REGISTERS(READ)
	default:
		return pmu_read_counter(reg);
	}
}

void arch_reg_write(uint32_t reg, uint64_t value)
{
	if ((reg == PMCNTENSET_EL0 || reg == PMCNTENCLR_EL0) && pmu_enables_at_return(reg, value))
		return;
	switch (reg) {
		REGISTERS(WRITE)
		WRITE(s1_1_c7_c2_4, BRB_IALL)
	default:
		if (reg >= PMEVTYPER_EL0(0))
			pmu_write_type(reg, value);
		else
			pmu_write_counter(reg, value);
	}
}

static bool pmu_is_ppi(uint32_t intid)
{
	return intid >= GIC_FIRST_PPI && intid < GIC_FIRST_SPI;
}

static bool pmu_is_spi(uint32_t intid)
{
	return intid >= GIC_FIRST_SPI && intid < GIC_FIRST_NO_INT;
}

/* ---- The performance monitor's interrupt ---- */

/* One per CPU; each CPU changes only its own. */
static struct arch_pmi_list sharers[ARCH_MAX_CPUS];
uint64_t arch_spurious[ARCH_MAX_CPUS];

static enum arch_pmi pmu_shared(const struct arch_regs *regs)
{
	return arch_pmi_list_call(&sharers[arch_cpu()], regs);
}

/* If a table names only the first CPU's interrupt and it is a PPI, it is every CPU's. */
static uint32_t pmu_interrupt(const struct arm_cpu *cpu)
{
	if (cpu->pmu_interrupt || !pmu_is_ppi(arm_cpus[0].pmu_interrupt))
		return cpu->pmu_interrupt;
	return arm_cpus[0].pmu_interrupt;
}

/* CPUs may have different interrupt numbers. */
static void pmu_handle_all(arch_pmi_fn handler)
{
	for (unsigned i = 0; i < arch_cpu_count(); i++) {
		uint32_t intid = pmu_interrupt(&arm_cpus[i]);

		if (pmu_is_ppi(intid) || pmu_is_spi(intid))
			arm_interrupt_handle(intid, handler);
	}
}

/* The handler of an interrupt is one word for all CPUs. If only one PMU handler was ever
 * registered, on any CPU, it is called directly, without walking a list. */
static void pmu_handle_for(arch_pmi_fn handler)
{
	static arch_pmi_fn called;

	called = !called || called == handler ? handler : pmu_shared;
	pmu_handle_all(called);
}

static int pmu_enable(const struct arm_cpu *cpu)
{
	uint32_t intid = pmu_interrupt(cpu);

	return pmu_is_spi(intid) ? gic->spi_enable(intid, cpu->pmu_edge)
	                         : gic->ppi_enable(intid, true);
}

static int pmu_switch_on(arch_pmi_fn handler, bool first)
{
	static uint32_t busy; /* a lock, held only briefly and with interrupts masked */
	int code = 0;

	while (arch_exchange(&busy, 1))
		arch_relax();
	pmu_handle_for(handler);
	if (first)
		code = pmu_enable(arm_this_cpu());
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	return code;
}

int arch_pmi_share(arch_pmi_fn handler)
{
	struct arch_pmi_list *list = &sharers[arch_cpu()];
	uint32_t intid = pmu_interrupt(arm_this_cpu());
	bool first = !list->count;
	int code;

	if (!pmu_is_ppi(intid) && !(pmu_is_spi(intid) && gic->spi_enable))
		return -ENOLINK;
	code = arch_pmi_list_add(list, handler);
	return code ? code : pmu_switch_on(handler, first);
}

/* Does not take the lock of pmu_switch_on(), because a handler that calls this may have interrupted
 * its holder. It writes only this interrupt's own bit. */
void arch_pmi_leave(arch_pmi_fn handler)
{
	struct arch_pmi_list *list = &sharers[arch_cpu()];
	uint32_t intid = pmu_interrupt(arm_this_cpu());
	bool any = list->count;

	arch_pmi_list_remove(list, handler);
	if (!any || list->count)
		return;
	if (pmu_is_spi(intid))
		gic->spi_disable(intid);
	else
		gic->ppi_disable(intid);
}

void arch_pmi_ack(void)
{
}

/* ---- SPE's interrupt ---- */

static arch_handler_fn trace_handler;

static enum arch_pmi pmu_traced(const struct arch_regs *regs)
{
	trace_handler(regs);
	return ARCH_PMI_MINE;
}

int arch_trace_interrupt_init(arch_handler_fn handler)
{
	uint32_t ppi = arm_machine.platform->spe_interrupt;

	ppi = pmu_is_ppi(ppi) ? ppi : PPI_SPE;
	trace_handler = handler;
	arm_interrupt_handle(ppi, pmu_traced);
	return gic->ppi_enable(ppi, true);
}
