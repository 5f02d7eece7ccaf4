/* SPDX-License-Identifier: MIT */
#include "arch/x86_64/interrupt/interrupts.h"

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/apic.h"
#include "arch/x86_64/mode.h"
#include "arch/x86_64/pmu/step.h"
#include "arch/x86_64/pmu/trace.h"
#include "arch/x86_64/registers.h"

/* Called by entry.S with interrupts masked. */
void x86_interrupt(const struct arch_regs *regs);

static arch_handler_fn handlers[256] = { [VECTOR_GP] = x86_general_protection };
static uint64_t foreign[256 / 64]; /* vectors of the firmware's interrupts that came to us */

void interrupts_set_handler(unsigned vector, arch_handler_fn handler)
{
	handlers[vector] = handler;
}

/* Keep an interrupt that the local APIC serves and that no handler of ours wants: it was on its way
 * to the firmware. A level-triggered one comes again by itself. */
static bool interrupts_keep(unsigned vector)
{
	if (arch_cpu() != 0 || vector == VECTOR_SPURIOUS || !apic_in_service(vector) ||
	    apic_by_level(vector))
		return false;
	foreign[vector / 64] |= 1ULL << vector % 64;
	return true;
}

void interrupts_give_back(void)
{
	for (unsigned vector = FIRST_INTERRUPT; vector < 256; vector++)
		if (foreign[vector / 64] >> vector % 64 & 1)
			apic_send(apic_id(), vector | APIC_ICR_ASSERT);
	for (unsigned i = 0; i < 256 / 64; i++)
		foreign[i] = 0;
}

void x86_interrupt(const struct arch_regs *regs)
{
	unsigned vector = (unsigned)regs->vector & 0xff;
	arch_handler_fn handler = handlers[vector];

	if (x86_trace[arch_cpu()].informs)
		trace_interrupted(arch_cpu(), regs, 0);
	if (vector < FIRST_INTERRUPT) {
		if (handler)
			handler(regs);
		else
			panic_exception(regs);
		return;
	}
	if (handler) {
		handler(regs);
	} else if (vector != VECTOR_WORK && !interrupts_keep(vector)) {
		arch_add_local(&arch_spurious[arch_cpu()], 1);
	}
	/* An interrupt of the legacy controllers is not in service here. */
	if (vector != VECTOR_SPURIOUS && (handler || apic_in_service(vector)))
		apic_eoi();
}

/* Set up the stack and the flags as the ABI demands at a call. */
void arch_regs_redirect(const struct arch_regs *regs, void (*fn)(void *arg), void *arg, uint64_t sp)
{
	struct arch_regs *r = (struct arch_regs *)(uintptr_t)regs;

	step_forget();
	r->rip = (uint64_t)fn;
	r->rdi = (uint64_t)arg;
	r->rsp = sp - 8;
	r->rbp = 0;
	r->rflags = RFLAGS_FIXED | (r->rflags & (RFLAGS_IF | RFLAGS_TF));
	if (r->cs & 3) { /* from ring 3; fn is ours */
		r->cs = GDT_CODE;
		r->ss = GDT_DATA;
	}
}

/* SDM volume 3A, 4.7: P = bit 0, W/R = 1, RSVD = 3, I/D = 4 */
static const char *interrupts_page_fault_cause(uint64_t error)
{
	if (error & (1U << 3))
		return "#PF page fault, reserved bit in a page table";
	if (error & (1U << 4))
		return error & 1 ? "#PF page fault, execution of data"
		                 : "#PF page fault, execution of an unmapped page";
	if (error & (1U << 1))
		return error & 1 ? "#PF page fault, write to a read-only page"
		                 : "#PF page fault, write to an unmapped page";
	return error & 1 ? "#PF page fault, read" : "#PF page fault, read of an unmapped page";
}

const char *arch_regs_cause(const struct arch_regs *regs)
{
	static const char *const causes[FIRST_INTERRUPT] = {
		[0] = "#DE divide error",
		[1] = "#DB debug exception",
		[2] = "NMI without a handler",
		[3] = "#BP breakpoint",
		[4] = "#OF overflow",
		[5] = "#BR bound range exceeded",
		[6] = "#UD invalid opcode",
		[7] = "#NM no floating-point unit",
		[8] = "#DF double fault, most likely a stack overflow",
		[10] = "#TS invalid task state segment",
		[11] = "#NP segment not present",
		[12] = "#SS stack-segment fault",
		[13] = "#GP general protection fault",
		[16] = "#MF x87 floating-point error",
		[17] = "#AC alignment check",
		[18] = "#MC machine check",
		[19] = "#XM SIMD floating-point exception",
		[20] = "#VE virtualization exception",
		[21] = "#CP control protection exception",
	};

	if (regs->vector == VECTOR_PF)
		return interrupts_page_fault_cause(regs->error);
	if (regs->vector < FIRST_INTERRUPT && causes[regs->vector])
		return causes[regs->vector];
	return "unexpected exception";
}

void arch_regs_print(const struct arch_regs *regs, arch_print_fn print)
{
	uint64_t cr2;

	__asm__ volatile("movq %%cr2, %0" : "=r"(cr2));
	print("vector %lu  error %lx  cr2 %016lx  cr3 %016lx\n", regs->vector, regs->error, cr2,
	      x86_read_cr3());
	print("rip %016lx  rsp %016lx  rflags %08lx  cs %02lx  ss %02lx\n", regs->rip, regs->rsp,
	      regs->rflags, regs->cs, regs->ss);
	print("rax %016lx  rbx %016lx  rcx %016lx  rdx %016lx\n", regs->rax, regs->rbx, regs->rcx,
	      regs->rdx);
	print("rsi %016lx  rdi %016lx  rbp %016lx  r8  %016lx\n", regs->rsi, regs->rdi, regs->rbp,
	      regs->r8);
	print("r9  %016lx  r10 %016lx  r11 %016lx  r12 %016lx\n", regs->r9, regs->r10, regs->r11,
	      regs->r12);
	print("r13 %016lx  r14 %016lx  r15 %016lx\n", regs->r13, regs->r14, regs->r15);
}

void arch_irq_enable(void)
{
	x86_mode->irq_enable();
}

void arch_irq_disable(void)
{
	x86_mode->irq_disable();
}

void arch_wait(void)
{
	__asm__ volatile("hlt" : : : "memory");
}

_Noreturn void arch_halt(void)
{
	for (;;)
		__asm__ volatile("cli; hlt" : : : "memory");
}
