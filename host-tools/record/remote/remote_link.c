/* SPDX-License-Identifier: MIT */
#include "host-tools/record/remote/remote_link.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/session/progress.h"
#include "host-tools/util/signals.h"

#define MINOR_HEARTBEAT 2 /* since version 1.2 */

void remote_link_wait(struct remote_link *link)
{
	channel_wait(&link->channel);
	signals_take(link->signals, &link->signal, &link->snapshot_wanted);
}

void remote_link_is_alive(struct remote_link *link)
{
	link->alive = progress_now();
}

/* Only a look that has ended shows a heartbeat. Its bytes are no sign of life: a debugger brings
 * them of a machine that hangs, too. */
static bool is_silent(const struct remote_link *link)
{
	return !link->is_looking && progress_now() - link->alive >= link->timeout;
}

int remote_link_refresh(struct remote_link *link, struct error *error)
{
	int code = channel_refresh(&link->channel, error);

	link->is_looking = code > 0;
	return code;
}

/* A channel that saw a signal has left it pending. */
static int channel_failed(struct remote_link *link, int code)
{
	if (code == -EINTR)
		signals_take(link->signals, &link->signal, &link->snapshot_wanted);
	return code;
}

static int interrupted(struct error *error)
{
	return error_set(error, -EINTR, "interrupted");
}

/* Firmware without a heartbeat counts as alive. */
static void feel(struct remote_link *link, const struct tr_header *header)
{
	if ((header->version & 0xffff) >= MINOR_HEARTBEAT && header->heartbeat == link->beat)
		return;
	link->has_beaten = true;
	link->beat = header->heartbeat;
	remote_link_is_alive(link);
}

static int remote_link_timed_out(const struct remote_link *link, struct error *error)
{
	return error_set(error, -ETIMEDOUT,
	                 "the machine shows no sign of life for %g s (its last state: %s): it has "
	                 "ended, hangs with its ticks masked, or a debugger has stopped it",
	                 link->timeout, region_state_name(region_state(&link->region)));
}

static int panicked(const struct remote_link *link, struct error *error)
{
	char message[1024];

	region_message(&link->region, message);
	return error_set(error, -EFAULT, "the machine panicked: %.700s", message);
}

int remote_link_check(struct remote_link *link, struct error *error)
{
	struct tr_header header;

	region_header(&link->region, &header);
	if (header.magic != TR_MAGIC || header.nonce != link->region.nonce)
		return error_set(error, -ESTALE, "the machine was reset: its trace region is %s",
		                 header.magic == TR_MAGIC ? "another boot's" : "gone");
	feel(link, &header);
	if (header.state == TR_PANIC)
		return panicked(link, error);
	if (header.state > TR_PANIC)
		return error_set(error, -EPROTO,
		                 "trace region, offset 0x%zx: the state %u is unknown: the machine "
		                 "has written over it",
		                 offsetof(struct tr_header, state), header.state);
	return is_silent(link) ? remote_link_timed_out(link, error) : 0;
}

int remote_link_look(struct remote_link *link, struct error *error)
{
	int code = remote_link_refresh(link, error);

	if (!code)
		code = remote_link_check(link, error);
	if (code < 0)
		return channel_failed(link, code);
	return link->signal ? interrupted(error) : 0;
}

/* Look once for a machine whose heart beats; two looks are necessary to see a beat. 1: it is there.
 * */
static int look_for_machine(struct remote_link *link, struct error *error)
{
	bool felt = link->has_beaten, lives;
	uint64_t before = link->beat;
	struct tr_header header;
	int code = remote_link_refresh(link, error);

	if (!code)
		code = region_open(&link->region, &link->channel, error);
	if (code)
		return code > 0 || code == -EAGAIN ? 0 : code;
	region_header(&link->region, &header);
	feel(link, &header);
	if (!link->channel.live)
		return error_set(error, -ENODEV,
		                 "a file with a machine's memory takes no commands: `bareperf "
		                 "import' writes what was recorded there");
	lives = (felt && link->beat != before) || (header.version & 0xffff) < MINOR_HEARTBEAT ||
	        link->needs_no_life;
	return lives && header.state != TR_BOOTING;
}

static int await_machine(struct remote_link *link, struct error *error)
{
	int found;

	remote_link_is_alive(link); /* opening the channel may have taken long */
	while (!(found = look_for_machine(link, error))) {
		remote_link_wait(link);
		if (link->signal)
			return interrupted(error);
		if (!is_silent(link))
			continue;
		if (!link->region.channel)
			return error_set(error, -ETIMEDOUT,
			                 "there is no trace region after %g s: the machine has not "
			                 "started bareperf, or not on this channel",
			                 link->timeout);
		return remote_link_timed_out(link, error);
	}
	return found < 0 ? channel_failed(link, found) : 0;
}

int remote_link_open(struct remote_link *link, const struct remote_options *options,
                     struct error *error)
{
	int code;

	*link = (struct remote_link){ .timeout = options->channel.timeout,
		                      .signals = -1,
		                      .needs_no_life = options->force };
	remote_link_is_alive(link);
	code = signals_open(&link->signals, error);
	if (!code)
		code = channel_open_url(&link->channel, options->channel.url,
		                        &options->channel.more, error);
	if (code)
		return channel_failed(link, code);
	code = await_machine(link, error);
	if (!code)
		code = region_load(&link->region, error);
	if (!code)
		free(region_console(&link->region, &link->console));
	return code ? error_prefix(error, code, "%s", options->channel.url) : 0;
}

int remote_link_acquire(struct remote_link *link, struct error *error)
{
	return region_lease_acquire(&link->lease, &link->region, error);
}

void remote_link_print_console(struct remote_link *link, FILE *out)
{
	char *text = region_console(&link->region, &link->console);

	if (text && *text)
		fputs(text, out);
	free(text);
}

void remote_link_close(struct remote_link *link)
{
	region_lease_give_back(&link->lease);
	region_close(&link->region);
	channel_close(&link->channel);
	if (link->signals >= 0)
		close(link->signals);
}
