/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/bench_link.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channel/wire/wire.h"
#include "host-tools/record/command/guest_image.h"
#include "host-tools/record/remote/remote_ask.h"
#include "host-tools/region/mailbox.h"
#include "host-tools/session/progress.h"
#include "host-tools/util/signals.h"
#include "lib/bench/bench_wire.h"

#define REGION_SIZE (64ULL << 20)
#define PIECE       720U /* bytes of a request in one command, which has at most 1023 characters */
#define POLL_MS     1

/* ---- Looking at the machine ---- */

static int machine_look(struct machine *machine, struct error *error)
{
	bool dead = qemu_has_ended(&machine->qemu);
	int brought = channel_refresh(&machine->channel, error);
	char status[64], message[1024];

	if (brought < 0)
		return brought;
	if (machine->has_region && region_state(&machine->region) == TR_PANIC) {
		region_message(&machine->region, message);
		return error_set(error, -EFAULT, "the machine panicked: %.600s", message);
	}
	if (dead) {
		qemu_describe_status(&machine->qemu, status, sizeof(status));
		return error_set(error, -EIO, "QEMU has ended: %s", status);
	}
	return 0;
}

static int look(struct bench_link *link, struct error *error)
{
	return link->is_remote ? remote_link_look(&link->remote, error)
	                       : machine_look(&link->machine, error);
}

static int pause_a_little(struct bench_link *link, struct error *error)
{
	struct machine *machine = &link->machine;
	struct pollfd fds[] = { { .fd = machine->signals, .events = POLLIN },
		                { .fd = machine->qemu.pidfd, .events = POLLIN } };

	if (link->is_remote) {
		remote_link_wait(&link->remote);
		return 0; /* remote_link_look() reports signals */
	}
	poll(fds, 2, POLL_MS);
	signals_take(machine->signals, &machine->signal, &machine->snapshot_wanted);
	return machine->signal ? error_set(error, -EINTR, "interrupted") : 0;
}

/* ---- Opening ---- */

static int find_image(struct bench_link *link, const struct machine_options *options,
                      struct error *error)
{
	if (options->image) {
		snprintf(link->image, sizeof(link->image), "%s", options->image);
		return access(link->image, R_OK) ? error_errno(error, "image %s", link->image) : 0;
	}
	for (unsigned i = 0; guest_image_place(options->arch, i, link->image); i++) {
		if (!access(link->image, R_OK))
			return 0;
	}
	return error_set(error, -ENOENT,
	                 "no bareperf.efi for %s: build it with `make ARCH=%s`, or name it with "
	                 "--image",
	                 options->arch, options->arch);
}

/* Print QEMU's messages, and the machine's text: they have the reason why it did not start. */
static void show_logs(struct bench_link *link)
{
	uint64_t from = 0, log = 0;
	char *serial = qemu_read_log(link->machine.qemu.serial_fd, &from);
	char *text = qemu_read_log(link->machine.qemu.log_fd, &log);

	if (serial)
		fputs(serial, stderr);
	if (text)
		fputs(text, stderr);
	free(serial);
	free(text);
}

static int await_region(struct bench_link *link, struct error *error)
{
	struct machine *machine = &link->machine;
	double until = progress_now() + link->timeout;
	int code;

	for (;;) {
		code = machine_look(machine, error);
		if (!code && !machine->has_region) {
			code = region_open(&machine->region, &machine->channel, error);
			machine->has_region = !code;
			code = code == -EAGAIN ? 0 : code;
		}
		if (code)
			return code;
		if (machine->has_region && region_state(&machine->region) == TR_IDLE)
			return region_load(&machine->region, error);
		if (progress_now() > until)
			return error_set(error, -ETIMEDOUT,
			                 "%s did not start within %g s: try a longer --timeout",
			                 link->image, link->timeout);
		code = pause_a_little(link, error);
		if (code)
			return code;
	}
}

static int boot(struct bench_link *link, const struct machine_options *options, struct error *error)
{
	static char *no_words[] = { (char *)(uintptr_t) "" };
	int code = find_image(link, options, error);

	link->run = (struct run_options){
		.arch = options->arch,
		.image = link->image,
		.qemu = options->qemu,
		.firmware = options->firmware,
		.region_size = REGION_SIZE,
		.timeout = options->channel.timeout,
		.qemu_options = options->qemu_options,
		.qemu_option_count = options->qemu_option_count,
		.guest = { .words = no_words },
	};
	link->region = &link->machine.region;
	if (!code)
		code = machine_start(&link->machine, &link->run, error);
	if (!code)
		code = await_region(link, error);
	if (code && code != -EINTR && link->machine.qemu.serial_fd >= 0)
		show_logs(link);
	return code;
}

static int connect_to(struct bench_link *link, const struct machine_options *options,
                      struct error *error)
{
	const struct remote_options remote = { .channel = options->channel };
	int code = remote_link_open(&link->remote, &remote, error);

	link->region = &link->remote.region;
	if (!code)
		code = remote_link_acquire(&link->remote, error);
	return code ? code : remote_await_idle(&link->remote, error);
}

int bench_link_open(struct bench_link *link, const struct machine_options *options,
                    struct error *error)
{
	*link = (struct bench_link){ .is_remote = options->channel.url,
		                     .timeout = options->channel.timeout };
	machine_init(&link->machine, &link->run, NULL, 0);
	return options->channel.url ? connect_to(link, options, error) : boot(link, options, error);
}

uint16_t bench_link_machine(const struct bench_link *link)
{
	return link->region->header.machine;
}

int bench_link_signal(const struct bench_link *link)
{
	return link->is_remote ? link->remote.signal : link->machine.signal;
}

void bench_link_close(struct bench_link *link)
{
	if (link->is_remote) {
		remote_link_close(&link->remote);
		return;
	}
	qemu_stop(&link->machine.qemu, 0);
	machine_free(&link->machine);
}

/* ---- Asking ---- */

/* Whether the machine has answered, and if it refused, the reason as a negative errno. */
static int answer(const struct bench_link *link, uint32_t number, bool *answered,
                  struct error *error)
{
	char message[1024];
	int status = 0;

	*answered = mailbox_answered(link->region, number, &status);
	if (!*answered || status >= 0)
		return 0;
	region_message(link->region, message);
	return error_set(error, status, "the machine refused the command: %.600s",
	                 *message ? message : "it gave no reason");
}

/* Move *until behind each heartbeat of the machine. */
static void feel(const struct bench_link *link, uint64_t *beat, double *until)
{
	struct tr_header header;

	region_header(link->region, &header);
	if (header.heartbeat != *beat)
		*until = progress_now() + link->timeout;
	*beat = header.heartbeat;
}

static int wait_more(struct bench_link *link, double until, struct error *error)
{
	int code;

	if (progress_now() > until)
		return error_set(error, -ETIMEDOUT,
		                 "the machine did not answer within %g s: the snippet may not "
		                 "end; try a longer --timeout",
		                 link->timeout);
	code = pause_a_little(link, error);
	return code ? code : look(link, error);
}

static int await_answer(struct bench_link *link, uint32_t number, struct error *error)
{
	double until = progress_now() + link->timeout;
	uint64_t beat = 0;
	bool answered;
	int code;

	while (!(code = answer(link, number, &answered, error)) && !answered) {
		feel(link, &beat, &until);
		code = wait_more(link, until, error);
		if (code)
			break;
	}
	return code;
}

int bench_link_command(struct bench_link *link, const char *text, FILE *out, struct error *error)
{
	uint32_t number = 0;
	uint64_t from = 0;
	char *printed;
	int code;

	free(region_console(link->region, &from));
	code = mailbox_send(link->region, text, &number, error);
	if (!code)
		code = await_answer(link, number, error);
	if (code)
		return code;
	code = look(link, error); /* a channel may show the answer before the text */
	printed = region_console(link->region, &from);
	if (printed)
		fputs(printed, out);
	free(printed);
	return code;
}

/* Take size bytes of the stream, which the answer to request number follows; a channel may show the
 * answer first. */
static int take(struct bench_link *link, uint32_t number, void *to, size_t size,
                struct error *error)
{
	double until = progress_now() + link->timeout;
	uint64_t missing = 0;
	size_t got = 0;
	bool answered;
	int code = 0;

	while (got < size && !code) {
		size_t more = region_stream(link->region, TR_STREAM_FILES, &link->at,
		                            (char *)to + got, size - got, &missing);

		got += more;
		if (missing)
			return error_set(error, -EIO, "the machine's result did not arrive whole");
		if (more)
			code =
			    region_release_stream(link->region, TR_STREAM_FILES, link->at, error);
		if (!code && !more)
			code = answer(link, number, &answered, error);
		if (!code && !more)
			code = wait_more(link, until, error);
	}
	return code;
}

/* Forget what an earlier host has not read. */
static int skip(struct bench_link *link, struct error *error)
{
	uint64_t ignored = 0;
	char bytes[4096];

	link->at = region_stream_begin(link->region, TR_STREAM_FILES, false);
	while (
	    region_stream(link->region, TR_STREAM_FILES, &link->at, bytes, sizeof(bytes), &ignored))
		;
	return link->at ? region_release_stream(link->region, TR_STREAM_FILES, link->at, error) : 0;
}

static int take_result(struct bench_link *link, uint32_t number, struct bench_result *result,
                       struct error *error)
{
	struct tr_file file = { 0 };
	const char *wrong;
	uint8_t *bytes;
	int code = take(link, number, &file, sizeof(file), error);

	if (code)
		return code;
	if (file.size > 10ULL * BENCH_VALUES + 4096)
		return error_set(error, -EPROTO, "the machine's result is too large");
	bytes = malloc((size_t)file.size + 1);
	if (!bytes)
		return error_set(error, -ENOMEM, "no memory for the result");
	code = take(link, number, bytes, (size_t)file.size, error);
	wrong = code ? NULL
	        : wire_crc(0, bytes, (size_t)file.size) != file.crc
	            ? "its checksum is wrong"
	            : bench_get_result(result, bytes, (size_t)file.size);
	free(bytes);
	return wrong ? error_set(error, -EPROTO, "the machine's result cannot be read: %s", wrong)
	             : code;
}

static int send_piece(struct bench_link *link, const uint8_t *bytes, size_t size, unsigned piece,
                      unsigned pieces, uint32_t *number, struct error *error)
{
	char text[1024];
	int length = snprintf(text, sizeof(text), "bench %u %u ", piece, pieces);

	bench_to_text(text + length, bytes, size);
	return mailbox_send(link->region, text, number, error);
}

/* *number: of the last command, whose answer is the result. */
static int send_request(struct bench_link *link, const uint8_t *bytes, size_t size,
                        uint32_t *number, struct error *error)
{
	unsigned pieces = (unsigned)((size + PIECE - 1) / PIECE);
	int code = 0;

	for (unsigned i = 0; i < pieces && !code; i++) {
		size_t at = (size_t)i * PIECE, left = size - at;

		code = send_piece(link, bytes + at, left < PIECE ? left : PIECE, i + 1, pieces,
		                  number, error);
		/* A result larger than the stream is not answered before it is read. */
		if (!code && i + 1 < pieces)
			code = await_answer(link, *number, error);
	}
	return code;
}

int bench_link_ask(struct bench_link *link, const struct bench_request *request,
                   struct bench_result *result, struct error *error)
{
	uint8_t *bytes = malloc(BENCH_REQUEST);
	size_t size = bytes ? bench_put_request(request, bytes, BENCH_REQUEST) : 0;
	uint32_t number = 0;
	int code;

	if (!size) {
		free(bytes);
		return error_set(error, -E2BIG, "the snippet is larger than 256 KiB");
	}
	code = skip(link, error);
	if (!code)
		code = send_request(link, bytes, size, &number, error);
	if (!code)
		code = take_result(link, number, result, error);
	if (!code)
		code = await_answer(link, number, error);
	free(bytes);
	return code;
}
