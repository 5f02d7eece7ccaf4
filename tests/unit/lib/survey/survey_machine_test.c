/* SPDX-License-Identifier: MIT */
/*
 * A survey of a machine with known latencies: two sockets, cores with two threads, caches of given
 * sizes, SMIs of known length. The limits are: a pair's round trip within 3 %; a cache's size
 * exact, its latency within 10 %; a gap's length within one read of the clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/survey/survey_machine.h"
#include "lib/survey/survey_shape.h"
#include "lib/survey/survey_spread.h"

#define HZ     2000000000ULL /* 2 cycles per ns */
#define LOOK   40U           /* cycles that a read of the clock takes */
#define CPUS   16U           /* CPU n's core: n / 2 % 4; its socket: n / 8 */
#define THREAD 16000U        /* ps, as below */
#define SOCKET 90000U
#define FAR    260000U

static struct survey s;
static uint64_t now, beats;

static int set_up(void **state)
{
	(void)state;
	s = (struct survey){ .hz = HZ, .cpus = CPUS, .threshold = 1000, .period = 1000000 };
	now = 12345;
	beats = 0;
	srand(1);
	return 0;
}

static void assert_near(uint64_t value, uint64_t expected, uint64_t percent)
{
	assert_in_range(value * 100, expected * (100 - percent), expected * (100 + percent));
}

/* ---- The model ---- */

/* Up to 2 % more; one value in twenty is ten times as long, as if an interrupt had come. */
static uint64_t with_noise(uint64_t cycles)
{
	return rand() % 20 ? cycles + cycles * (uint64_t)(rand() % 21) / 1000 : cycles * 10;
}

static uint64_t model_ps(unsigned a, unsigned b)
{
	return a / 8 != b / 8 ? FAR : a / 2 != b / 2 ? SOCKET : THREAD;
}

static unsigned model_round_trips(unsigned a, unsigned b, unsigned rounds, uint64_t *cycles,
                                  unsigned batches)
{
	assert_true(a < b && b < CPUS);
	for (unsigned i = 0; i < batches; i++) {
		cycles[i] = with_noise(model_ps(a, b) * rounds / 1000 * 2);
		now += cycles[i];
	}
	return batches;
}

/* Caches with random replacement: each holds its share of a larger working set. */
static const struct survey_point caches[] = {
	{ 32U << 10, 1200 },
	{ 1U << 20, 4000 },
	{ 24U << 20, 18000 },
	{ UINT64_MAX, 90000 },
};

static uint64_t model_load_ps(uint64_t bytes)
{
	double left = 1, ps = 0;

	for (unsigned i = 0; left > 0 && i < 4; i++) {
		double reached = (double)caches[i].bytes / (double)bytes;
		double share = reached > 1 ? left : reached - (1 - left);

		share = share > left ? left : share;
		ps += share * (double)caches[i].ps;
		left -= share;
	}
	return (uint64_t)ps;
}

static uint64_t memory_left;

static unsigned model_chase(uint64_t bytes, uint64_t loads, uint64_t *cycles, unsigned batches)
{
	if (bytes > memory_left)
		return 0;
	for (unsigned i = 0; i < batches; i++)
		cycles[i] = with_noise(model_load_ps(bytes) * loads / 1000 * 2);
	return batches;
}

static uint64_t model_cycles(void)
{
	return now;
}

static void model_beat(void)
{
	beats++;
}

static const struct survey_machine model = { model_round_trips, model_chase, model_cycles,
	                                     model_beat };

/* ---- The map ---- */

static void each_pairs_round_trip_is_found(void **state)
{
	(void)state;
	survey_take_map(&model, &s, 100, UINT64_MAX / HZ);
	for (unsigned a = 1; a < CPUS; a++)
		for (unsigned b = 0; b < a; b++)
			assert_near(s.pairs[survey_pair(a, b)], model_ps(b, a), 3);
	assert_int_equal(beats, CPUS * (CPUS - 1) / 2);
}

static void levels_and_groups_are_threads_cores_and_sockets(void **state)
{
	struct survey_level levels[SURVEY_LEVELS];
	uint16_t groups[SURVEY_CPUS];

	(void)state;
	survey_take_map(&model, &s, 100, UINT64_MAX / HZ);
	assert_int_equal(survey_levels(&s, levels), 3);
	assert_int_equal(levels[0].pairs, 8);
	assert_int_equal(levels[1].pairs, 48);
	assert_int_equal(levels[2].pairs, 64);
	assert_near(levels[0].median, THREAD, 3);
	assert_near(levels[1].median, SOCKET, 3);
	assert_near(levels[2].median, FAR, 3);
	assert_true(levels[1].min <= levels[1].median && levels[1].median <= levels[1].max &&
	            levels[1].max < levels[2].min);
	assert_int_equal(survey_groups(&s, levels[0].max, groups), 8);
	for (unsigned i = 0; i < CPUS; i++)
		assert_int_equal(groups[i], i / 2 * 2);
	assert_int_equal(survey_groups(&s, levels[1].max, groups), 2);
	for (unsigned i = 0; i < CPUS; i++)
		assert_int_equal(groups[i], i / 8 * 8);
	assert_int_equal(survey_groups(&s, levels[2].max, groups), 1);
}

static void a_machine_without_levels_has_one(void **state)
{
	struct survey_level levels[SURVEY_LEVELS];

	(void)state;
	for (unsigned i = 0; i < survey_nr_pairs(&s); i++)
		s.pairs[i] = 50000 + i * 100; /* a mesh: each pair takes a little longer */
	s.pairs[7] = 9000;                    /* one value that is no level */
	assert_int_equal(survey_levels(&s, levels), 1);
	assert_int_equal(levels[0].pairs, survey_nr_pairs(&s));
	s.cpus = 1;
	assert_int_equal(survey_levels(&s, levels), 0);
	s.cpus = 0;
	assert_int_equal(survey_levels(&s, levels), 0);
}

static void too_many_levels_end_in_a_wide_one(void **state)
{
	struct survey_level levels[SURVEY_LEVELS];

	(void)state;
	s.cpus = 5;
	for (unsigned i = 0; i < 10; i++)
		s.pairs[i] = 1000ULL << i;
	assert_int_equal(survey_levels(&s, levels), SURVEY_LEVELS);
	assert_int_equal(levels[SURVEY_LEVELS - 1].pairs, 5);
	assert_int_equal(levels[SURVEY_LEVELS - 1].max, 512000);
}

static void a_map_ends_with_its_time(void **state)
{
	unsigned measured = 0;

	(void)state;
	survey_take_map(&model, &s, 100, 300000); /* ns */
	for (unsigned i = 0; i < survey_nr_pairs(&s); i++)
		measured += s.pairs[i] != 0;
	assert_in_range(measured, 2, 60);
	assert_int_equal(beats, measured);
}

/* ---- The ladder ---- */

static void the_caches_of_a_ladder_are_found(void **state)
{
	struct survey_point steps[SURVEY_STEPS];

	(void)state;
	memory_left = UINT64_MAX;
	for (unsigned seed = 1; seed <= 50; seed++) {
		srand(seed);
		survey_take_ladder(&model, &s, 256U << 20, 100000);
		assert_int_equal(s.nr_points, 33);
		assert_int_equal(s.points[0].bytes, 4096);
		assert_int_equal(s.points[1].bytes, 6144);
		assert_int_equal(s.points[32].bytes, 256U << 20);
		assert_int_equal(survey_steps(&s, steps), 4);
		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(steps[i].bytes, i == 3 ? 256U << 20 : caches[i].bytes);
			assert_near(steps[i].ps, caches[i].ps, 10);
		}
	}
}

static void a_ladder_ends_with_the_memory(void **state)
{
	struct survey_point steps[SURVEY_STEPS];

	(void)state;
	memory_left = 100000;
	survey_take_ladder(&model, &s, 256U << 20, 1000);
	assert_int_equal(s.points[s.nr_points - 1].bytes, 98304);
	assert_int_equal(survey_steps(&s, steps), 2); /* the second one is still rising */
	assert_int_equal(steps[0].bytes, 32768);
	assert_int_equal(steps[1].bytes, 98304);
	memory_left = UINT64_MAX;
	survey_take_ladder(&model, &s, 0, 1000);
	assert_int_equal(s.nr_points, 0);
	assert_int_equal(survey_steps(&s, steps), 0);
}

static void a_rise_of_a_sixth_ends_a_step(void **state)
{
	static const uint64_t ps[] = { 1000, 1000, 1000, 1170, 1400, 1400, 1400 };
	struct survey_point steps[SURVEY_STEPS];

	(void)state;
	s.nr_points = 7;
	for (unsigned i = 0; i < 7; i++)
		s.points[i] = (struct survey_point){ 4096 * (i + 1), ps[i] };
	assert_int_equal(survey_steps(&s, steps), 2);
	assert_int_equal(steps[0].bytes, 4096 * 3);
	assert_int_equal(steps[1].ps, 1400);
}

/* ---- Interrupts ---- */

static void interrupts_are_a_distribution(void **state)
{
	uint64_t events[101];

	(void)state;
	for (unsigned i = 0; i <= 100; i++)
		events[i] = 100 - i + (i == 0 ? 4000 : 0);
	survey_take_interrupts(&s, events, 101, 500);
	assert_int_equal(s.skid.count, 101);
	assert_int_equal(s.skid.min, 0);
	assert_int_equal(s.skid.p10, 10);
	assert_int_equal(s.skid.median, 50);
	assert_int_equal(s.skid.p90, 90);
	assert_int_equal(s.skid.max, 4100);
	assert_int_equal(s.late.median, 25);
	assert_int_equal(s.late.max, 2050);
	assert_int_equal(s.histogram[0], 1);
	assert_int_equal(s.histogram[1], 1);
	assert_int_equal(s.histogram[6], 32);
	assert_int_equal(s.histogram[7], 36);
	assert_int_equal(s.histogram[13], 1);
	survey_take_interrupts(&s, events, 0, 500);
	assert_int_equal(s.skid.count + s.skid.max + s.histogram[0], 0);
	assert_int_equal(survey_bucket(UINT64_MAX), SURVEY_BUCKETS - 1);
}

static void values_are_sorted(void **state)
{
	uint64_t values[200];

	(void)state;
	for (unsigned n = 0; n < 200; n++) {
		for (unsigned i = 0; i < n; i++)
			values[i] = (uint64_t)(rand() % 50);
		survey_sort(values, n);
		for (unsigned i = 1; i < n; i++)
			assert_true(values[i - 1] <= values[i]);
	}
}

/* ---- Noise ---- */

/* Something takes the CPU at these cycles of the clock, for so many cycles. */
static const struct taken {
	uint64_t at, cycles;
	unsigned smi, nmi;
} * takes;
static uint32_t smis, nmis;

static uint64_t look_cycles(void)
{
	now += LOOK;
	for (; takes->cycles && now >= takes->at; takes++) {
		now += takes->cycles;
		smis += takes->smi;
		nmis += takes->nmi;
	}
	return now;
}

static void look_causes(uint32_t *smi, uint32_t *nmi)
{
	now += 5000; /* reading the registers takes longer than the shortest gap */
	*smi = smis;
	*nmi = nmis;
}

static void look_beat(void)
{
	now += 50000; /* is no gap: a beat lies between two periods */
	beats++;
}

static const struct survey_look look = { look_cycles, look_causes, look_beat };

static void gaps_have_their_length_and_their_cause(void **state)
{
	const struct taken story[] = {
		{ 1000000, 240000, 1, 0 }, /* an SMI of 120 us */
		{ 1500000, 3000, 0, 0 },   /* a hypervisor, 1.5 us */
		{ 1600000, 1000, 0, 0 },   /* too short to be noise */
		{ 3000000, 8000, 0, 1 },   /* an NMI, 4 us */
		{ 5000000, 60000, 2, 0 },  /* two adjacent SMIs, 30 us */
		{ 0 },
	};
	struct survey_noise noise;

	(void)state;
	takes = story;
	survey_watch(&look, &s, 5, &noise);
	assert_int_equal(noise.periods, 5);
	assert_int_equal(noise.smi, 3);
	assert_int_equal(noise.nmi, 1);
	assert_int_equal(noise.hw, 1);
	assert_in_range(noise.max_smi, 120000, 120000 + LOOK);
	assert_int_equal(noise.max_single, noise.max_smi);
	assert_in_range(noise.noise, 155500, 155500 + 4 * LOOK);
	assert_in_range(noise.max_noise, 121500, 121500 + 2 * LOOK);
	assert_in_range(noise.runtime, 5000000, 5000000 + 5 * LOOK + 60000);
}

static void a_gap_over_a_periods_end_is_counted(void **state)
{
	const struct taken story[] = { { 2000000, 400000, 0, 0 }, { 0 } };
	struct survey_noise noise;

	(void)state;
	takes = story;
	survey_watch(&look, &s, 1, &noise);
	assert_int_equal(noise.hw, 1);
	assert_in_range(noise.max_single, 200000, 200000 + LOOK);
	assert_in_range(noise.runtime, 1180000, 1200000);
}

static void a_quiet_cpu_has_no_noise(void **state)
{
	const struct taken story[] = { { 0 } };
	struct survey_noise noise;

	(void)state;
	beats = 0;
	takes = story;
	survey_watch(&look, &s, 3, &noise);
	assert_int_equal(noise.noise + noise.max_single + noise.hw + noise.smi + noise.nmi, 0);
	assert_int_equal(noise.periods, 3);
	assert_int_equal(beats, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_pairs_round_trip_is_found, set_up),
		cmocka_unit_test_setup(levels_and_groups_are_threads_cores_and_sockets, set_up),
		cmocka_unit_test_setup(a_machine_without_levels_has_one, set_up),
		cmocka_unit_test_setup(too_many_levels_end_in_a_wide_one, set_up),
		cmocka_unit_test_setup(a_map_ends_with_its_time, set_up),
		cmocka_unit_test_setup(the_caches_of_a_ladder_are_found, set_up),
		cmocka_unit_test_setup(a_ladder_ends_with_the_memory, set_up),
		cmocka_unit_test_setup(a_rise_of_a_sixth_ends_a_step, set_up),
		cmocka_unit_test_setup(interrupts_are_a_distribution, set_up),
		cmocka_unit_test_setup(values_are_sorted, set_up),
		cmocka_unit_test_setup(gaps_have_their_length_and_their_cause, set_up),
		cmocka_unit_test_setup(a_gap_over_a_periods_end_is_counted, set_up),
		cmocka_unit_test_setup(a_quiet_cpu_has_no_noise, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
