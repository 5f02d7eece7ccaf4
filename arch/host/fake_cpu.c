/* SPDX-License-Identifier: MIT */
#include "arch/host/fake_cpu.h"

#include "abi/machine.h"
#include "arch/aarch64/pmu/pmuv3.h"
#include "arch/hosted.h"
#include "arch/pmi.h"
#include "arch/x86_64/pmu/perfmon.h"

uint64_t fake_stack_low, fake_stack_high;
bool fake_assumes_frames, fake_has_frame = true;
uint64_t fake_no_return, fake_leaf_return;
uint64_t fake_timer_deadline;
const char *fake_timer_lacks;

uint16_t fake_machine;
unsigned fake_cpu_number;
unsigned fake_levels = ARCH_LEVEL_USER | ARCH_LEVEL_KERNEL | ARCH_LEVEL_HYPERVISOR;
uint64_t (*fake_reg_read)(uint32_t reg);
void (*fake_reg_write)(uint32_t reg, uint64_t value);
arch_handler_fn fake_trace_interrupt;
void (*fake_trace_sync)(void);

bool fake_never_hides;

static arch_handler_fn timer_handler;

/* Per CPU: the registers that are off in handlers, and their values for the return. */
static struct {
	uint32_t reg, trace; /* 0: nothing */
	unsigned depth;
	uint64_t kept, kept_trace, trace_off;
} hidden[2];
#define here (hidden[fake_cpu_number % 2])

unsigned arch_levels(void)
{
	return fake_levels;
}

uint16_t arch_elf_machine(void)
{
	return fake_machine;
}

static bool fake_is_kept(uint32_t reg)
{
	return here.depth && reg == here.reg;
}

/* Arm has one register that sets bits and another that clears them. */
static bool fake_is_cleared(uint32_t reg)
{
	return reg == PMCNTENCLR_EL0 && fake_is_kept(PMCNTENSET_EL0);
}

static void fake_hold(void)
{
	here.kept = fake_reg_read(here.reg);
	if (here.reg == PMCNTENSET_EL0)
		fake_reg_write(PMCNTENCLR_EL0, here.kept);
	else
		fake_reg_write(here.reg, 0);
}

/* The tests link both architectures' drivers, unlike images. The simulated machine reads 0 where
 * the other architecture's drivers look for their hardware. */
static bool fake_is_elsewhere(uint32_t reg)
{
	if (reg == ID_AA64DFR0_EL1)
		return fake_machine != EM_AARCH64;
	return (reg & CPUID_WORDS) == CPUID_WORDS && fake_machine != EM_X86_64;
}

uint64_t arch_reg_read(uint32_t reg)
{
	if (fake_is_elsewhere(reg))
		return 0;
	if (fake_is_kept(reg))
		return here.kept;
	if (here.trace && reg == here.trace)
		return here.kept_trace;
	return fake_reg_read ? fake_reg_read(reg) : 0;
}

/* Outside handlers the value for the return is written at once. */
static void fake_write_trace(uint64_t value)
{
	here.kept_trace = value;
	if (!here.depth)
		fake_reg_write(here.trace, value);
}

void arch_reg_write(uint32_t reg, uint64_t value)
{
	if (fake_is_kept(reg))
		here.kept = reg == PMCNTENSET_EL0 ? here.kept | value : value;
	else if (here.trace && reg == here.trace)
		fake_write_trace(value);
	else if (fake_is_cleared(reg))
		here.kept &= ~value;
	else if (fake_reg_write)
		fake_reg_write(reg, value);
}

void arch_counters_hide(uint32_t reg)
{
	if (here.reg && here.depth)
		fake_reg_write(here.reg, here.kept);
	here.reg = fake_never_hides ? 0 : reg;
	reg = here.reg;
	if (reg && here.depth)
		fake_hold();
}

/* The work of an interrupt's entry and return. */
static void fake_handle(arch_handler_fn handler, const struct arch_regs *regs)
{
	if (here.reg && !here.depth)
		fake_hold();
	if (here.trace && !here.depth)
		fake_reg_write(here.trace, here.trace_off);
	here.depth++;
	handler(regs);
	here.depth--;
	if (here.trace && !here.depth)
		fake_reg_write(here.trace, here.kept_trace);
	if (here.reg && !here.depth)
		fake_reg_write(here.reg, here.kept);
}

bool fake_in_handler(void)
{
	return here.depth;
}

static struct arch_pmi_list sharers[2];
uint64_t arch_spurious[ARCH_MAX_CPUS];
bool fake_signalled;

static void fake_call_sharers(const struct arch_regs *regs)
{
	if (arch_pmi_list_call(&sharers[fake_cpu_number % 2], regs) != ARCH_PMI_MINE &&
	    !fake_signalled)
		arch_spurious[fake_cpu_number]++;
}

void fake_pmi(const struct arch_regs *regs)
{
	fake_handle(fake_call_sharers, regs);
}

int arch_pmi_share(arch_pmi_fn handler)
{
	return arch_pmi_list_add(&sharers[fake_cpu_number % 2], handler);
}

void arch_pmi_leave(arch_pmi_fn handler)
{
	arch_pmi_list_remove(&sharers[fake_cpu_number % 2], handler);
}

unsigned fake_pmi_sharers(void)
{
	return sharers[fake_cpu_number % 2].count;
}

void arch_pmi_ack(void)
{
}

int arch_trace_interrupt_init(arch_handler_fn handler)
{
	fake_trace_interrupt = handler;
	return 0;
}

void arch_trace_sync(void)
{
	if (fake_trace_sync)
		fake_trace_sync();
}

arch_entered_fn fake_entered;
uint32_t fake_trace_hides;
uint64_t fake_entries, fake_entries_size;
unsigned fake_trace_held;
void (*fake_spin)(uint64_t iterations);

void arch_trace_hide(uint32_t reg, arch_entered_fn entered)
{
	fake_trace_hides = reg;
	fake_entered = entered;
	if (entered)
		return; /* the model of the debug store hides by itself */
	here.kept_trace = here.trace_off = reg ? arch_reg_read(reg) : 0;
	here.trace = reg;
}

void arch_trace_entries(uint64_t *start, uint64_t *size)
{
	*start = fake_entries;
	*size = fake_entries_size;
}

void arch_trace_hold(void)
{
	fake_trace_held++;
}

void arch_trace_release(void)
{
	fake_trace_held--;
}

bool arch_trace_held(void)
{
	return fake_trace_held;
}

bool fake_nested;

bool arch_interrupts_thread(const struct arch_regs *regs)
{
	(void)regs;
	return !fake_nested;
}

const struct arch_step_ops *fake_step_ops;
unsigned fake_steps, fake_step_looks;
bool fake_no_step;
int fake_step_refuses;

bool arch_step_possible(void)
{
	return !fake_no_step;
}

int arch_step_init(const struct arch_step_ops *ops)
{
	fake_step_ops = ops;
	return fake_step_refuses;
}

void arch_step_begin(void)
{
	fake_steps++;
}

void arch_step_end(void)
{
	fake_steps--;
}

void arch_step_look(void)
{
	fake_step_looks++;
}

void arch_spin_with_frame_pointer(uint64_t frame_pointer, uint64_t iterations)
{
	(void)frame_pointer;
	if (fake_spin)
		fake_spin(iterations);
}

uint64_t arch_regs_pc(const struct arch_regs *regs)
{
	return regs->pc;
}

uint64_t arch_regs_fp(const struct arch_regs *regs)
{
	return regs->fp;
}

uint64_t arch_regs_sp(const struct arch_regs *regs)
{
	return regs->sp;
}

bool arch_regs_user(const struct arch_regs *regs)
{
	return regs->user;
}

uint64_t arch_regs_return(const struct arch_regs *regs, uint64_t low, uint64_t high)
{
	(void)regs;
	(void)low;
	(void)high;
	return 0;
}

bool arch_stack_bounds(uint64_t sp, uint64_t *low, uint64_t *high)
{
	*low = fake_stack_low;
	*high = fake_stack_high;
	return sp >= fake_stack_low && sp < fake_stack_high;
}

bool arch_hosted_assumes_frames(void)
{
	return fake_assumes_frames;
}

bool arch_hosted_has_frame(uint64_t pc, uint64_t start, uint64_t end)
{
	return fake_has_frame && pc >= start && pc < end;
}

bool arch_hosted_is_return(uint64_t ret, uint64_t start)
{
	return ret > start && ret != fake_no_return;
}

uint64_t arch_hosted_leaf_return(const struct arch_regs *regs, uint64_t start, uint64_t end,
                                 uint64_t high)
{
	return regs->pc >= start && regs->pc < end && high == fake_stack_high ? fake_leaf_return
	                                                                      : 0;
}

unsigned arch_cpu(void)
{
	return fake_cpu_number;
}

int arch_timer_init(arch_handler_fn handler)
{
	timer_handler = handler;
	fake_timer_deadline = 0;
	return 0;
}

void arch_timer_arm(uint64_t deadline)
{
	fake_timer_deadline = deadline;
}

void arch_timer_disarm(void)
{
	fake_timer_deadline = 0;
}

const char *arch_timer_lacks(void)
{
	return fake_timer_lacks;
}

unsigned fake_cpu_run(uint64_t cycles, uint64_t late, const struct arch_regs *regs)
{
	uint64_t end = host_fake_cycles + cycles;
	unsigned fired = 0;

	while (fake_timer_deadline && fake_timer_deadline + late <= end) {
		uint64_t began = host_fake_cycles = fake_timer_deadline + late;

		fake_timer_deadline = 0;
		fake_handle(timer_handler, regs);
		fired++;
		end += host_fake_cycles - began;
	}
	host_fake_cycles = end;
	return fired;
}
