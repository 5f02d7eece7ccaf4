/* SPDX-License-Identifier: MIT */
#include "host-tools/record/command/guest_fetch.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channel/wire/wire.h"

#define PIECE 65536U

const char *guest_fetch_local(const char *option, size_t *length)
{
	const char *equals = strchr(option, '=');

	*length = equals ? (size_t)(equals - option) : strlen(option);
	return equals ? equals + 1 : option;
}

int guest_fetch_check(const struct guest *guest, struct error *error)
{
	for (unsigned i = 0; i < guest->fetch_count; i++) {
		size_t length;
		const char *local = guest_fetch_local(guest->fetch[i], &length);
		char *copy = strdup(local);
		struct stat about;
		int code = 0;

		if (!copy)
			return error_set(error, -ENOMEM, "no memory for --fetch");
		if (!length || !*local)
			code = error_set(error, -EINVAL, "--fetch %s: a file has a name",
			                 guest->fetch[i]);
		else if (!stat(local, &about) && !S_ISREG(about.st_mode))
			code = error_set(error, -EINVAL, "--fetch: %s is there, and is no file",
			                 local);
		else if (access(dirname(copy), W_OK))
			code = error_errno(error, "--fetch: %s cannot be written to", copy);
		free(copy);
		if (code)
			return code;
	}
	return 0;
}

void guest_fetch_begin(struct guest_fetch *fetch, const struct guest *guest,
                       const struct region *region)
{
	*fetch = (struct guest_fetch){
		.guest = guest,
		.region = region,
		.at = region_stream_begin(region, TR_STREAM_FILES, false),
		.fd = -1,
	};
}

static const char *local_name(const struct guest_fetch *fetch)
{
	size_t length;

	return guest_fetch_local(fetch->guest->fetch[fetch->next], &length);
}

static void complain(struct guest_fetch *fetch, const char *why)
{
	size_t length;

	guest_fetch_local(fetch->guest->fetch[fetch->next], &length);
	say("--fetch: %.*s: %s", (int)length, fetch->guest->fetch[fetch->next], why);
	fetch->failed++;
}

static const char *reason(int status)
{
	switch (status) {
	case -ENOENT:
		return "the program has written no file of this name";
	case -EFAULT:
		return "the program sent a malformed header for it";
	default:
		return strerror(-status);
	}
}

/* ---- One file ---- */

static void open_partial(struct guest_fetch *fetch)
{
	mode_t mask = umask(0);

	umask(mask);
	if (asprintf(&fetch->partial, "%s.XXXXXX", local_name(fetch)) < 0)
		fetch->partial = NULL;
	fetch->fd = fetch->partial ? mkstemp(fetch->partial) : -1;
	if (fetch->fd >= 0 && !fchmod(fetch->fd, 0666 & ~mask))
		return;
	complain(fetch, strerror(errno));
}

static void close_partial(struct guest_fetch *fetch)
{
	if (fetch->fd >= 0) {
		close(fetch->fd);
		unlink(fetch->partial); /* 0 once the file has its final name */
	}
	free(fetch->partial);
	fetch->partial = NULL;
	fetch->fd = -1;
}

static void write_partial(struct guest_fetch *fetch, const uint8_t *bytes, size_t size)
{
	fetch->crc = wire_crc(fetch->crc, bytes, size);
	for (size_t done = 0; fetch->fd >= 0 && done < size;) {
		ssize_t written = write(fetch->fd, bytes + done, size - done);

		if (written < 0 && errno != EINTR) {
			complain(fetch, strerror(errno));
			close_partial(fetch);
		}
		done += written > 0 ? (size_t)written : 0;
	}
}

static void end_file(struct guest_fetch *fetch)
{
	if (fetch->head.file.status)
		complain(fetch, reason(fetch->head.file.status));
	else if (fetch->fd >= 0 && fetch->crc != fetch->head.file.crc)
		complain(fetch, "its checksum is wrong: it was damaged in transit");
	else if (fetch->fd >= 0 && rename(fetch->partial, local_name(fetch)))
		complain(fetch, strerror(errno));
	close_partial(fetch);
	fetch->head_size = 0;
	fetch->next++;
}

static void begin_file(struct guest_fetch *fetch)
{
	const struct tr_file *file = &fetch->head.file;

	if (file->index != fetch->next || fetch->next >= fetch->guest->fetch_count ||
	    (file->status && file->size)) {
		fetch->broken = true;
		return;
	}
	fetch->left = file->size;
	fetch->crc = 0;
	if (!file->status)
		open_partial(fetch);
	if (!fetch->left)
		end_file(fetch);
}

/* ---- The stream ---- */

static size_t take_head(struct guest_fetch *fetch, const uint8_t *bytes, size_t size)
{
	size_t wanted = sizeof(fetch->head) - fetch->head_size;

	size = size < wanted ? size : wanted;
	memcpy(fetch->head.bytes + fetch->head_size, bytes, size);
	fetch->head_size += (uint32_t)size;
	if (fetch->head_size == sizeof(fetch->head))
		begin_file(fetch);
	return size;
}

static size_t take_bytes(struct guest_fetch *fetch, const uint8_t *bytes, size_t size)
{
	size = size < fetch->left ? size : (size_t)fetch->left;
	write_partial(fetch, bytes, size);
	fetch->left -= size;
	if (!fetch->left)
		end_file(fetch);
	return size;
}

int guest_fetch_take(struct guest_fetch *fetch, bool *moved, struct error *error)
{
	uint8_t bytes[PIECE];
	uint64_t missing = 0;
	size_t size, at = 0;

	*moved = false;
	if (!fetch->region)
		return 0;
	size = region_stream(fetch->region, TR_STREAM_FILES, &fetch->at, bytes, sizeof(bytes),
	                     &missing);
	if (!size && !missing)
		return 0;
	*moved = true;
	fetch->broken |= missing != 0;
	while (at < size && !fetch->broken)
		at += fetch->head_size < sizeof(fetch->head)
		          ? take_head(fetch, bytes + at, size - at)
		          : take_bytes(fetch, bytes + at, size - at);
	return region_release_stream(fetch->region, TR_STREAM_FILES, fetch->at, error);
}

unsigned guest_fetch_end(struct guest_fetch *fetch)
{
	if (!fetch->region)
		return 0;
	close_partial(fetch);
	for (; fetch->next < fetch->guest->fetch_count; fetch->next++)
		complain(fetch, "it did not arrive whole, and was removed");
	fetch->region = NULL;
	return fetch->failed;
}
