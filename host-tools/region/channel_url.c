/* SPDX-License-Identifier: MIT */
#include "host-tools/region/channel_url.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *scheme;
	channel_url_open *open;
	const char *rest; /* the form of the text after "SCHEME:" */
	const char *help;
	bool stops; /* the machine is stopped while the tool reads it */
} schemes[] = {
	{ "shm", channel_open_shm, "PATH",
	  "shared memory: the file behind an ivshmem device, or an ivshmem server's socket",
	  false },
	{ "serial", channel_open_serial, "DEVICE[,BAUD][,rtscts][,fast=BAUD]",
	  "a serial line: /dev/ttyUSB0,115200; fast: the rate to be tried then", false },
	{ "tcp", channel_open_tcp, "HOST:PORT",
	  "a serial line behind a console server, or a QEMU's chardev", false },
	{ "unix", channel_open_unix, "PATH", "the same, by a socket", false },
	{ "gdb", channel_open_gdb, "HOST:PORT,address=0x…",
	  "memory packets of a GDB stub: QEMU's, OpenOCD's, a debug probe's", true },
	{ "image", channel_open_image, "FILE",
	  "a memory dump, raw or as an ELF core or kdump; nothing answers there", false },
};
#define SCHEMES (sizeof(schemes) / sizeof(schemes[0]))

/* Lists the schemes: "a, b or c". */
static void list_schemes(char *text, size_t size)
{
	size_t used = 0;

	*text = 0;
	for (size_t i = 0; i < SCHEMES && used < size; i++) {
		const char *between = !i ? "" : i + 1 < SCHEMES ? ", " : " or ";

		used +=
		    (size_t)snprintf(text + used, size - used, "%s%s:", between, schemes[i].scheme);
	}
}

int channel_open_url(struct channel *channel, const char *url,
                     const struct channel_url_options *options, struct error *error)
{
	const char *colon = strchr(url, ':');
	size_t length = colon ? (size_t)(colon - url) : 0;
	char known[256];

	*channel = (struct channel){ 0 };
	list_schemes(known, sizeof(known));
	for (size_t i = 0; i < SCHEMES && colon; i++) {
		int code;

		if (strlen(schemes[i].scheme) != length ||
		    strncmp(url, schemes[i].scheme, length) != 0)
			continue;
		if (!colon[1])
			return error_set(error, -EINVAL, "--channel %s: want %s:%s", url,
			                 schemes[i].scheme, schemes[i].rest);
		if (options->stop_budget && !schemes[i].stops)
			return error_set(error, -EINVAL,
			                 "--stop-budget: %s: does not stop the machine",
			                 schemes[i].scheme);
		code = schemes[i].open(channel, colon + 1, options, error);
		return code ? error_prefix(error, code, "%s", url) : 0;
	}
	return error_set(error, -EINVAL, "--channel %s: a channel begins with %s", url, known);
}

void channel_url_help(FILE *out)
{
	for (size_t i = 0; i < SCHEMES; i++) {
		char form[64];

		snprintf(form, sizeof(form), "%s:%s", schemes[i].scheme, schemes[i].rest);
		fprintf(out, "  %-28s %s\n", form, schemes[i].help);
	}
}
