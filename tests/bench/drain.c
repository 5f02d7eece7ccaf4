/* SPDX-License-Identifier: MIT */
/*
 * The rate at which rings are drained into a file: how fast a machine may write without losing
 * records. Measured for branch traces (AUX areas, 1 MiB per piece) and for samples with callchains
 * of 4 addresses. Each is compared with `cp` of the resulting file on the same file system.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/event_types.h"
#include "bench.h"
#include "host-tools/session/session_host.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "tests/unit/temporary.h"
#include "writer/session/session.h"

#define BYTES  (256ULL << 20) /* bytes of a recording */
#define PIECE  (1U << 20)
#define ROUNDS 5

static struct fixture fixture;
static struct session session;
static char path[PATH_MAX], copy[PATH_MAX + 8];

static void must(bool it_holds)
{
	if (!it_holds)
		abort();
}

/* The wall clock, because the kernel's work for files counts as well. */
static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void write_trace(void)
{
	struct ring_aux_output out;

	while (!ring_aux_begin(&out, &fixture.aux[0], PIECE))
		ring_aux_end(&out, PIECE);
}

static void write_samples(void)
{
	const struct perf_event_mmap_page *control =
	    trace_region_at(&fixture.region, fixture.region.rings[0].control);

	while (control->data_head - control->data_tail < FIXTURE_PAGES * TR_PAGE - 4096)
		must(fixture_sample(&fixture, 0, 0, 0x101000, 1000, 4));
}

/* Bytes per second of the drains alone; the time of the simulated machine is not counted. */
static double drain(void (*write_some)(void))
{
	double spent = 0;
	uint64_t done = 0, got;
	struct error error = { "" };

	while (done < BYTES) {
		uint64_t before = perf_writer_size(&session.writer);
		double start;

		write_some();
		start = seconds();
		must(!session_drain(&session, &got, &error));
		spent += seconds() - start;
		done += perf_writer_size(&session.writer) - before;
	}
	return (double)done / spent;
}

static double rate_of_drain(void (*write_some)(void), bool has_aux)
{
	const struct session_options options = { .host = &session_host, .output = path };
	struct channel channel;
	struct region region;
	struct error error = { "" };
	double rate;

	if (has_aux)
		fixture_init_aux(&fixture, PERF_TYPE_INTEL_BTS, false);
	else
		fixture_init(&fixture, 0);
	if (has_aux)
		memset(trace_region_at(&fixture.region, fixture.region.rings[0].aux_offset), 0x5a,
		       FIXTURE_AUX);
	must(!channel_open_shared(&channel, fixture.fd, FIXTURE_SIZE, NULL, &error));
	must(!region_open(&region, &channel, &error));
	must(!session_begin(&session, &region, &options, &error));
	rate = drain(write_some);
	must(session.trouble == 0);
	fixture_complete(&fixture);
	must(!session_finish(&session, false, &error));
	session_end(&session);
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
	return rate;
}

static double rate_of_cp(void)
{
	double start = seconds();
	pid_t child = fork();
	int status;

	if (!child) {
		execlp("cp", "cp", path, copy, NULL);
		_exit(1);
	}
	must(waitpid(child, &status, 0) == child && !status);
	return (double)BYTES / (seconds() - start);
}

static void measure(const char *name, const char *what, void (*write_some)(void), bool has_aux,
                    double goal)
{
	double ratios[ROUNDS], drains[ROUNDS], copies[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		drains[i] = rate_of_drain(write_some, has_aux);
		copies[i] = rate_of_cp();
		ratios[i] = drains[i] / copies[i];
		unlink(path);
		unlink(copy);
	}
	printf("# %s: %.2f GB/s drained, %.2f GB/s by cp, medians\n", what,
	       bench_median(drains, ROUNDS) / 1e9, bench_median(copies, ROUNDS) / 1e9);
	bench_figure(name, bench_median(ratios, ROUNDS), "of-cp", goal, true);
}

int main(void)
{
	if (access("/dev/shm", W_OK))
		temporary_path(path, "drain");
	else
		snprintf(path, sizeof(path), "/dev/shm/bareperf-drain-%d", (int)getpid());
	snprintf(copy, sizeof(copy), "%s.copy", path);
	measure("drain-trace", "branch traces", write_trace, true, 1.0);
	measure("drain-samples", "samples", write_samples, false, 0.5);
	return 0;
}
