/* SPDX-License-Identifier: MIT */
/* The machine's identity, the delay of its timer, and gaps in which no code of ours runs. */
#include "abi/trace_region.h"
#include "agent/describe.h"
#include "agent/selftest/selftest_checks.h"
#include "agent/selftest/selftest_judge.h"
#include "lib/efi/efi.h"
#include "pmu/clock/clock.h"
#include "pmu/timer.h"

#define TIMES    64U
#define LEAD_NS  100000U    /* ns from now to a deadline */
#define PATIENCE 100000000U /* ns to wait for an interrupt */
#define WATCH_NS 300000000U /* ns of watching for gaps */

/* ---- Identity ---- */

static void machine_cpu(struct selftest_report *report)
{
	struct selftest_line line = { 0 };
	struct arch_cpu_id id;

	arch_cpu_identify(&id);
	selftest_figure(&line, "cpus", arch_cpu_count());
	selftest_figure(&line, "signature", (int64_t)id.signature);
	selftest_say(&line, SELFTEST_PASS, "%u of %s%s%s (0x%lx)", arch_cpu_count(), id.vendor,
	             *id.model ? ", " : "", id.model, id.signature);
	selftest_add(report, &line, "CPU");
}

/* Gaps and inexact counts may be the hypervisor's. */
static void machine_hypervisor(struct selftest_report *report)
{
	struct selftest_line line = { 0 };

	if (!*describe_hypervisor())
		return;
	selftest_say(&line, SELFTEST_PASS, "%s: this machine is virtual", describe_hypervisor());
	selftest_add(report, &line, "hypervisor");
}

static void machine_firmware(struct selftest_report *report)
{
	struct selftest_line line = { 0 };
	const CHAR16 *from = efi_system->FirmwareVendor;
	char vendor[64] = "";

	for (unsigned i = 0; from && from[i] && i + 1 < sizeof(vendor); i++)
		vendor[i] = (char)(from[i] < 127 ? from[i] : '?');
	selftest_figure(&line, "uefi", efi_system->Hdr.Revision);
	selftest_figure(&line, "revision", efi_system->FirmwareRevision);
	selftest_say(&line, SELFTEST_PASS, "%s, revision 0x%x, UEFI %u.%u", vendor,
	             efi_system->FirmwareRevision, efi_system->Hdr.Revision >> 16,
	             (efi_system->Hdr.Revision & 0xffff) / 10);
	selftest_add(report, &line, "firmware");
}

static void machine_clock_line(struct selftest_report *report)
{
	static const char *const sources[] = { "?",         "the architecture",
		                               "CPUID 16H", "the PM timer",
		                               "the HPET",  "the hypervisor" };
	struct selftest_line line = { 0 };
	unsigned source = machine_clock.source;

	selftest_figure(&line, "hz", (int64_t)machine_clock.frequency);
	selftest_say(&line, SELFTEST_PASS, "%lu Hz, by %s", machine_clock.frequency,
	             source < sizeof(sources) / sizeof(sources[0]) ? sources[source] : "?");
	selftest_add(report, &line, "clock");
}

void selftest_machine(struct selftest_report *report)
{
	machine_cpu(report);
	machine_hypervisor(report);
	machine_firmware(report);
	machine_clock_line(report);
}

/* ---- Its timer ---- */

static struct {
	uint64_t deadline, came; /* cycles; came 0: not yet */
} expected;

static void machine_expire(struct timer *timer, const struct arch_regs *regs, uint64_t now)
{
	(void)timer;
	(void)regs;
	__atomic_store_n(&expected.came, now, __ATOMIC_RELAXED);
}

/* Wait for the timer's interrupt. Returns whether it came; *late: ns after its deadline. */
static bool machine_await_timer(int64_t *late)
{
	struct timer timer = { .expire = machine_expire };
	uint64_t start = clock_now();

	expected.came = 0;
	expected.deadline = arch_cycles() + clock_span_to_cycles(&machine_clock, LEAD_NS);
	timer_start(&timer, expected.deadline);
	arch_irq_enable();
	while (!__atomic_load_n(&expected.came, __ATOMIC_RELAXED) && clock_now() - start < PATIENCE)
		arch_relax();
	arch_irq_disable();
	timer_cancel(&timer);
	*late = (int64_t)(clock_stamp(expected.came) - clock_stamp(expected.deadline));
	return expected.came;
}

void selftest_timer(struct selftest_report *report)
{
	struct selftest_timer f = { .due = TIMES };
	struct selftest_line line = { 0 };
	int64_t late[TIMES];
	unsigned n = 0;

	while (n < TIMES && machine_await_timer(&late[n]))
		n++;
	f.late = selftest_spread_of(late, n);
	judge_timer(&f, &line);
	selftest_add(report, &line, "timer interrupt");
}

/* ---- Gaps ---- */

static void machine_watch(struct selftest_gaps *f)
{
	uint64_t start = clock_now(), last = start, now = start;

	while (now - start < WATCH_NS) {
		now = clock_now();
		if (now - last > f->longest)
			f->longest = now - last;
		if (now - last > SELFTEST_GAP) {
			f->number++;
			f->sum += now - last;
		}
		last = now;
	}
	f->watched = now - start;
}

/* Interrupts are masked, so a gap is time that firmware, a hypervisor or an emulator has taken. */
void selftest_gaps(struct selftest_report *report)
{
	struct selftest_gaps f = { 0 };
	struct selftest_line line = { 0 };
	uint64_t before, after;

	f.has_smi = arch_smi_count(&before);
	machine_watch(&f);
	if (f.has_smi && arch_smi_count(&after))
		f.smi = after - before;
	judge_gaps(&f, &line);
	selftest_add(report, &line, "gaps");
}
