/* SPDX-License-Identifier: MIT */
/*
 * The part of RAM that survives a reset: each self-test leaves marks all over unused RAM, and looks
 * for the marks of the last one. A mark is a page that contains its own address, the boot that
 * wrote it, and the addresses of the others. With one wrong word it counts as lost.
 */
#include <errno.h>
#include <string.h>

#include "agent/selftest/selftest.h"
#include "agent/selftest/selftest_checks.h"
#include "agent/selftest/selftest_judge.h"
#include "lib/efi/efi.h"
#include "lib/memory/memory.h"
#include "lib/platform.h"
#include "lib/syscalls.h"

#define MAGIC      0x4b52414d54464c53ULL /* the bytes "SLFTMARK" */
#define MARKS      64U
#define STEP_LEAST (16U << 20)
#define WORDS      (ARCH_PAGE / 8)
#define PATTERN    (4 + MARKS) /* index of the pattern's first word */

struct mark {
	uint64_t magic;
	uint64_t nonce; /* identifies the boot that wrote it */
	uint64_t epoch; /* seconds: the start of our image in that boot */
	uint64_t number;
	uint64_t places[MARKS];
	uint64_t pattern[WORDS - PATTERN];
};
_Static_assert(sizeof(struct mark) == ARCH_PAGE, "struct mark");

static bool was_reset; /* this boot follows on a reset that --reset asked for */

/* Identifies the machine's last boot. A resident image is started many times in one boot. */
static uint64_t machine_boot;

/* ---- Marks ---- */

/* Word i of a mark's pattern: splitmix64 of its address and its boot. */
static uint64_t selftest_mark_word(const struct mark *mark, uint64_t i)
{
	uint64_t z = mark->nonce + (uintptr_t)mark + i * 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static bool selftest_mark_is_whole(const struct mark *mark)
{
	bool whole = mark->magic == MAGIC && mark->number && mark->number <= MARKS;

	for (uint64_t i = 0; whole && i < WORDS - PATTERN; i++)
		whole = mark->pattern[i] == selftest_mark_word(mark, i);
	return whole;
}

/* Write a mark, and clean it to memory: dirty cache lines do not survive a reset. */
static void selftest_mark_write(struct mark *mark, const uint64_t *places, uint64_t number)
{
	mark->magic = MAGIC;
	mark->nonce = machine_boot;
	mark->epoch = boot_entry()->epoch;
	mark->number = number;
	memcpy(mark->places, places, sizeof(mark->places));
	for (uint64_t i = 0; i < WORDS - PATTERN; i++)
		mark->pattern[i] = selftest_mark_word(mark, i);
	arch_memory_clean(mark, sizeof(*mark));
}

/* ---- Places ---- */

/* Whether a mark may be here: not in the heap, nor in memory that the heap may soon grow into. */
static bool selftest_place_is_free(uint64_t address)
{
	uint64_t heap, heap_size, unused;
	void *start;

	memory_heap(&start, &heap_size);
	heap = (uintptr_t)start;
	if (address + ARCH_PAGE <= heap || address >= heap + heap_size)
		return true;
	syscalls_set_heap(&start, &unused);
	syscalls_take_heap_back(0);
	return address >= (uintptr_t)start + unused / 4;
}

/* The distance of the marks. It is the same in each boot if the same memory is free. */
static uint64_t selftest_places_step(void)
{
	uint64_t step = STEP_LEAST;

	while (step * MARKS < memory_size())
		step *= 2;
	return step;
}

static unsigned selftest_find_places(uint64_t places[MARKS])
{
	uint64_t start, size, step = selftest_places_step();
	unsigned n = 0;

	memset(places, 0, MARKS * sizeof(*places));
	for (unsigned i = 0; memory_unused(i, &start, &size); i++) {
		uint64_t at = (start + step - 1) & ~(step - 1);

		for (; at + ARCH_PAGE <= start + size && n < MARKS; at += step) {
			if (at >= STEP_LEAST && selftest_place_is_free(at))
				places[n++] = at;
		}
	}
	return n;
}

/* ---- The check ---- */

/* The mark of the latest boot, or NULL. */
static const struct mark *selftest_marks_latest(const uint64_t *places, unsigned number)
{
	const struct mark *latest = NULL;

	for (unsigned i = 0; i < number; i++) {
		const struct mark *mark = (const struct mark *)places[i];

		if (selftest_mark_is_whole(mark) && (!latest || mark->epoch > latest->epoch))
			latest = mark;
	}
	return latest;
}

static bool selftest_place_is_among(uint64_t address, const uint64_t *places, unsigned number)
{
	for (unsigned i = 0; i < number; i++) {
		if (places[i] == address)
			return true;
	}
	return false;
}

/* Memory that is in use by now counts as lost, since a recording there would be lost. */
static void selftest_marks_look(const uint64_t *places, unsigned number, struct selftest_marks *f)
{
	const struct mark *latest = selftest_marks_latest(places, number);

	f->was_reset = was_reset;
	if (!latest)
		return;
	f->left = (unsigned)latest->number;
	f->same_boot = latest->nonce == machine_boot;
	for (unsigned i = 0; i < f->left; i++) {
		const struct mark *mark = (const struct mark *)latest->places[i];
		bool kept = selftest_place_is_among(latest->places[i], places, number) &&
		            selftest_mark_is_whole(mark) && mark->nonce == latest->nonce;

		f->found += kept;
		if (!kept && !f->first_lost)
			f->first_lost = latest->places[i];
	}
}

void selftest_marks(struct selftest_report *report)
{
	uint64_t places[MARKS];
	unsigned number = selftest_find_places(places);
	struct selftest_marks f = { 0 };
	struct selftest_line line = { 0 };

	selftest_marks_look(places, number, &f);
	judge_marks(&f, &line);
	selftest_add(report, &line, "RAM after a reset");
	for (unsigned i = 0; i < number; i++)
		selftest_mark_write((struct mark *)places[i], places, number);
}

/* ---- The reset ---- */

#define VARIABLE_GUID                                                  \
	{                                                              \
		0x5bd2a7ee, 0x9a3c, 0x4b0e,                            \
		{                                                      \
			0x8d, 0x1f, 0x63, 0x5e, 0x2b, 0x90, 0xc7, 0x14 \
		}                                                      \
	}
#define VARIABLE_KIND (EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS)

/* Note this boot in a variable that the firmware forgets only at a reset. Without variables, each
 * start of the image counts as a boot. */
void selftest_note_boot(void)
{
	static CHAR16 name[] = L"BareperfBoot";
	EFI_GUID guid = VARIABLE_GUID;
	UINTN size = sizeof(machine_boot);
	EFI_RUNTIME_SERVICES *services = efi_system->RuntimeServices;

	if (!EFI_ERROR(services->GetVariable(name, &guid, NULL, &size, &machine_boot)) &&
	    size == sizeof(machine_boot))
		return;
	machine_boot = boot_entry()->cycles ^ boot_entry()->epoch << 32;
	services->SetVariable(name, &guid, EFI_VARIABLE_BOOTSERVICE_ACCESS, sizeof(machine_boot),
	                      &machine_boot);
}

/* Whether there are marks of another boot: then there was a reset, for any reason. */
static bool selftest_marks_are_there(void)
{
	uint64_t places[MARKS];
	unsigned number = selftest_find_places(places);
	const struct mark *latest = selftest_marks_latest(places, number);

	return latest && latest->nonce != machine_boot;
}

int selftest_reset_is_due(void)
{
	static CHAR16 name[] = L"BareperfSelftestReset";
	EFI_GUID guid = VARIABLE_GUID;
	uint8_t value = 1;
	UINTN size = sizeof(value);
	EFI_RUNTIME_SERVICES *services = efi_system->RuntimeServices;

	was_reset = !EFI_ERROR(services->GetVariable(name, &guid, NULL, &size, &value));
	if (was_reset)
		services->SetVariable(name, &guid, VARIABLE_KIND, 0, NULL);
	if (was_reset ||
	    selftest_marks_are_there()) /* some firmware loses its variables at a reset */
		return 0;
	return EFI_ERROR(services->SetVariable(name, &guid, VARIABLE_KIND, sizeof(value), &value))
	           ? -EACCES
	           : 1;
}
