/* SPDX-License-Identifier: MIT */
#include "agent/selftest/selftest_survey.h"

#include <string.h>

#include "abi/machine.h"
#include "arch/arch.h"
#include "lib/efi/efi.h"
#include "lib/print.h"
#include "lib/survey/survey_machine.h"
#include "pmu/clock/clock.h"

#define THRESHOLD 1000U          /* ns: shorter steps of the clock are no noise */
#define PERIOD    100000000U     /* ns */
#define BUDGET    30000000000ULL /* ns for all pairs of CPUs */

/* An emulator's figures mean nothing, so there the survey only shows that each measurement works.
 * */
static const struct survey_effort {
	unsigned rounds, periods;
	uint64_t loads, most, read_ns;
} efforts[] = {
	{ .rounds = 200, .periods = 5, .loads = 131072, .most = SURVEY_MOST, .read_ns = 20000000 },
	{ .rounds = 5, .periods = 2, .loads = 2048, .most = 65536, .read_ns = 1000000 },
};

static void survey_firmware(struct survey *s)
{
	const CHAR16 *from = efi_system->FirmwareVendor;
	char vendor[40] = "";

	for (unsigned i = 0; from && from[i] && i + 1 < sizeof(vendor); i++)
		vendor[i] = (char)(from[i] < 127 ? from[i] : '?');
	print_text(s->firmware, sizeof(s->firmware), "%s 0x%x, UEFI %u.%u", vendor,
	           efi_system->FirmwareRevision, efi_system->Hdr.Revision >> 16,
	           (efi_system->Hdr.Revision & 0xffff) / 10);
}

void selftest_identify(struct survey *s)
{
	struct arch_cpu_id id;

	arch_cpu_identify(&id);
	memcpy(s->vendor, id.vendor, sizeof(s->vendor));
	memcpy(s->model, id.model, sizeof(s->model));
	s->signature = id.signature;
	s->hz = machine_clock.frequency;
	s->cpus = arch_cpu_count();
	s->threshold = THRESHOLD;
	s->period = PERIOD;
	print_text(s->architecture, sizeof(s->architecture), "%s",
	           arch_elf_machine() == EM_X86_64 ? "x86_64" : "aarch64");
	print_text(s->producer, sizeof(s->producer), "%s", BAREPERF_VERSION);
	print_text(s->hypervisor, sizeof(s->hypervisor), "%s", describe_hypervisor());
	print_text(s->emulator, sizeof(s->emulator), "%s",
	           selftest_is_emulated() ? "QEMU's TCG" : "");
	survey_firmware(s);
}

static uint64_t survey_now(void)
{
	return arch_cycles();
}

void selftest_survey(struct selftest_report *report)
{
	const struct survey_effort *effort = &efforts[selftest_is_emulated() ? 1 : 0];
	const struct survey_machine machine = { selftest_round_trips, selftest_chase, survey_now,
		                                report->beat };
	struct survey *s = report->survey;

	selftest_identify(s);
	survey_take_map(&machine, s, effort->rounds, BUDGET);
	survey_take_ladder(&machine, s, selftest_memory_open(effort->most), effort->loads);
	selftest_bandwidth(s, effort->read_ns, report->beat);
	selftest_memory_close();
	selftest_noise(s, effort->periods, report->beat);
}

static void survey_note_failure(struct survey *s, const struct selftest_line *line)
{
	struct survey_failure *to = &s->failures[s->nr_failures];

	if (line->verdict != SELFTEST_FAIL || s->nr_failures == SURVEY_FAILURES)
		return;
	print_text(to->check, sizeof(to->check), "%s", line->check);
	print_text(to->text, sizeof(to->text), "%s", line->text);
	s->nr_failures++;
}

void selftest_survey_verdicts(struct selftest_report *report)
{
	struct survey *s = report->survey;

	s->passed = report->verdicts[SELFTEST_PASS];
	s->failed = report->verdicts[SELFTEST_FAIL];
	s->absent = report->verdicts[SELFTEST_ABSENT];
	for (unsigned i = 0; i < report->nr_lines; i++)
		survey_note_failure(s, &report->lines[i]);
}
