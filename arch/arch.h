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

/* The CPU's cycle counter, on which all time is based: TSC; CNTVCT_EL0. */
static inline uint64_t arch_cycles(void);

/* Like arch_cycles(), but read after all earlier instructions: to time loads and other CPUs. */
static inline uint64_t arch_cycles_in_order(void);

/* If *word is old, make it new and return true. Atomic against interrupts and NMIs on this
 * CPU only: no bus lock, no exclusive access that another CPU could see. */
static inline bool arch_cmpxchg_local(uint64_t *word, uint64_t old, uint64_t new);

/* *word += value, atomic against interrupts and NMIs on this CPU only. */
static inline void arch_add_local(uint64_t *word, uint64_t value);

/* Exchange, atomic for all observers and a full fence (store-load included). */
static inline uint32_t arch_exchange(uint32_t *word, uint32_t value);

/* A full fence for all observers of write-back memory, store-load included. */
static inline void arch_fence(void);

/* A hint to the CPU that this is a spinning loop. */
static inline void arch_relax(void);

/* Mask interrupts (not NMIs); returns the previous state for arch_irq_restore(). */
static inline uint64_t arch_irq_save(void);
static inline void arch_irq_restore(uint64_t saved);

/* Whether the ISA has I/O ports: only x86 has. */
static inline bool arch_has_ports(void);

/* Read a byte from, or write one to, an I/O port. An ISA without ports reads FFH, as an unused port
 * does, and ignores writes. */
static inline uint8_t arch_port_read(uint16_t port);
static inline void arch_port_write(uint16_t port, uint8_t value);

/* Read 1, 2 or 4 bytes from an I/O port in one access; the same for writes. */
static inline uint32_t arch_port_read_wide(uint16_t port, unsigned bytes);
static inline void arch_port_write_wide(uint16_t port, uint32_t value, unsigned bytes);

/* Make all earlier arch_reg_write() calls take effect before the instructions that follow. x86:
 * nothing to do, as WRMSR serializes enough; Arm: ISB. */
static inline void arch_reg_sync(void);

/* arch_reg_read() and arch_reg_write() for a handler, of a counter register whose existence the
 * driver has checked: an access that faults panics. Any context. */
static inline uint64_t arch_counter_read(uint32_t reg);
static inline void arch_counter_write(uint32_t reg, uint64_t value);

/* Read a counter by x86's RDPMC with this selector; its existence was checked. Other ISAs have no
 * such instruction: 0. Any context. */
static inline uint64_t arch_rdpmc(uint32_t selector);

/* ---- Registers of the performance hardware ---- */

/* Read and write a register by its number; only numbers that a driver names are possible. x86: an
 * MSR, or by macros of arch/x86_64/pmu/: CPUID, a counter, an extended LVT entry. Arm: ARM_SYSREG()
 * of arch/aarch64/pmu/pmuv3.h. A register that does not exist takes no write and reads as 0. */
uint64_t arch_reg_read(uint32_t reg);
void arch_reg_write(uint32_t reg, uint64_t value);

#include <arch_inline.h>

/* ---- The CPU ---- */

/* The state that an interrupt or an exception interrupted. */
struct arch_regs;

uint64_t arch_regs_pc(const struct arch_regs *regs);
uint64_t arch_regs_fp(const struct arch_regs *regs); /* RBP; X29 */
uint64_t arch_regs_sp(const struct arch_regs *regs);
bool arch_regs_user(const struct arch_regs *regs); /* ring 3, EL0 */

/* The return address of a call that was just made and has built no frame yet: the word at the top
 * of the stack [low, high) on x86, X30 on Arm. At any other pc the result is meaningless. */
uint64_t arch_regs_return(const struct arch_regs *regs, uint64_t low, uint64_t high);

/* Make the handler that got these registers return to fn(arg) instead of the interrupted code: at
 * that code's privilege level, on the stack that ends at sp (16-byte aligned, that code's own),
 * without a caller, interrupts as they were. regs are the handler's own; they are const for
 * handlers that only read them. fn does not return. Only for code that arch_call_payload() runs; in
 * the handler of its exception, interrupt or signal. */
void arch_regs_redirect(const struct arch_regs *regs, void (*fn)(void *arg), void *arg,
                        uint64_t sp);

/* A frame record, to which the frame pointer points; the same on every supported ISA. */
struct arch_frame {
	uint64_t next; /* the caller's frame */
	uint64_t ret;  /* return address */
};

/* The bounds [low, high) of the stack that sp lies in. Returns false if it is no stack of ours.
 * Bounded, and safe for any sp. */
bool arch_stack_bounds(uint64_t sp, uint64_t *low, uint64_t *high);

/* This CPU's index, 0 for the boot CPU. */
unsigned arch_cpu(void);

/* The CPU's identification; texts are NUL-terminated. Thread. */
struct arch_cpu_id {
	uint64_t hw_id;     /* APIC id; MPIDR_EL1 affinity */
	uint64_t signature; /* CPUID.01H:EAX; MIDR_EL1 */
	/* hw_id >> core_shift counts cores, >> package_shift packages; 0 and 0: unknown */
	uint32_t core_shift, package_shift;
	uint32_t cache_line; /* bytes of a line of its data cache; 0: unknown */
	char vendor[16], model[64];
};
void arch_cpu_identify(struct arch_cpu_id *id);

/* The name of the hypervisor below us as the CPU or the hypervisor itself gives it: "KVM",
 * "Hyper-V", the signature of one that is not known here, or "unnamed"; "": none is known. Thread.
 */
#define ARCH_HYPERVISOR 16 /* bytes, with the NUL */
struct arch_platform;
void arch_hypervisor(const struct arch_platform *platform, char name[ARCH_HYPERVISOR]);

/* The number of physical address bits that can be accessed: the CPU's width, or that of our page
 * tables if they reach less far. Thread. */
unsigned arch_address_bits(void);

/* ELF's e_machine for this ISA. */
uint16_t arch_elf_machine(void);

/* A handler of an interrupt of any kind; regs is the interrupted state. */
typedef void (*arch_handler_fn)(const struct arch_regs *regs);

/* ---- Taking over the machine ---- */

/* Memory that must be mapped, with these rights and this type. */
enum arch_map_type {
	ARCH_MAP_CODE,        /* read, execute */
	ARCH_MAP_RODATA,      /* read */
	ARCH_MAP_DATA,        /* read, write, write-back */
	ARCH_MAP_DEVICE,      /* read, write, uncached */
	ARCH_MAP_FRAMEBUFFER, /* read, write, write-combining; Arm: normal non-cacheable */
	ARCH_MAP_SNIPPETS,    /* read, write, execute: agent/bench/; the user level executes it */
	ARCH_MAP_USER_DATA,   /* as ARCH_MAP_DATA, and for the user level too */
};
struct arch_mapping {
	uint64_t address; /* identity mapped; widened to whole pages */
	uint64_t size;
	enum arch_map_type type;
};

/* Bytes of a page: UEFI's unit of memory, and the page tables' on both ISAs. */
#define ARCH_PAGE 4096UL

/* Zeroed pages for page tables and stacks; taken while the firmware still runs. Thread. */
typedef void *(*arch_alloc_pages_fn)(size_t pages);

/* Build everything that arch_take_over() needs: page tables for the maps and for the ISA's own
 * devices (interrupt controller, timers), descriptor tables or vectors, stacks. Later mappings
 * override earlier ones. platform is kept by reference. Boot services are needed. Returns 0;
 * -ENOMEM; -ENODEV: platform has no interrupt controller that we support; -ENOTSUP: the CPU is in a
 * mode that cannot be taken over. Thread. */
int arch_prepare(const struct arch_platform *platform, const struct arch_mapping *maps,
                 unsigned count, arch_alloc_pages_fn alloc);

/* Take over the CPU: save the firmware's state, load our tables, mask all interrupt sources that
 * the firmware left on, switch to our stack, and call story(arg) there. Returns story's result on
 * the caller's stack; the CPU stays taken over. No boot services inside. */
int arch_take_over(int (*story)(void *arg), void *arg);

/* Restore what arch_take_over() saved (docs/resident.md has the list), so that UEFI's services may
 * be called again. Interrupts stay masked: now pass the value of arch_irq_save() from before
 * arch_take_over() to arch_irq_restore(); interrupts that were pending for the firmware then
 * arrive. Other CPUs that were not ended (arch/takeover.h) cannot be used any more. No effect if
 * the machine is not taken over. Thread. */
void arch_give_back(void);

/* Run fn(arg) as the traced code and return its result. x86: a plain call. Arm entered at EL2: at
 * EL1 on a stack of its own, so that our interrupts come even if fn masks interrupts. fn may use
 * this header's hooks for time, arch_cpu() and arch_wait(), and a UART's; it needs no others. Not
 * nested. Thread. */
int arch_call_payload(int (*fn)(void *arg), void *arg);

/* The privilege levels at which traced code or bareperf itself runs: ARCH_LEVEL_*. perf calls them
 * user, kernel and hypervisor. Thread. */
#define ARCH_LEVEL_USER       (1U << 0) /* ring 3, EL0 */
#define ARCH_LEVEL_KERNEL     (1U << 1) /* ring 0, EL1 */
#define ARCH_LEVEL_HYPERVISOR (1U << 2) /* EL2 */
unsigned arch_levels(void);

/* ---- The other CPUs ---- */

/* The number of CPUs: those that arch_cpu_run() can reach, and the boot CPU, which is number 0. */
unsigned arch_cpu_count(void);

/* How long to wait for a CPU to respond, s: a virtual CPU may wait for its turn on a busy host. */
#define ARCH_CPU_PATIENCE 10U

/* Run fn(arg) on another CPU, as its thread: on its own stack, interrupts masked, with its own
 * timer and interrupt controller set up as on the boot CPU. Returns once fn is about to run there.
 * The CPU sleeps between two calls. In the story of arch_take_over(). Returns 0; -EINVAL: no such
 * CPU, or the caller's own; -EBUSY: it still runs another fn; -EIO: the firmware refused to start
 * it; -ETIMEDOUT: it did not respond within ARCH_CPU_PATIENCE. Thread. */
int arch_cpu_run(unsigned cpu, void (*fn)(void *arg), void *arg);

/* Whether the CPU has returned from fn, or never ran one. Acquire order. */
bool arch_cpu_idle(unsigned cpu);

/* arch_cpu_signal(cpu) calls handler on that CPU; one handler for all CPUs. It comes as NMI, so
 * that a CPU with masked interrupts gets it; on Arm with GICv2 it comes as IRQ, once the CPU lets
 * IRQs in. */
void arch_signal_init(arch_handler_fn handler);
void arch_cpu_signal(unsigned cpu);

/* Make a payload's thread that waits on this CPU (<arch_wait.h>) check its condition again. Thread,
 * at the payload's privilege level. */
void arch_cpu_wake(unsigned cpu);

/* Start writing the caches' copies of [start, start + size) to RAM. When arch_memory_cleaned()
 * returns, everything that was started on this CPU is in RAM, including other CPUs' earlier writes
 * to it. Any context. */
void arch_memory_clean_begin(const void *start, size_t size);
void arch_memory_cleaned(void);

static inline void arch_memory_clean(const void *start, size_t size)
{
	arch_memory_clean_begin(start, size);
	arch_memory_cleaned();
}

/* Why RAM loses its content at a reset, as far as this CPU reports it: a phrase, or NULL.
 * Thread. */
const char *arch_memory_forgets(void);

/* ---- Time ---- */

/* Read the CPU's own count of system management interrupts; returns false if it has none.
 * Thread. */
bool arch_smi_count(uint64_t *count);

struct arch_clock {
	uint64_t frequency; /* frequency of arch_cycles(), Hz */
	uint16_t source;    /* enum tr_clock_source */
};

/* Find the counter's frequency; measures it (at most 20 ms) if no table or register has it.
 * Calibrates the timer below as well. After arch_prepare(), in the story of arch_take_over().
 * Returns 0, or -ENODEV if there is nothing to measure against. Thread. */
int arch_clock_init(struct arch_clock *clock);

/* ---- Timer and interrupts ---- */

/* Call handler, in IRQ context, at each interrupt of this CPU's timer (local APIC; generic timer);
 * the timer begins disarmed. The handler must arm it again for another interrupt. Thread. */
int arch_timer_init(arch_handler_fn handler);

/* Interrupt when arch_cycles() reaches deadline, or at once if that is past. One deadline a
 * CPU: a second call replaces the first. Interrupts masked or IRQ. */
void arch_timer_arm(uint64_t deadline);
void arch_timer_disarm(void);

/* Why this timer has no interrupt: a phrase; NULL: it has one. Without one, handler runs at the
 * first performance monitor interrupt after the deadline. After arch_clock_init(). Any context. */
const char *arch_timer_lacks(void);

/* The result of a handler of the shared performance monitor interrupt: its own cause, or none. */
enum arch_pmi {
	ARCH_PMI_MINE = 0,
	ARCH_PMI_NOT_MINE = 2, /* a bit that no signal uses: entry.S of x86 */
};
typedef enum arch_pmi (*arch_pmi_fn)(const struct arch_regs *regs);

/* Add handler to those that are called at each of this CPU's performance monitor interrupts, and
 * enable the interrupt (x86: local APIC's LVTPC, as NMI; Arm: the PPI, or the SPI of this CPU
 * alone, that the tables name). Every handler returns whether the interrupt was its own, and calls
 * arch_pmi_ack() before it re-enables what may interrupt again. Returns 0, also if it was added
 * before; -ENOLINK: the tables name no interrupt; -ENOSPC: too many handlers. Interrupts masked. */
int arch_pmi_share(arch_pmi_fn handler);

/* Remove handler; without handlers the interrupt is disabled on this CPU. Not in another handler.
 * Interrupts masked. */
void arch_pmi_leave(arch_pmi_fn handler);

/* Indexed by CPU: interrupts without a known cause. These had no handler; or they came while
 * performance monitor handlers were registered (x86: or up to a millisecond later) and no handler
 * found a cause of its own. On x86, where an NMI does not show its cause, another CPU's signal is
 * not counted here. Each CPU writes its own entry. A performance monitor interrupt while no handler
 * is registered belongs to someone else, and panics. */
extern uint64_t arch_spurious[];

/* Let the next performance monitor interrupt through. x86's local APIC masks it at each delivery
 * and loses those that come meanwhile; so a handler that found its own cause calls this before it
 * restarts its counters. If no handler did, the ISA's code does it. Arm: nothing to do, the
 * interrupt is a level. In such a handler. */
void arch_pmi_ack(void);

/* Set the handler of the interrupt of hardware that writes a trace by itself. Arm: SPE's PPI, from
 * the MADT or, if that has none, from BSA. x86: -ENODEV, as such hardware uses the performance
 * monitor interrupt. Thread. */
int arch_trace_interrupt_init(arch_handler_fn handler);

/* Wait until such hardware has written all its data to memory, and its registers show that. Arm:
 * PSB CSYNC and DSB; x86: nothing to do. */
void arch_trace_sync(void);

/* ---- Handlers that neither counters nor a trace see ---- */

/* From now on this CPU's counters are stopped while handlers run: the enable register reg (x86:
 * IA32_PERF_GLOBAL_CTRL or AMD's; Arm: PMCNTENSET_EL0, with PMCNTENCLR_EL0) is 0 from a handler's
 * first instructions to its last; a value that the handler writes to it takes effect at the return.
 * Arm entered at EL2: nothing to do, as filters exclude EL2. reg 0: end this. Interrupts masked; 0
 * also in an IRQ or an NMI. */
void arch_counters_hide(uint32_t reg);

/* Bits that describe an interrupt or exception. */
/* It interrupted no handler: its delivery was traced, if anything was; its return will be traced
 * and counted. */
#define ARCH_ENTERED_OUTERMOST 1U
#define ARCH_ENTERED_NMI       2U /* nothing interrupts it, and it came in no handler's entry */
#define ARCH_ENTERED_ALONE     3U /* both of these */
/* It came during another handler's entry: the delivery of that one was traced as well. The
 * entered function has not been called for that one yet, except by an earlier interrupt at the
 * same place. */
#define ARCH_ENTERED_IN_ENTRY  4U

/* Called first at each interrupt on cpu, the calling one, while its handlers are hidden. Returns
 * true if the interrupt was only the trace's own performance monitor interrupt and is completely
 * handled, arch_pmi_ack() included. In the interrupt's context; not nested in itself. */
typedef bool (*arch_entered_fn)(unsigned cpu, unsigned how);

/* From now on this CPU's handlers are hidden from hardware that traces and counts branches: between
 * the delivery and the return of an interrupt (which hardware may record) nothing is recorded or
 * counted. The trace's switch, register reg (x86: IA32_DEBUGCTL, IA32_LBR_CTL or AMD's
 * DBG_EXTN_CFG, of which the lower half is used), has in handlers the lower 16 bits that it has
 * now, when nothing is traced, and the counters' switch is 0; values that a handler writes to them
 * take effect at the return. entered, one for all CPUs, is called at each interrupt; NULL: nothing
 * is. reg 0 ends this. One trace at a time. On a CPU whose handlers no trace sees, this need not do
 * anything. Interrupts masked; 0 also in an IRQ or an NMI. */
void arch_trace_hide(uint32_t reg, arch_entered_fn entered);

/* The code [*start, *start + *size) lies between the delivery of an interrupt and its handler, or
 * between the handler and its return: a trace may have branches from or to it although handlers are
 * hidden. size 0: no trace sees handlers. Any context. */
void arch_trace_entries(uint64_t *start, uint64_t *size);

/* The same for a thread that starts or stops a trace on a CPU which hides its handlers: nothing is
 * traced from the return of hold to the return of release. Interrupts masked. */
void arch_trace_hold(void);
void arch_trace_release(void);

/* Whether this CPU hides its handlers and is in a handler, or between hold and release. */
bool arch_trace_held(void);

/* Whether the handler that got these registers interrupted a thread, and not another of our
 * handlers (its first and last instructions included) or a thread between hold and release. */
bool arch_interrupts_thread(const struct arch_regs *regs);

/* The address to which a debugger may set a hung CPU's pc to run function, which does not return;
 * 0: not needed, because traced code cannot mask our interrupts. Thread. */
uint64_t arch_forced_stop(void (*function)(void));
/* Unmask and mask interrupts on this CPU. Thread. */
void arch_irq_enable(void);
void arch_irq_disable(void);

/* Sleep until an interrupt; returns after its handler. An interrupt that came just before is
 * missed, so sleep only if another will come, as the tick does. Interrupts enabled. Thread. */
void arch_wait(void);

/* Loop so many times (at least 1) with this value in the frame pointer register, for the workload
 * wildframe. Thread. */
void arch_spin_with_frame_pointer(uint64_t frame_pointer, uint64_t iterations);

/* Stop this CPU for good, interrupts masked. */
_Noreturn void arch_halt(void);

/* ---- Faults ---- */

/* Print the registers as text, a line at a time, and the exception's cause. */
typedef void (*arch_print_fn)(const char *format, ...);
void arch_regs_print(const struct arch_regs *regs, arch_print_fn print);
const char *arch_regs_cause(const struct arch_regs *regs); /* "#PF page fault, write" */

/* Supplied by lib/panic.c; called by the ISA on every exception without a handler. It returns only
 * if the fault is the payload's; arch_regs_redirect() has then changed the registers. */
void panic_exception(const struct arch_regs *regs);

#endif
