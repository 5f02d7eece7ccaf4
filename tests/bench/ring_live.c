/* SPDX-License-Identifier: MIT */
/*
 * The cost of a record for its writer while a reader on the other CPU looks every 100 us, against
 * the same without a reader, and against the rings of Concurrency Kit and DPDK with the same
 * records and reader. The writer works in bursts, as sampled code does. The result is the median of
 * the bursts' times, which leaves out other work of the host.
 */
#include <unistd.h>

#include "bench.h"
#include "bench_ring.h"

#if __has_include(<ck_ring.h>)
#define HAVE_CK 1
#include <ck_ring.h>
#endif
#if __has_include(<rte_ring_elem.h>)
#define HAVE_DPDK 1
#include <rte_ring.h>
#include <rte_ring_elem.h>
#endif

#define BURST    256
#define BURSTS   60 /* a turn */
#define TURNS    41
#define ENTRIES  4096
#define PAUSE_NS 20000

struct record {
	uint64_t words[8];
};

struct subject {
	const char *name;
	/* name of the figure: the ratio of our cost to this subject's */
	const char *figure;
	bool (*write)(uint64_t number); /* false if there was no room */
	void (*read)(void);
	bool live; /* a reader on the other CPU polls the ring */
	double ns[TURNS];
};

static struct subject *current; /* the ring that the reader thread polls */
static int over;
static uint64_t frequency_khz; /* frequency of arch_cycles(), kHz */

/* ---- ours ---- */

static struct bench_ring *ours;
static uint64_t sum; /* the sum uses the bytes, so the compiler keeps the reads */

static inline __attribute__((always_inline)) bool ours_write_any(uint64_t number, bool simple)
{
	struct ring_output out;
	uint64_t *record = simple ? ring_try(&out, &ours->ring, &ours->account, BENCH_RECORD)
	                          : ring_reserve(&out, &ours->ring, &ours->account, BENCH_RECORD);

	if (!record)
		return false;
	bench_fill(record, number, number);
	ring_commit(&out);
	return true;
}

static __attribute__((noinline)) bool ours_write_plainly(uint64_t number)
{
	return ours_write_any(number, false);
}

static __attribute__((noinline)) bool ours_write(uint64_t number)
{
	return ours_write_any(number, true) || ours_write_plainly(number);
}

static void ours_read(void)
{
	struct perf_event_mmap_page *control = ours->ring.control;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);

	for (uint64_t at = control->data_tail; at < head; at += BENCH_RECORD)
		sum +=
		    ((const struct record *)(ours->ring.data + (at & ours->ring.mask)))->words[2];
	__atomic_store_n(&control->data_tail, head, __ATOMIC_RELEASE);
	__atomic_store_n(&ours->doorbell.pending, 0, __ATOMIC_RELAXED);
}

/* ---- Concurrency Kit: many producers (nested ones are such), one consumer, records by value ----
 */

#ifdef HAVE_CK
CK_RING_PROTOTYPE(record, record)

static struct ck_ring ck;
static struct record ck_records[ENTRIES];

static __attribute__((noinline)) bool ck_write(uint64_t number)
{
	struct record record;

	bench_fill(record.words, number, number);
	return ck_ring_enqueue_mpsc_record(&ck, ck_records, &record);
}

static void ck_read(void)
{
	struct record record;

	while (ck_ring_dequeue_mpsc_record(&ck, ck_records, &record))
		sum += record.words[2];
}
#endif

/* ---- DPDK, the same ---- */

#ifdef HAVE_DPDK
static struct rte_ring *rte;

static __attribute__((noinline)) bool rte_write(uint64_t number)
{
	struct record record;

	bench_fill(record.words, number, number);
	return rte_ring_mp_enqueue_elem(rte, &record, sizeof(record)) == 0;
}

static void rte_read(void)
{
	struct record record;

	while (rte_ring_sc_dequeue_elem(rte, &record, sizeof(record)) == 0)
		sum += record.words[2];
}

static void rte_make(void)
{
	ssize_t size = rte_ring_get_memsize_elem(sizeof(struct record), ENTRIES);

	rte = aligned_alloc(TR_PAGE, ((size_t)size + TR_PAGE - 1) / TR_PAGE * TR_PAGE);
	if (!rte || rte_ring_init(rte, "bench", ENTRIES, RING_F_SC_DEQ))
		abort();
}
#endif

/* ---- the harness ---- */

static void *look_now_and_then(void *arg)
{
	(void)arg;
	bench_pin(1);
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
		struct subject *subject = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
		struct timespec pause = { 0, 100000 };

		if (subject)
			subject->read();
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void wait_cycles(uint64_t ns)
{
	uint64_t until = arch_cycles() + ns * frequency_khz / 1000000;

	while (arch_cycles() < until)
		arch_relax();
}

/* ns per record; negative if the reader was late and some records had no room. */
static double burst(const struct subject *subject)
{
	uint64_t start = arch_cycles(), written = 0;

	for (uint64_t i = 0; i < BURST; i++)
		written += subject->write(i);
	if (written != BURST)
		return -1;
	return (double)(arch_cycles() - start) * 1e6 / (double)frequency_khz / BURST;
}

static void take_turn(struct subject *subject, int turn)
{
	double ns[BURSTS];
	int count = 0;

	__atomic_store_n(&current, subject->live ? subject : NULL, __ATOMIC_RELEASE);
	wait_cycles(300000); /* wait until the reader has switched to the new subject */
	for (int tries = 0; count < BURSTS; tries++) {
		ns[count] = burst(subject);
		if (ns[count] >= 0)
			count++;
		else if (tries > 100 * BURSTS)
			abort(); /* there must be a reader */
		if (!subject->live)
			subject->read();
		wait_cycles(PAUSE_NS);
	}
	subject->ns[turn] = bench_median(ns, BURSTS);
}

static void calibrate(void)
{
	struct timespec from, to;
	uint64_t start = arch_cycles();
	struct timespec pause = { 0, 50000000 };

	clock_gettime(CLOCK_MONOTONIC, &from);
	nanosleep(&pause, NULL);
	clock_gettime(CLOCK_MONOTONIC, &to);
	frequency_khz =
	    (arch_cycles() - start) * 1000000 /
	    (uint64_t)((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec);
}

/* ---- a cache line's way to the other CPU and back, halved ---- */

#define HOP_TURNS 21
#define RALLIES   80

static _Alignas(64) uint64_t ball;

static void *play(void *arg)
{
	(void)arg;
	bench_pin(1);
	for (uint64_t i = 1; i < 2 * HOP_TURNS * RALLIES; i += 2) {
		while (__atomic_load_n(&ball, __ATOMIC_ACQUIRE) != i)
			arch_relax();
		__atomic_store_n(&ball, i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static double hop(void)
{
	double ns[HOP_TURNS];
	pthread_t other;
	uint64_t i = 0;

	ball = 0;
	pthread_create(&other, NULL, play, NULL);
	for (int turn = 0; turn < HOP_TURNS; turn++) {
		uint64_t start = arch_cycles();

		for (int rally = 0; rally < RALLIES; rally++, i += 2) {
			__atomic_store_n(&ball, i + 1, __ATOMIC_RELEASE);
			while (__atomic_load_n(&ball, __ATOMIC_ACQUIRE) != i + 2)
				arch_relax();
		}
		ns[turn] = (double)(arch_cycles() - start) * 1e6 / (double)frequency_khz /
		           (2 * RALLIES);
	}
	pthread_join(other, NULL);
	return bench_median(ns, HOP_TURNS);
}

/* Whether the threads stayed on their CPUs between two probes. */
static bool same_place(double before, double after)
{
	return before <= after * 1.35 && after <= before * 1.35;
}

static struct subject subjects[] = {
	{ .name = "record, no reader", .write = ours_write, .read = ours_read },
	{ .name = "record, live reader", .write = ours_write, .read = ours_read, .live = true },
#ifdef HAVE_CK
	{ .name = "Concurrency Kit, live reader",
	  .figure = "ring-against-ck",
	  .write = ck_write,
	  .read = ck_read,
	  .live = true },
#endif
#ifdef HAVE_DPDK
	{ .name = "DPDK, live reader",
	  .figure = "ring-against-dpdk",
	  .write = rte_write,
	  .read = rte_read,
	  .live = true },
#endif
};

#define SUBJECTS ((int)(sizeof(subjects) / sizeof(*subjects)))

static double hops[TURNS]; /* probe times of each valid turn */

static double ratio(const struct subject *over_, const struct subject *under, int turns)
{
	double ratios[TURNS];

	for (int turn = 0; turn < turns; turn++)
		ratios[turn] = over_->ns[turn] / under->ns[turn];
	return bench_median(ratios, turns);
}

/* Take TURNS turns in which the threads stay on their CPUs, and repeat the others. Returns the
 * number of valid turns. */
static int take_turns(void)
{
	double before = hop();
	int turns = 0;

	for (int tries = 0; turns < TURNS && tries < 3 * TURNS; tries++) {
		double after;

		for (int i = 0; i < SUBJECTS; i++)
			take_turn(&subjects[i], turns);
		after = hop();
		hops[turns] = (before + after) / 2;
		turns += same_place(before, after);
		before = after;
	}
	return turns;
}

static void report(int turns)
{
	double extra[TURNS];

	for (int i = 0; i < SUBJECTS; i++)
		printf("# %-34s %7.2f ns\n", subjects[i].name, bench_median(subjects[i].ns, turns));
	printf("# %-34s %7.2f ns, in %d turns\n", "a cache line's hop", bench_median(hops, turns),
	       turns);
	for (int turn = 0; turn < turns; turn++)
		extra[turn] = (subjects[1].ns[turn] - subjects[0].ns[turn]) / hops[turn];
	bench_figure("ring-live-reader", bench_median(extra, turns), "hops", 0.25, false);
	for (int i = 2; i < SUBJECTS; i++)
		bench_figure(subjects[i].figure, ratio(&subjects[1], &subjects[i], turns),
		             "times-theirs", 0.5, false);
#ifndef HAVE_CK
	printf("bench ring-against-ck skip no Concurrency Kit (libck-dev)\n");
#endif
#ifndef HAVE_DPDK
	printf("bench ring-against-dpdk skip no DPDK (libdpdk-dev)\n");
#endif
}

int main(void)
{
	pthread_t reader;
	int turns;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("bench ring-live-reader skip a single CPU\n");
		return 0;
	}
	calibrate();
	bench_pin(0);
	ours = bench_ring_new(BENCH_RING_SIZE, 0);
#ifdef HAVE_CK
	ck_ring_init(&ck, ENTRIES);
#endif
#ifdef HAVE_DPDK
	rte_make();
#endif
	pthread_create(&reader, NULL, look_now_and_then, NULL);
	turns = take_turns();
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	pthread_join(reader, NULL);
	if (turns < TURNS / 2)
		printf("bench ring-live-reader skip the CPUs were moved about all the time\n");
	else
		report(turns);
	return 0;
}
