/* SPDX-License-Identifier: MIT */
#include "lib/survey/survey_machine.h"

#include "lib/survey/survey_spread.h"

#define PS 1000000000000ULL /* in a second */
#define NS 1000000000ULL

/* Picoseconds per item, of so many items that took so many cycles. */
static uint64_t survey_ps(const struct survey *s, uint64_t cycles, uint64_t items)
{
	return (uint64_t)((unsigned __int128)cycles * PS / s->hz / items);
}

static uint64_t survey_cycles(const struct survey *s, uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * s->hz / NS);
}

static uint64_t survey_ns(const struct survey *s, uint64_t cycles)
{
	return (uint64_t)((unsigned __int128)cycles * NS / s->hz);
}

void survey_take_map(const struct survey_machine *machine, struct survey *s, unsigned rounds,
                     uint64_t budget)
{
	uint64_t start = machine->cycles(), limit = survey_cycles(s, budget);
	uint64_t cycles[SURVEY_BATCHES];

	for (unsigned a = 1; a < s->cpus; a++) {
		for (unsigned b = 0; b < a && machine->cycles() - start < limit; b++) {
			unsigned n = machine->round_trips(b, a, rounds, cycles, SURVEY_BATCHES);

			s->pairs[survey_pair(a, b)] =
			    survey_ps(s, survey_median(cycles, n), rounds);
			machine->beat();
		}
	}
}

void survey_take_ladder(const struct survey_machine *machine, struct survey *s, uint64_t most,
                        uint64_t loads)
{
	uint64_t cycles[SURVEY_BATCHES];

	s->nr_points = 0;
	for (uint64_t power = SURVEY_LEAST; power <= most; power *= 2) {
		for (uint64_t bytes = power; bytes <= most && bytes < 2 * power;
		     bytes += power / 2) {
			unsigned n = machine->chase(bytes, loads, cycles, SURVEY_BATCHES);

			if (!n || s->nr_points == SURVEY_SIZES)
				return;
			s->points[s->nr_points++] =
			    (struct survey_point){ bytes,
				                   survey_ps(s, survey_median(cycles, n), loads) };
			machine->beat();
		}
	}
}

void survey_take_interrupts(struct survey *s, uint64_t *events, unsigned count, uint64_t ps)
{
	const struct survey_spread *skid = &s->skid;

	s->skid = survey_spread_of(events, count);
	s->late = (struct survey_spread){ count,
		                          skid->min * ps / 1000,
		                          skid->p10 * ps / 1000,
		                          skid->median * ps / 1000,
		                          skid->p90 * ps / 1000,
		                          skid->max * ps / 1000 };
	for (unsigned i = 0; i < SURVEY_BUCKETS; i++)
		s->histogram[i] = 0;
	for (unsigned i = 0; i < count; i++)
		s->histogram[survey_bucket(events[i])]++;
}

/* ---- Noise ---- */

/* Account for a gap of so many ns. causes are the counts before it, and become those after it. */
static void survey_note_gap(const struct survey_look *look, uint64_t ns, uint32_t causes[2],
                            struct survey_noise *noise)
{
	uint32_t smi, nmi;

	look->causes(&smi, &nmi);
	noise->smi += smi - causes[0];
	noise->nmi += nmi - causes[1];
	noise->hw += smi == causes[0] && nmi == causes[1];
	if (smi != causes[0] && ns > noise->max_smi)
		noise->max_smi = ns;
	if (ns > noise->max_single)
		noise->max_single = ns;
	causes[0] = smi;
	causes[1] = nmi;
}

void survey_watch(const struct survey_look *look, const struct survey *s, unsigned periods,
                  struct survey_noise *noise)
{
	uint64_t threshold = survey_cycles(s, s->threshold), period = survey_cycles(s, s->period);
	uint32_t causes[2];

	*noise = (struct survey_noise){ 0 };
	look->causes(&causes[0], &causes[1]);
	for (; noise->periods < periods; noise->periods++) {
		uint64_t start = look->cycles(), last = start, now, taken = 0;

		do {
			now = look->cycles();
			if (now - last > threshold) {
				taken += now - last;
				survey_note_gap(look, survey_ns(s, now - last), causes, noise);
				now = look->cycles(); /* not the time of survey_note_gap() */
			}
			last = now;
		} while (now - start < period);
		noise->runtime += survey_ns(s, now - start);
		noise->noise += survey_ns(s, taken);
		if (survey_ns(s, taken) > noise->max_noise)
			noise->max_noise = survey_ns(s, taken);
		if (look->beat)
			look->beat();
	}
}
