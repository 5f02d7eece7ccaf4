/* SPDX-License-Identifier: MIT */
#include "agent/bench/services.h"

#include <errno.h>
#include <stdio.h>

#include "abi/machine.h"
#include "agent/bench/services_report.h"
#include "agent/bench/services_run.h"
#include "agent/volume/volume.h"
#include "arch/arch.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"
#include "lib/memory/memory.h"
#include "lib/print.h"

#define CALLS 1000U

static struct services_report report;
static struct services_machine machine;

static void services_identify(void)
{
	const CHAR16 *vendor = efi_system->FirmwareVendor;
	struct arch_cpu_id id;
	size_t i = 0;

	arch_cpu_identify(&id);
	print_text(machine.architecture, sizeof(machine.architecture), "%s",
	           arch_elf_machine() == EM_X86_64 ? "x86_64" : "aarch64");
	print_text(machine.cpu, sizeof(machine.cpu), "%s", *id.model ? id.model : id.vendor);
	for (; vendor && vendor[i] && i + 1 < sizeof(machine.firmware); i++)
		machine.firmware[i] = vendor[i] >= ' ' && vendor[i] <= '~' ? (char)vendor[i] : '?';
	machine.firmware[i] = '\0';
	machine.revision = efi_system->FirmwareRevision;
	machine.uefi = efi_system->Hdr.Revision;
}

/* ---- Files ---- */

/* The output of the printer below, which writes one file at a time. */
static struct {
	print_put_fn put;
	void *context;
} file;

__attribute__((format(printf, 1, 2))) static void services_print_to_file(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_format(file.put, file.context, format, arguments);
	va_end(arguments);
}

static void services_put_text(void *unused, print_put_fn put, void *context)
{
	(void)unused;
	file.put = put;
	file.context = context;
	services_report_text(&report, &machine, services_print_to_file);
}

static void services_put_json(void *unused, print_put_fn put, void *context)
{
	(void)unused;
	file.put = put;
	file.context = context;
	services_report_json(&report, &machine, services_print_to_file);
}

static int services_write_files(bool quiet)
{
	struct volume_space space;
	struct error error = { "" };
	char path[VOLUME_PATH_MAX];
	unsigned number;
	int code = volume_space(&space, &error);

	if (code == -ENODEV || (!code && space.read_only))
		return 0; /* booted without a volume: the host has the text */
	if (!code)
		code = volume_next_number(&number, &error);
	snprintf(path, sizeof(path), "\\bareperf\\%04u-uefi", code ? 0 : number);
	if (!code)
		code = volume_write_text(path, ".txt", services_put_text, NULL, &error);
	if (!code)
		code = volume_write_text(path, ".json", services_put_json, NULL, &error);
	if (code)
		console_printf("bareperf: no file was written: %s\n", error.text);
	else if (!quiet)
		console_printf("written: %s.txt and .json\n", path);
	return code;
}

int services_bench(const struct command *command)
{
	int code;

	services_identify();
	report.calls = command->calls ? command->calls : CALLS;
	code = services_run(&report, command->console);
	if (!code)
		code = volume_prepare();
	if (code) {
		console_printf("bareperf: no memory for the calls' figures\n");
		return code;
	}
	if (command->json)
		services_report_json(&report, &machine, console_printf);
	else
		services_report_text(&report, &machine, console_printf);
	return services_write_files(command->json);
}
