/* SPDX-License-Identifier: MIT */
#include "boot/agent.h"

#include <errno.h>
#include <string.h>

#include "boot/console.h"
#include "boot/image.h"
#include "boot/list.h"
#include "boot/mailbox.h"
#include "boot/memory.h"
#include "boot/panic.h"
#include "boot/payload.h"
#include "boot/print.h"
#include "boot/record.h"
#include "boot/syscalls.h"
#include "boot/tables.h"
#include "pmu/clock.h"
#include "pmu/timer.h"
#include "ringbuf/region_writer.h"

#define CONSOLE_SIZE 65536U

static struct trace_region region;
static const struct channel *region_channel;
static char command_text[COMMAND_MAX_LENGTH + 1];
static struct command command;

/* ---- The region ---- */

static void describe_cpus(const struct arch_platform *platform, uint32_t count)
{
	for (uint32_t cpu = 0; cpu < count; cpu++) {
		struct tr_cpu *entry = &region.cpus[cpu];

		entry->cpu = cpu;
		record_describe_cpu(entry);
		entry->hw_id = cpu ? platform->cpus[cpu] : entry->hw_id;
	}
	region.cpus[0].flags = TR_CPU_BOOT | TR_CPU_ONLINE;
}

/* The ELF note of linker.ld: a header of 12 bytes, "GNU", the SHA-1. */
static void describe_image(void)
{
	struct tr_image *entry = &region.images[0];

	entry->address = (uintptr_t)__text_start;
	entry->size = (uint64_t)(__text_end - __text_start);
	entry->link_address = (uint64_t)(__text_start - __image_start);
	entry->build_id_size = sizeof(entry->build_id);
	memcpy(entry->build_id, __build_id_note_start + 16, sizeof(entry->build_id));
	trace_region_put_text(entry->name, sizeof(entry->name), "bareperf");
	region.header->images.count = 1;
}

static void on_panic(const char *message)
{
	record_publish();
	trace_region_set_message(&region, -EFAULT, message);
	trace_region_set_state(&region, TR_PANIC);
}

int agent_open(const struct channel *channel, const struct arch_platform *platform)
{
	uint32_t cpus = platform->cpu_count ? platform->cpu_count : 1;
	uint32_t events = cpus * COMMAND_MAX_EVENTS;
	struct region_limits limits = {
		.cpus = cpus,
		.images = TR_MAX_IMAGES,
		.events = events < TR_MAX_EVENTS ? events : TR_MAX_EVENTS,
		.rings = cpus,
		.console_size = CONSOLE_SIZE,
	};
	int error = trace_region_init(&region, channel->memory, channel->size, &limits);

	if (error)
		return error;
	region_channel = channel;
	region.header->memory = memory_size();
	describe_cpus(platform, cpus);
	describe_image();
	console_set_region(region.console);
	panic_set_hook(on_panic);
	trace_region_open(&region, &(struct region_identity){
	                               .address = channel->address,
	                               .nonce = boot_entry()->cycles ^ boot_entry()->epoch << 32,
	                               .machine = arch_elf_machine(),
	                               .producer = "bareperf " BAREPERF_VERSION,
	                           });
	return 0;
}

/* ---- Commands ---- */

/* Answer a wrong command line: the text, a mark under the place, the reason. */
static int refuse(const char *text, const struct command_error *error)
{
	char message[192];

	print_text(message, sizeof(message), "command line, column %u: %s%s%s%s", error->column + 1,
	           error->what, error->meant ? "; did you mean " : "",
	           error->meant ? error->meant : "", error->meant ? "?" : "");
	console_printf("%s\n%*s^\n%s\n", text, (int)error->column, "", message);
	trace_region_set_message(&region, -EINVAL, message);
	trace_region_set_state(&region, TR_FAILED);
	return -EINVAL;
}

/* The commands that need nothing of the machine; false: it is another one. */
static bool answer(void)
{
	switch (command.verb) {
	case COMMAND_HELP:
		command_print_usage(&image_tables, console_printf);
		break;
	case COMMAND_STOP:
		break; /* the ticks have done it; now nothing runs */
	case COMMAND_VERSION:
		console_printf("bareperf %s\n", BAREPERF_VERSION);
		break;
	default:
		return false;
	}
	trace_region_set_state(&region, TR_COMPLETE);
	return true;
}

static int parse(const char *text)
{
	struct command_error error;

	if (!command_parse(&command, text, &image_tables, &error))
		return 0;
	command.then = THEN_WAIT;
	return refuse(text, &error);
}

static int carry_out(const char *text)
{
	if (answer())
		return 0;
	if (command.verb == COMMAND_RECORD || command.verb == COMMAND_STAT)
		return record_run(&command, text, &region, region_channel);
	list_print(region_channel);
	trace_region_set_state(&region, TR_COMPLETE);
	return 0;
}

bool agent_accept(const char *text)
{
	memcpy(command_text, text, strlen(text) + 1);
	if (!*text) {
		command.then = THEN_WAIT;
		return true;
	}
	return !parse(text) && !answer();
}

void agent_adopt_payload(void)
{
	payload_load();
	region.header->images.count = 1 + payload_describe(&region.images[1], TR_MAX_IMAGES - 1);
}

/* ---- Serving ---- */

int agent_start(void)
{
	struct arch_clock clock;
	uint64_t heap_size;
	void *heap;
	int error = arch_clock_init(&clock);

	if (error)
		return error;
	clock_set(&machine_clock, clock.frequency, boot_entry()->cycles);
	machine_clock.source = clock.source;
	machine_clock.entry_epoch = boot_entry()->epoch;
	trace_region_set_clock(&region, &machine_clock);
	console_printf("trace region: %lu KiB at 0x%lx (%s)\n", region_channel->size >> 10,
	               region_channel->address, region_channel->ops->name);
	memory_heap(&heap, &heap_size);
	syscalls_init(heap, heap_size, &clock);
	return timer_init();
}

/* Wait for the host's next command and carry it out; the header's message says what failed. */
static void serve_one(void)
{
	static struct mailbox_request request;

	trace_region_set_state(&region, TR_IDLE);
	while (!mailbox_poll(&region, &request))
		arch_relax();
	if (!request.error)
		request.error = parse(request.text);
	if (!request.error)
		request.error = carry_out(request.text);
	mailbox_reply(&region, &request, request.error, NULL);
}

enum machine_reset agent_serve(void)
{
	if (*command_text)
		carry_out(command_text);
	else
		console_printf("waiting for commands in the mailbox\n");
	while (command.then != THEN_POWEROFF && command.then != THEN_REBOOT)
		serve_one();
	return command.then == THEN_REBOOT ? MACHINE_REBOOT : MACHINE_POWEROFF;
}
