/* SPDX-License-Identifier: MIT */
#include "agent/agent.h"

#include <errno.h>
#include <string.h>

#include "agent/announce.h"
#include "agent/crash_store.h"
#include "agent/describe.h"
#include "agent/input/command_line.h"
#include "agent/input/mailbox.h"
#include "agent/input/next_command.h"
#include "agent/machine_command.h"
#include "agent/menu.h"
#include "agent/mode.h"
#include "agent/output.h"
#include "agent/payload/payload.h"
#include "agent/payload/payload_run.h"
#include "agent/payload/uefi_image.h"
#include "agent/record/reader.h"
#include "agent/record/record.h"
#include "agent/selftest/selftest.h"
#include "agent/serial.h"
#include "agent/simple_command.h"
#include "agent/tables.h"
#include "agent/uefi/boot_check.h"
#include "agent/uefi/boot_record.h"
#include "agent/uefi/refusal.h"
#include "agent/unsupported.h"
#include "lib/console/console.h"
#include "lib/console/keyboard.h"
#include "lib/hosted.h"
#include "lib/memory/memory.h"
#include "lib/panic.h"
#include "lib/print.h"
#include "lib/syscalls.h"
#include "pmu/clock/clock.h"
#include "pmu/timer.h"
#include "ringbuf/region_writer.h"

#define CONSOLE_SIZE 65536U /* bytes; also of each stream */

static struct trace_region region;
static struct channel *region_channel;
static const struct arch_platform *machine;
static char command_text[COMMAND_MAX_LENGTH + 1];
static struct command command;
static struct command_error mistake; /* the error in command_text, if it has one */
static char failure[192];            /* the message of agent_fail() */
static bool line_to_come;            /* the tables or PCI name a UART */
static bool has_keys, announced;     /* there is an i8042; a reader was there at the last command */
static int unusable;                 /* a negative errno: the command line could not be read */
static int outcome;                  /* the last command's result: 0 or a negative errno */
static bool resident, kept;          /* boot services stay; the region's memory stays */

/* ---- The region ---- */

static void agent_on_panic(const char *message)
{
	record_publish();
	trace_region_set_message(&region, -EFAULT, message);
	trace_region_set_state(&region, TR_PANIC);
}

int agent_open(struct channel *channel, const struct arch_platform *platform)
{
	uint32_t cpus = platform->cpu_count ? platform->cpu_count : 1;
	uint32_t events = cpus * COMMAND_MAX_EVENTS;
	struct region_limits limits = { .cpus = cpus,
		                        .images = TR_MAX_IMAGES,
		                        .events = events < TR_MAX_EVENTS ? events : TR_MAX_EVENTS,
		                        .rings = cpus,
		                        .console_size = CONSOLE_SIZE,
		                        .stream_size = CONSOLE_SIZE };
	int code = trace_region_init(&region, channel->memory, channel->size, &limits);

	if (code)
		return code;
	region.is_kept = channel->ops->in_ram;
	region_channel = channel;
	machine = platform;
	resident = resident && mode_is_resident(&command, channel->ops->in_ram);
	line_to_come = platform->has_uart || (channel->lines && channel->lines->nr_ports);
	region.header->memory = memory_size();
	region.header->notify = channel->breakpoint;
	region.header->forced_stop = arch_forced_stop(record_stop_by_force);
	describe_cpus(&region, platform, cpus);
	describe_image(&region);
	console_set_region(region.console, CONSOLE_SIZE);
	panic_set_hook(agent_on_panic);
	trace_region_open(&region,
	                  &(struct region_identity){ .address = channel->address,
	                                             .nonce = boot_nonce(),
	                                             .machine = arch_elf_machine(),
	                                             .producer = "bareperf " BAREPERF_VERSION });
	return 0;
}

/* ---- Commands ---- */

static bool agent_run_simple_command(const char *text)
{
	if (!simple_command_run(&command, text, &outcome))
		return false;
	trace_region_set_state(&region, TR_COMPLETE);
	return true;
}

static void agent_find_unsupported(const char *text, bool at_boot)
{
	struct unsupported_moment moment = { at_boot, line_to_come, resident, machine->tables };

	unsupported_find(&command, text, &region, region_channel, &moment, &mistake);
}

/* Returns 0, or unsupported_refuse()'s errno. at_boot: text is the machine's own command line. */
static int agent_check(const char *text, bool at_boot)
{
	if (!mistake.what)
		agent_find_unsupported(text, at_boot);
	if (!mistake.what)
		return 0;
	command.then = THEN_WAIT;
	return unsupported_refuse(&region, text, &mistake);
}

static int agent_carry_out(const char *text)
{
	if (agent_run_simple_command(text))
		return 0;
	if (command.verb == COMMAND_RECORD || command.verb == COMMAND_STAT) {
		int code = record_run(&command, text, &region, region_channel);

		if (!code && !resident)
			output_next_steps(&command, &region, region_channel);
		return code;
	}
	return machine_command_run(&command, &region, region_channel);
}

enum arch_tables agent_read_command(void)
{
	int length = command_line_read(command_text, sizeof(command_text));

	unusable = length < 0 ? length : 0;
	if (*command_text)
		command_parse(&command, command_text, &image_tables, &mistake);
	resident = *command_text && mode_is_resident(&command, true);
	return mode_tables(&command);
}

bool agent_is_resident(void)
{
	return resident;
}

bool agent_is_hosted(void)
{
	return resident && payload_runs_on_firmware(&command);
}

bool agent_records_boot(void)
{
	return command.boot && command.verb == COMMAND_RECORD;
}

/* After an error the size is 0, the default: hosts read the error in the region. */
uint64_t agent_region_size(const struct arch_platform *platform)
{
	if (mistake.what || command.region_size || !resident)
		return mistake.what ? 0 : command.region_size;
	return output_region_size(&command, platform->cpu_count);
}

bool agent_choose(void)
{
	enum menu_end end;

	if (!region_channel->ops->in_ram || unusable ||
	    (*command_text && !command_line_is_of_volume()))
		return true;
	end = menu_run(command_text, &region);
	if (end == MENU_SERVE) {
		*command_text = 0;
		resident = false;
	}
	return end != MENU_BACK;
}

bool agent_accept(void)
{
	selftest_note_boot();
	outcome = unusable;
	if (command.verb == COMMAND_RECORD && region_channel->ops->in_ram)
		crash_store_warn();
	serial_choose(region_channel, resident, agent_is_hosted());
	if (unusable)
		agent_fail("the command line cannot be read", NULL, unusable);
	else if (*command_text)
		outcome = agent_check(command_text, true);
	if (!outcome && command.verb == COMMAND_REGISTER)
		outcome = boot_check(&command, &region, region_channel, machine);
	return !outcome && !(*command_text && agent_run_simple_command(command_text));
}

bool agent_needs_other_cpus(void)
{
	return output_other_cpus(&command);
}

void agent_adopt_payload(void)
{
	payload_load();
	region.header->images.count = 1 + payload_describe(&region.images[1], TR_MAX_IMAGES - 1);
}

void agent_announce(void)
{
	if (region_channel->ops->in_ram)
		announce_machine(machine, resident);
}

/* ---- Serving ---- */

int agent_start(void)
{
	struct arch_clock clock;
	uint64_t heap_size;
	void *heap;
	int code = arch_clock_init(&clock);

	if (code)
		return code;
	clock_set(&machine_clock, clock.frequency, boot_entry()->cycles);
	machine_clock.source = clock.source;
	machine_clock.entry_epoch = boot_entry()->epoch;
	trace_region_set_clock(&region, &machine_clock);
	serial_start(region_channel, &region, boot_nonce());
	if (!resident) {
		has_keys = keyboard_open();
		agent_announce();
	}
	console_printf("trace region: %lu KiB at 0x%lx (%s)\n", region_channel->size >> 10,
	               region_channel->address, region_channel->ops->name);
	if (!resident)
		output_only_ways(region_channel);
	memory_heap(&heap, &heap_size);
	syscalls_init(heap, heap_size, &clock);
	payload_run_init();
	return timer_init();
}

/* A new recording would overwrite records that a reader at a serial line has not read yet. */
static void agent_keep_last_run(void)
{
	if ((command.verb == COMMAND_RECORD || command.verb == COMMAND_STAT) &&
	    serial_is_there(region_channel) && lines_have_host(region_channel->lines))
		reader_await_read(&region, region_channel);
}

/* Wait for the next command and carry it out. If it fails, the header's message says why. */
static void agent_serve_one(void)
{
	static struct mailbox_request request;
	bool typed = next_command(&region, region_channel, &request);

	if (typed)
		request.code = 0;
	trace_region_set_message(&region, 0, NULL);
	if (!request.code) {
		command_parse(&command, request.text, &image_tables, &mistake);
		request.code = agent_check(request.text, false);
	}
	if (!request.code) {
		agent_keep_last_run();
		announced = reader_is_announced(&region);
		request.code = agent_carry_out(request.text);
	}
	outcome = request.code;
	if (!typed)
		mailbox_reply(&region, &request, request.code, NULL);
}

/* The machine must not switch off before a reader has taken a recording that is in RAM. */
static bool agent_may_end(void)
{
	if (resident) {
		if (!agent_records_boot()) /* record --boot: its recording continues */
			output_to_reader(&region, region_channel);
		return true;
	}
	if (command.then != THEN_POWEROFF && command.then != THEN_REBOOT)
		return false;
	if (!region_channel->ops->in_ram || !region.run ||
	    reader_took_all(&region, region_channel, announced))
		return true;
	console_printf(": waiting for commands\n");
	command.then = THEN_WAIT;
	return false;
}

void agent_serve(void)
{
	if (*command_text)
		outcome = agent_carry_out(command_text);
	else
		console_printf("waiting for commands in the mailbox%s\n",
		               has_keys || serial_is_there(region_channel) ? ", or typed here"
		                                                           : "");
	while (!agent_may_end())
		agent_serve_one();
}

/* ---- Ends ---- */

void agent_write_output(void)
{
	int code;

	if (command.verb == COMMAND_SELFTEST && !outcome)
		outcome = selftest_write_report();
	/* A payload that crashed (-EFAULT) leaves the recording up to the crash. */
	if (!region.run || (outcome && outcome != -EFAULT))
		return;
	code = output_write(&command, region_channel, &kept);
	outcome = outcome ? outcome : code;
}

void agent_end_hosted(void)
{
	serial_end(region_channel);
	hosted_end();
}

/* The end of record --boot: write the file, and give all memory back to the firmware. */
static void agent_end_boot(const char *why)
{
	outcome = record_end_boot(why);
	output_to_reader(&region, region_channel);
	agent_end_hosted();
	agent_write_output();
	agent_close();
	memory_free_all();
}

void agent_continue_boot(void)
{
	boot_record_begin(&command.until, agent_end_boot);
}

int agent_outcome(void)
{
	return outcome;
}

void agent_linger(void)
{
	if (outcome)
		refusal_note(region.header ? region.header->message : failure);
	if (command_line_is_of_volume())
		menu_linger();
}

void agent_close(void)
{
	console_set_region(NULL, 0);
	panic_set_hook(NULL);
	/* A scan of memory must find no region in freed memory, except an error's. */
	if (region.header && region_channel->ops->in_ram && !outcome && !kept)
		trace_region_close(&region);
}

void agent_fail(const char *what, const char *why, int code)
{
	outcome = code;
	print_text(failure, sizeof(failure), "%s: %s (%d)", what, why ? why : strerror(-code),
	           code);
	console_printf("bareperf: %s\n", failure);
	if (!region.header)
		return;
	trace_region_set_message(&region, code, failure);
	trace_region_set_state(&region, TR_FAILED);
}

enum machine_reset agent_end(void)
{
	serial_drain(region_channel);
	return command.then == THEN_POWEROFF ? MACHINE_POWEROFF
	       : command.then == THEN_REBOOT ? MACHINE_REBOOT
	                                     : MACHINE_STAY;
}
