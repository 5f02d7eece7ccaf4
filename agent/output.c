/* SPDX-License-Identifier: MIT */
#include "agent/output.h"

#include "agent/payload/payload_fetch.h"
#include "agent/record/reader.h"
#include "agent/serial.h"
#include "agent/summary.h"
#include "agent/volume/kept.h"
#include "agent/volume/volume.h"
#include "lib/console/console.h"
#include "lib/memory/memory.h"

#define LEAST      (16ULL << 20)
#define MOST       (1ULL << 30)
#define TABLES     (4ULL << 20) /* more than the tables of 256 CPUs */
/* a ring of 64 MiB; the boot needs the other memory */
#define BOOT_MOST  ((64ULL << 20) + TABLES)
#define RING_PAGES 128U /* the default where only the AUX area's size is given */

static bool is_taken; /* a reader has taken the last recording */

/* Rounded up to a multiple of TR_ALIGN, a power of two. */
static uint64_t output_align(uint64_t bytes)
{
	return (bytes + TR_ALIGN - 1) & ~(uint64_t)(TR_ALIGN - 1);
}

static unsigned output_cpus(const struct command *command, unsigned cpus)
{
	unsigned chosen = 0;

	for (unsigned i = 0; i < TR_MAX_CPUS / 64; i++)
		for (uint64_t left = command->cpus[i]; left; left &= left - 1)
			chosen++;
	return command->all_cpus ? cpus : chosen ? chosen : 1;
}

bool output_other_cpus(const struct command *command)
{
	uint64_t any = command->cpus[0] & ~1ULL;

	for (unsigned i = 1; i < TR_MAX_CPUS / 64; i++)
		any |= command->cpus[i];
	return command->all_cpus || any || command->verb == COMMAND_SELFTEST ||
	       command->verb == COMMAND_NOISE;
}

static uint64_t output_asked_for(const struct command *command, unsigned cpus)
{
	uint64_t pages = command->pages ? command->pages : RING_PAGES;

	return TABLES + output_cpus(command, cpus) * (1 + pages + command->aux_pages) * TR_PAGE;
}

uint64_t output_region_size(const struct command *command, unsigned cpus)
{
	uint64_t size = memory_largest_free() / 4, asked = output_asked_for(command, cpus), room;
	uint64_t most = command->boot ? BOOT_MOST : MOST;

	if (command->verb != COMMAND_RECORD && command->verb != COMMAND_REGISTER)
		return 0;
	room = volume_room(command->output) & ~(uint64_t)(TR_ALIGN - 1);
	size = size < most ? size : most;
	size = size < room ? size : room;
	size = size > LEAST ? size : LEAST;
	return output_align(size > asked ? size : asked);
}

static void output_where(const struct channel *channel)
{
	uint64_t address = channel->address, size = channel->size;

	console_printf(
	    "The recording is in RAM, 0x%lx to 0x%lx. To copy it to a host:\n"
	    "  a debugger   dump binary memory region.bin 0x%lx 0x%lx\n"
	    "  QEMU         pmemsave 0x%lx %lu region.bin\n"
	    "and on the host: bareperf import --base=0x%lx region.bin\n",
	    address, address + size, address, address + size, address, size, address);
}

void output_next_steps(const struct command *command, const struct trace_region *region,
                       const struct channel *channel)
{
	struct summary *summary;

	if (!channel->ops->in_ram || command->then == THEN_POWEROFF || command->then == THEN_REBOOT)
		return;
	if (command->verb == COMMAND_RECORD && !reader_is_announced(region)) {
		summary = summary_open(channel->memory, channel->size);
		summary_on_screen(summary);
		summary_close(summary);
	}
	output_where(channel);
	if (serial_is_there(channel))
		console_printf(
		    "or over this line: bareperf attach --channel serial:/dev/ttyUSB0\n");
	console_printf("The machine waits, and takes further commands.\n");
}

void output_only_ways(const struct channel *channel)
{
	if (channel->ops->in_ram)
		console_printf(
		    "a recording can be read by %sa debug probe or a memory dump "
		    "(docs/channels.md)\n",
		    serial_is_there(channel) ? "this line, " : "");
}

/* Write the recording, its summary and the program's files. *beside: 0, or the errno of the
 * summary's or the files' writing; the recording is complete without them. */
static int output_to_volume(const struct command *command, const struct channel *channel,
                            const struct summary *summary, int *beside)
{
	struct error error = { "" };
	char path[VOLUME_PATH_MAX];
	int code = volume_save(channel->memory, channel->size, command->output, path, &error);

	if (code) {
		console_printf("bareperf: no file was written: %s\n", error.text);
		if (command->nr_fetch)
			console_printf("bareperf: --fetch: no files were written either\n");
		return code;
	}
	console_printf("written: %s\n", path);
	summary_beside(summary, path);
	*beside = payload_fetch_save(command, path);
	console_printf("on a host: bareperf dump FILE (checks the ledger), perf report -i FILE\n");
	return 0;
}

/* Keep the region's memory. Only for a region in RAM: shared memory is the host's. */
static void output_keep(struct command *command, const struct channel *channel)
{
	memory_keep(channel->memory);
	if (!kept_add(channel->address, channel->size, false) && command->verb == COMMAND_RECORD)
		console_printf(
		    "save writes it to the boot volume, save -o fs1:\\x.data to another one.\n");
	output_where(channel);
	if (command->then != THEN_DEFAULT)
		console_printf("So the machine stays on, in spite of --then.\n");
	command->then = THEN_DEFAULT;
}

/* Whether a host uses a line: after a short run it may not have announced a reader yet. */
static bool output_has_host(const struct channel *channel)
{
	return channel->lines && lines_have_host(channel->lines);
}

void output_to_reader(struct trace_region *region, struct channel *channel)
{
	is_taken = false;
	if (!channel->ops->in_ram || !region->run)
		return;
	is_taken = (reader_is_announced(region) ||
	            (output_has_host(channel) && reader_await_one(region, channel))) &&
	           reader_await_end(region, channel);
}

int output_write(struct command *command, const struct channel *channel, bool *keep)
{
	bool in_ram = channel->ops->in_ram;
	struct summary *summary = NULL;
	int code = 0, beside = 0;

	*keep = false;
	if (is_taken && !command->output && !command->keep) {
		console_printf("its reader has the whole recording: no file is written\n");
		return 0;
	}
	if (command->verb == COMMAND_RECORD)
		summary = summary_open(channel->memory,
		                       channel->size); /* `stat` has already printed its counts */
	if (!command->boot)
		summary_on_screen(summary);
	if (command->verb == COMMAND_RECORD && (in_ram || command->output))
		code = output_to_volume(command, channel, summary, &beside);
	summary_close(summary);
	*keep = in_ram && (code || command->keep);
	if (*keep)
		output_keep(command, channel);
	return code ? code : beside;
}
