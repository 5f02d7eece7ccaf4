/* SPDX-License-Identifier: MIT */
#include "arch/x86_64/time/hpet.h"

#include "arch/x86_64/legacy.h"
#include "arch/x86_64/platform.h"

#define LEAST_TICKS 64U        /* 6.4 us at 10 MHz: a nearer deadline may be past when it is set */
#define MOST_TICKS  (1U << 30) /* farther a 32-bit counter mixes up past and future */
#define NO_INPUT    UINT32_MAX

static struct {
	bool claimed, armed, started;
	unsigned timer, input;
	uint32_t due;            /* the counter's value at the deadline */
	uint32_t config;         /* the comparator's former configuration */
	uint32_t redirection[2]; /* the input's former entry */
} hpet;

uint32_t hpet_read(unsigned offset)
{
	return *(volatile uint32_t *)(x86_platform->hpet + offset);
}

void hpet_write(unsigned offset, uint32_t value)
{
	*(volatile uint32_t *)(x86_platform->hpet + offset) = value;
}

uint64_t hpet_rate(void)
{
	uint32_t period;

	if (x86_platform->hpet == 0)
		return 0;
	period = hpet_read(HPET_PERIOD);
	return period == 0 || period > HPET_PERIOD_MAX ? 0 : HPET_FEMTOSECONDS / period;
}

bool hpet_start(void)
{
	uint32_t config = hpet_read(HPET_CONFIG);

	if (config & HPET_RUNS)
		return false;
	hpet_write(HPET_CONFIG, config | HPET_RUNS);
	return true;
}

/* ---- Claiming ---- */

/* The inputs of the I/O APIC in the order in which they are tried. No device is wired beyond the
 * first 24. Of the rest, those shared by the fewest devices come first, the PIT's and the RTC's
 * last. Input 9 is ACPI's; the others below 16 belong to a PC's oldest devices. */
static const uint8_t inputs[] = { 31, 30, 29, 28, 27, 26, 25, 24, 11, 10, 5,
	                          23, 22, 21, 20, 19, 18, 17, 16, 12, 8,  2 };

/* Whether the input is masked in the I/O APIC and, if the 8259s have it too, in those. */
static bool hpet_input_is_free(unsigned input)
{
	return input < ioapic_inputs(0) &&
	       ioapic_read(0, IOAPIC_REDIRECT + 2 * input) & IOAPIC_MASKED &&
	       (input >= PIC_INPUTS || pic_is_masked(input));
}

static uint32_t hpet_find_input(unsigned timer)
{
	uint32_t reaches = hpet_read(HPET_TIMER(timer) + HPET_TIMER_INPUTS);

	for (unsigned i = 0; i < sizeof(inputs); i++)
		if (reaches >> inputs[i] & 1 && hpet_input_is_free(inputs[i]))
			return inputs[i];
	return NO_INPUT;
}

/* From the last comparator down: firmware and boot loaders use the first ones. */
static bool hpet_find_timer(bool *any)
{
	unsigned first = hpet_read(HPET_CONFIG) & HPET_LEGACY ? 2 : 0;

	for (unsigned n = (hpet_read(HPET_CAPABILITIES) >> HPET_LAST_TIMER & 0x1f) + 1;
	     n-- > first;) {
		if (hpet_read(HPET_TIMER(n)) & HPET_TIMER_ENABLE)
			continue;
		*any = true;
		hpet.timer = n;
		hpet.input = hpet_find_input(n);
		if (hpet.input != NO_INPUT)
			return true;
	}
	return false;
}

static void hpet_route(uint32_t apic_id)
{
	unsigned reg = IOAPIC_REDIRECT + 2 * hpet.input;
	uint32_t config = hpet_read(HPET_TIMER(hpet.timer));

	hpet.redirection[0] = ioapic_read(0, reg);
	hpet.redirection[1] = ioapic_read(0, reg + 1);
	hpet.config = config;
	config &=
	    ~(HPET_TIMER_LEVEL | HPET_TIMER_REPEATS | HPET_TIMER_FSB | 0x1fU << HPET_TIMER_ROUTE);
	hpet_write(HPET_TIMER(hpet.timer), config | HPET_TIMER_32 | hpet.input << HPET_TIMER_ROUTE);
	ioapic_write(0, reg + 1, apic_id << 24);
	ioapic_write(0, reg, IOAPIC_NMI); /* edge, active high, physical destination */
}

#define NONE(why) "no timer that the firmware leaves to us: " why
#define REFUSAL(why)                                                          \
	{                                                                     \
		NONE(why), NONE(why) ": the CPU's counters sample instead " \
		                     "(-e cycles), but not while it halts" \
	}
static const struct hpet_refusal no_hpet = REFUSAL("ACPI names no HPET");
static const struct hpet_refusal no_ioapic = REFUSAL("ACPI names no I/O APIC");
static const struct hpet_refusal no_name =
    REFUSAL("the boot CPU's APIC id is beyond what an I/O APIC can name");
static const struct hpet_refusal no_input =
    REFUSAL("every input of the I/O APIC that the HPET reaches is in use");
static const struct hpet_refusal no_comparator =
    REFUSAL("all of the HPET's comparators are in use");

const struct hpet_refusal *hpet_claim(uint32_t apic_id)
{
	bool any = false;

	if (hpet_rate() == 0)
		return &no_hpet;
	if (x86_platform->ioapic_count == 0)
		return &no_ioapic;
	if (apic_id > 0xff)
		return &no_name;
	if (!hpet_find_timer(&any))
		return any ? &no_input : &no_comparator;
	hpet.started = hpet_start();
	hpet_route(apic_id);
	hpet.claimed = true;
	return NULL;
}

bool hpet_is_claimed(void)
{
	return hpet.claimed;
}

void hpet_release(void)
{
	unsigned reg = IOAPIC_REDIRECT + 2 * hpet.input;

	hpet_disarm();
	hpet_write(HPET_TIMER(hpet.timer), hpet.config);
	ioapic_write(0, reg, hpet.redirection[0]);
	ioapic_write(0, reg + 1, hpet.redirection[1]);
	if (hpet.started)
		hpet_write(HPET_CONFIG, hpet_read(HPET_CONFIG) & ~HPET_RUNS);
	hpet.claimed = false;
}

/* ---- Deadlines ---- */

static bool hpet_is_past(uint32_t due)
{
	return (int32_t)(hpet_read(HPET_COUNTER) - due) >= 0;
}

/* The NMI may come as soon as the comparator is set, and set a new deadline itself: then the new
 * one stays. The flags are set before, or the NMI's handler would not take it for ours and not arm
 * it again. */
static void hpet_set(uint32_t due)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&hpet.due, due, __ATOMIC_RELAXED);
	__atomic_store_n(&hpet.armed, true, __ATOMIC_RELAXED);
	do {
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		due = __atomic_load_n(&hpet.due, __ATOMIC_RELAXED);
		hpet_write(HPET_TIMER(hpet.timer) + HPET_TIMER_AT, due);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (due != __atomic_load_n(&hpet.due, __ATOMIC_RELAXED));
}

/* A comparator that is set behind the counter fires only after the counter has wrapped, so it is
 * set again, farther each time. It is not known whether the first setting fired. */
void hpet_arm(uint32_t ticks)
{
	uint32_t config = hpet_read(HPET_TIMER(hpet.timer)), least = LEAST_TICKS, now;

	ticks = ticks < MOST_TICKS ? ticks : MOST_TICKS;
	for (;;) {
		now = hpet_read(HPET_COUNTER);
		hpet_set(now + (ticks > least ? ticks : least));
		if (!(config & HPET_TIMER_ENABLE))
			hpet_write(HPET_TIMER(hpet.timer), config |= HPET_TIMER_ENABLE);
		if (!hpet_is_past(hpet.due) || least >= MOST_TICKS)
			break;
		least *= 2;
		ticks = least;
	}
}

void hpet_disarm(void)
{
	uint32_t config = hpet_read(HPET_TIMER(hpet.timer));

	hpet_write(HPET_TIMER(hpet.timer), config & ~HPET_TIMER_ENABLE);
	hpet.armed = false;
}

bool hpet_has_fired(void)
{
	if (!hpet.armed || !hpet_is_past(hpet.due - LEAST_TICKS))
		return false;
	hpet.armed = false;
	return true;
}
