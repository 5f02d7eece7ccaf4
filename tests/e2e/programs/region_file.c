/* SPDX-License-Identifier: MIT */
/*
 * For tests of the two writers of perf.data, the host and the machine:
 *
 *	region-file make REGION	[N]	a complete unread region of two CPUs with N samples (as
 *					many as fit, and 1000 more that are lost) and branch traces
 *	region-file plain REGION [N]	the same without branch traces
 *	region-file write REGION FILE	the perf.data that the machine itself writes of a region
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/event_types.h"
#include "host-tools/session/session_host.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "writer/session/session.h"

static int make_region(const char *path, unsigned samples, bool is_traced)
{
	static uint8_t branches[24 * 512];
	static struct fixture fixture;
	FILE *file = fopen(path, "wb");
	unsigned lost = 0;

	if (is_traced)
		fixture_init_aux(&fixture, PERF_TYPE_INTEL_BTS, false);
	else
		fixture_init(&fixture, 0);
	for (unsigned i = 0; i < 24 * 512; i++)
		branches[i] = (uint8_t)(i * 7);
	for (unsigned i = 0; lost < 1000 && i < samples; i++) {
		lost +=
		    !fixture_sample(&fixture, i % 2, i % 3 == 1, 0x1000 + i % 0x1000, 1000, i % 16);
		if (is_traced && i % 64 == 0)
			fixture_piece(&fixture, i / 64 % 2, branches, 24 * (1 + i % 512), 0);
	}
	fixture_complete(&fixture);
	if (!file || fwrite(fixture.bytes, FIXTURE_SIZE, 1, file) != 1 || fclose(file)) {
		perror(path);
		return 1;
	}
	fixture_free(&fixture);
	return 0;
}

static int write_file(const char *region_path, const char *path)
{
	struct writer_host host = session_host;
	const struct session_options options = { .host = &host, .output = path };
	static struct session session;
	struct channel channel;
	struct region region;
	struct error error = { "" };
	int code = channel_open_file(&channel, region_path, &CHANNEL_ANY_FILE, &error);

	host.images_find = images_named;
	if (!code)
		code = region_open(&region, &channel, &error);
	if (!code)
		code = session_begin(&session, &region, &options, &error);
	if (!code) {
		code = session_finish(&session, false, &error);
		session_end(&session);
	}
	if (code)
		error_print(&error);
	channel_close(&channel);
	return code ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && (!strcmp(argv[1], "make") || !strcmp(argv[1], "plain")))
		return make_region(argv[2], argc > 3 ? (unsigned)atoi(argv[3]) : UINT_MAX,
		                   !strcmp(argv[1], "make"));
	if (argc == 4 && !strcmp(argv[1], "write"))
		return write_file(argv[2], argv[3]);
	return 2;
}
