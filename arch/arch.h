/* SPDX-License-Identifier: MIT */
/*
 * The arch seam: all that the rest of bareperf may know about a CPU.
 * arch/x86_64/, arch/aarch64/ and arch/host/ (for tests on the host) each supply
 * every hook; one that is missing breaks the build. Nothing outside arch/ asks
 * which ISA it runs on.
 *
 * Contexts: "thread" is the boot path and the workload, "IRQ" a maskable
 * interrupt's handler, "NMI" one that cannot be masked (x86: NMI; Arm: EL2 above
 * the payload). A hook without a remark may be called from all three.
 */
#ifndef ARCH_ARCH_H
#define ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/platform.h"

/* ---- Inline hooks, supplied by <arch_inline.h> of the ISA ---- */

/* The CPU's cycle counter that clock conversion is about: TSC; CNTVCT_EL0. */
static inline uint64_t arch_cycles(void);

/* If *word is old, make it new and return true. Atomic against interrupts and NMIs on this
 * CPU only: no bus lock, no exclusive access that another CPU could see. */
static inline bool arch_cmpxchg_local(uint64_t *word, uint64_t old, uint64_t new);

/* *word += value, atomic against interrupts and NMIs on this CPU only. */
static inline void arch_add_local(uint64_t *word, uint64_t value);

/* Exchange, atomic for all observers and a full fence (store-load included). */
static inline uint32_t arch_exchange(uint32_t *word, uint32_t value);

/* A full fence for all observers of write-back memory, store-load included. */
static inline void arch_fence(void);

/* A hint that this is a spinning loop. */
static inline void arch_relax(void);

/* Mask interrupts (not NMIs) and return what restores the state before. */
static inline uint64_t arch_irq_save(void);
static inline void arch_irq_restore(uint64_t saved);

/* Whether there is I/O space: x86 has it. */
static inline bool arch_has_ports(void);

/* A byte of I/O space. An ISA that has none: FFH, as where nobody answers, and no effect. */
static inline uint8_t arch_port_read(uint16_t port);
static inline void arch_port_write(uint16_t port, uint8_t value);

/* The same of 1, 2 or 4 bytes at once. */
static inline uint32_t arch_port_read_wide(uint16_t port, unsigned bytes);
static inline void arch_port_write_wide(uint16_t port, uint32_t value, unsigned bytes);

/* Earlier writes of arch_reg_write() take effect before the following instructions. x86: no
 * instruction, WRMSR serializes enough; Arm: ISB. */
static inline void arch_reg_sync(void);

/* arch_reg_read() and arch_reg_write() of a register of the counters that its driver has found to
 * exist, for its handler: a fault is a fault. Any context. */
static inline uint64_t arch_counter_read(uint32_t reg);
static inline void arch_counter_write(uint32_t reg, uint64_t value);

/* The counter that x86's RDPMC calls selector, by that instruction; found to exist as well. Other
 * ISAs have none: 0. Any context. */
static inline uint64_t arch_rdpmc(uint32_t selector);

/* ---- Registers of the performance hardware ---- */

/* Read and write one by its number; only those that a driver names. x86: an MSR, or a word of CPUID
 * by CPUID_WORD() of arch/x86_64/pmu/perfmon.h, or what RDPMC_VALUE() says. Arm: a system register
 * by ARM_SYSREG() of arch/aarch64/pmu/pmuv3.h. A write to what does not exist has no effect, a read
 * of it is 0. */
uint64_t arch_reg_read(uint32_t reg);
void arch_reg_write(uint32_t reg, uint64_t value);

#include <arch_inline.h>

/* ---- The CPU ---- */

/* The state that an interrupt or an exception interrupted. */
struct arch_regs;

uint64_t arch_regs_pc(const struct arch_regs *regs);
uint64_t arch_regs_fp(const struct arch_regs *regs); /* RBP; X29 */
uint64_t arch_regs_sp(const struct arch_regs *regs);

/* Where a call that has just been made returns to: the word at the top of the stack [low, high) on
 * x86, X30 on Arm. Of other code any value. */
uint64_t arch_regs_return(const struct arch_regs *regs, uint64_t low, uint64_t high);

/* Have the handler that got these registers return to fn(arg), at the interrupted code's privilege
 * level, on the stack that ends at sp (16-byte aligned, that code's own), with no caller and with
 * interrupts as they were. regs are the handler's own, const for those that only look. fn does
 * not return. Only for what arch_call_payload() runs; in its exception's, interrupt's or signal's
 * handler. */
void arch_regs_redirect(const struct arch_regs *regs, void (*fn)(void *arg), void *arg,
                        uint64_t sp);

/* A frame record as the frame pointer points at it, on every ISA that we know. */
struct arch_frame {
	uint64_t next; /* the caller's frame */
	uint64_t ret;  /* return address */
};

/* The bounds [low, high) of the stack that sp lies in; false if it is none of ours.
 * Bounded and fault free for any sp. */
bool arch_stack_bounds(uint64_t sp, uint64_t *low, uint64_t *high);

/* This CPU's index, 0 for the boot CPU. */
unsigned arch_cpu(void);

/* The CPU's own description; text is NUL-terminated. Thread. */
struct arch_cpu_id {
	uint64_t hw_id;     /* APIC id; MPIDR_EL1 affinity */
	uint64_t signature; /* CPUID.01H:EAX; MIDR_EL1 */
	/* hw_id >> core_shift counts cores, >> package_shift packages; 0 and 0: unknown */
	uint32_t core_shift, package_shift;
	char vendor[16];
	char model[64];
};
void arch_cpu_identify(struct arch_cpu_id *id);

/* Bits of the physical addresses that can be accessed: the CPU's width, or our page tables' where
 * those reach less far. Thread. */
unsigned arch_address_bits(void);

/* ELF's e_machine for this ISA. */
uint16_t arch_elf_machine(void);

/* The context in which an interrupt, of whatever kind, finds what it interrupted. */
typedef void (*arch_handler_fn)(const struct arch_regs *regs);

/* ---- Owning the machine ---- */

/* Memory that must be mapped, with these rights and this type. */
enum arch_map_type {
	ARCH_MAP_CODE,        /* read, execute */
	ARCH_MAP_RODATA,      /* read */
	ARCH_MAP_DATA,        /* read, write, write-back */
	ARCH_MAP_DEVICE,      /* read, write, uncached */
	ARCH_MAP_FRAMEBUFFER, /* read, write, write-combining; Arm: normal non-cacheable */
};
struct arch_mapping {
	uint64_t address; /* identity mapped; widened to whole pages */
	uint64_t size;
	enum arch_map_type type;
};

/* Bytes of a page, as UEFI counts memory and paging maps it on either ISA. */
#define ARCH_PAGE 4096UL

/* Zeroed pages for page tables and stacks; taken while the firmware still runs. Thread. */
typedef void *(*arch_alloc_pages_fn)(size_t pages);

/* Build what take_over needs: page tables for the maps and for the ISA's own devices (interrupt
 * controller, timers), descriptor tables or vectors, stacks. Later mappings win over earlier
 * ones. platform is kept by reference. With the firmware's services. 0; -ENOMEM; -ENODEV:
 * platform has no interrupt controller that we know; -ENOTSUP: the CPU is in a mode that cannot be
 * taken over. Thread. */
int arch_prepare(const struct arch_platform *platform, const struct arch_mapping *maps,
                 unsigned count, arch_alloc_pages_fn alloc);

/* Take the CPU: save what the firmware had, load our tables, mask all interrupt sources that
 * the firmware left, switch to our stack, and call story(arg) there. Returns what story
 * returned, with the CPU still ours, on the caller's stack. Without the firmware's services. */
int arch_take_over(int (*story)(void *arg), void *arg);

/* Restore what arch_take_over() saved (docs/resident.md lists it), so that UEFI's services may be
 * called. Interrupts stay masked: what arch_irq_save() said before arch_take_over() is for
 * arch_irq_restore() now, and then comes what was on its way to the firmware. Other CPUs that were
 * not ended (arch/takeover.h) are not ours to ask any more. No effect if nothing is taken. Thread.
 *  */
void arch_give_back(void);

/* Run fn(arg) as the code that is traced and return what it returned. x86: a plain call. Arm
 * entered at EL2: at EL1, on a stack of its own, so that interrupts reach us whatever fn masks.
 * fn may call this header's hooks for time, arch_cpu() and arch_wait(), and a UART's; of the others
 * it has no need. Not nested. Thread. */
int arch_call_payload(int (*fn)(void *arg), void *arg);

/* The privilege levels with code to measure, traced or bareperf's: ARCH_LEVEL_*, perf's user,
 * kernel and hypervisor. Thread. */
#define ARCH_LEVEL_USER       (1U << 0) /* ring 3, EL0 */
#define ARCH_LEVEL_KERNEL     (1U << 1) /* ring 0, EL1 */
#define ARCH_LEVEL_HYPERVISOR (1U << 2) /* EL2 */
unsigned arch_levels(void);

/* ---- The other CPUs ---- */

/* CPUs that arch_cpu_run() can reach, and the boot CPU, which is number 0. */
unsigned arch_cpu_count(void);

/* How long a CPU may take to answer, s: a virtual one waits for its turn on a busy host. */
#define ARCH_CPU_PATIENCE 10U

/* Run fn(arg) on another CPU: as its thread, on its own stack, interrupts masked, with its own
 * timer and interrupt controller set up as on the boot CPU. Returns once fn is about to run
 * there. The CPU sleeps between two calls. In the story of arch_take_over(). 0; -EINVAL: no such
 * CPU, or the caller's own; -EBUSY: it still runs another fn; -EIO: the firmware refused;
 * -ETIMEDOUT: it did not answer within ARCH_CPU_PATIENCE. Thread. */
int arch_cpu_run(unsigned cpu, void (*fn)(void *arg), void *arg);

/* Whether the CPU has returned from fn (or never ran one); with acquire. */
bool arch_cpu_idle(unsigned cpu);

/* Have handler called on a CPU that arch_cpu_signal() names; one for all CPUs. As NMI, so that a
 * CPU which masks interrupts hears it; on Arm with GICv2 as IRQ, heard when it lets them in. */
void arch_signal_init(arch_handler_fn handler);
void arch_cpu_signal(unsigned cpu);

/* A payload's thread that waits on this CPU (<arch_wait.h>) looks again. Thread, at the payload's
 * privilege level. */
void arch_cpu_wake(unsigned cpu);

/* Clean cache lines with writes to [start, start + size) to RAM. They are there when
 * arch_memory_cleaned() returns, with all cleaning that this CPU began before. Other CPUs' writes
 * are included. Any context. */
void arch_memory_clean_begin(const void *start, size_t size);
void arch_memory_cleaned(void);

static inline void arch_memory_clean(const void *start, size_t size)
{
	arch_memory_clean_begin(start, size);
	arch_memory_cleaned();
}

/* The reason why a reset loses RAM, as far as this CPU reports it: a phrase, or NULL. Thread. */
const char *arch_memory_forgets(void);

/* ---- Time ---- */

/* The CPU's own count of system management interrupts; false: it has none. Thread. */
bool arch_smi_count(uint64_t *count);

struct arch_clock {
	uint64_t frequency; /* of arch_cycles(), Hz */
	uint16_t source;    /* enum tr_clock_source */
};

/* Find the counter's frequency, measuring if nobody says (at most 20 ms). Calibrates the
 * timer below as well. After arch_prepare(), in the story of arch_take_over().
 * 0, or -ENODEV if there is nothing to measure against. Thread. */
int arch_clock_init(struct arch_clock *clock);

/* ---- Timer and interrupts ---- */

/* Route this CPU's timer (local APIC; generic timer) to handler, disarmed. IRQ context is
 * where handler runs; it must arm the timer again if it wants more. Thread. */
int arch_timer_init(arch_handler_fn handler);

/* Interrupt when arch_cycles() reaches deadline, or at once if that is past. One deadline a
 * CPU: a second call replaces the first. Interrupts masked or IRQ. */
void arch_timer_arm(uint64_t deadline);
void arch_timer_disarm(void);

/* Why this timer has no interrupt, a phrase: then handler runs when a performance monitor's has
 * come, and the time has passed. NULL: it has one. After arch_clock_init(). Any context. */
const char *arch_timer_lacks(void);

/* The result of a handler that shares the performance monitor interrupt: the interrupt was its own,
 * or not. */
enum arch_pmi {
	ARCH_PMI_MINE = 0,
	ARCH_PMI_NOT_MINE = 2, /* a bit that no signal has: entry.S of x86 */
};
typedef enum arch_pmi (*arch_pmi_fn)(const struct arch_regs *regs);

/* Have handler called at each of this CPU's performance monitor interrupts (x86: local APIC's
 * LVTPC, as NMI; Arm: the PPI, or the SPI of this CPU's own, that the tables name), beside
 * others who take part, and let it through. Each is asked whether it was its own; arch_pmi_ack()
 * before it lets go what may interrupt again. 0, if it takes part already as well; -ENOLINK: the
 * tables name none; -ENOSPC: too many take part. Interrupts masked. */
int arch_pmi_share(arch_pmi_fn handler);

/* It takes part no more; without anybody none of them come on this CPU. Not in another's handler.
 * Interrupts masked. */
void arch_pmi_leave(arch_pmi_fn handler);

/* By CPU, interrupts that were nobody's: without a handler; or those that came while somebody took
 * part (x86: or a millisecond after) and that nobody called its own; nor, on x86 where NMIs do not
 * tell, were they another CPU's signal. Each is written by its CPU. A performance monitor's that
 * comes while nobody takes part is somebody else's, and panics. */
extern uint64_t arch_spurious[];

/* Let the next one through. x86's local APIC lets none through from one's delivery on, and loses
 * those: whoever calls it its own calls this, before it lets its counters go; for what nobody calls
 * its own it is done. Arm: nothing to do, the interrupt is a level. In such a handler. */
void arch_pmi_ack(void);

/* The same for the interrupt of hardware that writes a trace by itself. Arm: SPE's PPI, by the MADT
 * or, if that is silent, by BSA. x86: -ENODEV, there it is the performance monitor's. Thread. */
int arch_trace_interrupt_init(arch_handler_fn handler);

/* The data that such hardware has produced is in memory, and its registers show it: Arm, PSB CSYNC
 * and DSB; x86: no instruction. */
void arch_trace_sync(void);

/* ---- Handlers that neither counters nor a trace see ---- */

/* From now on this CPU's counters stand still in its handlers: reg, which switches all of them
 * (x86: IA32_PERF_GLOBAL_CTRL or AMD's; Arm: PMCNTENSET_EL0, with PMCNTENCLR_EL0), is 0 from a
 * handler's first instructions to its last, and what is written to it there takes effect at the
 * return. Arm entered at EL2: nothing to do, filters keep EL2 out of the counts. 0: reg is whose
 * it was. Interrupts masked; 0 in an IRQ or an NMI as well. */
void arch_counters_hide(uint32_t reg);

/* The known properties of an interrupt or exception. */
/* It interrupted no handler: its delivery was traced, if anything was; its return will be, and be
 * counted. */
#define ARCH_ENTERED_OUTERMOST 1U
#define ARCH_ENTERED_NMI       2U /* nothing interrupts it, and it came in no other's entry */
#define ARCH_ENTERED_ALONE     3U /* both of these */
/* It came in another's entry: that one's delivery was traced as well, and nobody has been told of
 * it but by earlier ones in the same place. */
#define ARCH_ENTERED_IN_ENTRY  4U

/* One came on cpu, the calling one, which hides its handlers, as the first thing of it. Returns
 * whether it was the trace's own performance monitor interrupt, nobody else's, and is done with,
 * arch_pmi_ack() included. Its context; not nested in itself. */
typedef bool (*arch_entered_fn)(unsigned cpu, unsigned how);

/* From now on this CPU's handlers are hidden from what traces and counts branches: between the
 * delivery and the return from an interrupt, which hardware may record, nothing is recorded or
 * counted, and what they write to the registers that control it (x86: IA32_DEBUGCTL,
 * IA32_PERF_GLOBAL_CTRL) takes effect at the return. entered, one for all CPUs, is told; NULL ends
 * it. A CPU whose handlers no trace sees anyway need do nothing. Interrupts masked; NULL in an IRQ
 * or an NMI as well. */
void arch_trace_hide(arch_entered_fn entered);

/* While the CPU hides its handlers: the same for a thread that starts or stops a trace, from the
 * return of hold to the return of release. Interrupts masked. */
void arch_trace_hold(void);
void arch_trace_release(void);

/* Is this a CPU that hides its handlers, in one of them or between hold and release? */
bool arch_trace_held(void);

/* Has the handler that got these registers interrupted a thread? Not one of our other handlers, be
 * it in its first or last steps, nor a thread between hold and release. */
bool arch_interrupts_thread(const struct arch_regs *regs);

/* Where a debugger may set a hung CPU's pc, for function, which stays; 0: no need. Thread. */
uint64_t arch_forced_stop(void (*function)(void));
/* Let interrupts in / keep them out on this CPU. Thread. */
void arch_irq_enable(void);
void arch_irq_disable(void);

/* Sleep until an interrupt; returns after it was handled. One that came before is not waited for:
 * sleep only where there is another, as with the tick. Interrupts enabled. Thread. */
void arch_wait(void);

/* Loop so many times (at least 1) with this in the frame pointer register. For wildframe. Thread.
 */
void arch_spin_with_frame_pointer(uint64_t frame_pointer, uint64_t iterations);

/* Stop this CPU for good, interrupts masked. */
_Noreturn void arch_halt(void);

/* ---- Faults ---- */

/* The registers as text, a line at a time, and what the exception was. */
typedef void (*arch_print_fn)(const char *format, ...);
void arch_regs_print(const struct arch_regs *regs, arch_print_fn print);
const char *arch_regs_cause(const struct arch_regs *regs); /* "#PF page fault, write" */

/* Supplied by lib/panic.c; called by the ISA on every exception that has no handler. It returns
 * only where the fault is the payload's, with the registers changed by arch_regs_redirect(). */
void panic_exception(const struct arch_regs *regs);

#endif
