/* SPDX-License-Identifier: MIT */
#include "agent/payload/payload.h"

#include <errno.h>
#include <string.h>

#include "agent/payload/payload_calls.h"
#include "agent/payload/payload_memory.h"
#include "agent/payload/uefi_image.h"
#include "command/elf.h"
#include "command/elf_symbols.h"
#include "lib/console/console.h"
#include "lib/cpio.h"
#include "lib/memory/memory.h"
#include "lib/platform.h"
#include "lib/print.h"
#include "lib/syscalls.h"
#include "workload/sdk/include/bareperf/system.h"
#include "workload/workload.h"

/* The modes of an archive's entries, as POSIX's <cpio.h> defines them */
#define MODE_TYPE      0170000U
#define MODE_FILE      0100000U
#define MODE_DIRECTORY 0040000U
#define MODE_LINK      0120000U

static struct {
	bool looked, found, is_uefi_image;
	bool loaded; /* an ELF file, in memory */
	char missing[192];
	struct payload_file file; /* the program, or an archive that contains it and its files */
	const void *program;
	uint64_t program_size;
	bool has_files;
	struct elf_image image;
	uint8_t *memory; /* the address of image.low */
} payload;

/* ---- Loading ---- */

static void payload_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void payload_refuse(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_text_v(payload.missing, sizeof(payload.missing), format, arguments);
	va_end(arguments);
	console_printf("payload: %s\n", payload.missing);
}

static void payload_refuse_file(int code)
{
	if (code == -ENOENT) {
		print_text(
		    payload.missing, sizeof(payload.missing),
		    "there is no payload: pass it as an initrd (QEMU's -initrd, bareperf run "
		    "--payload FILE) or as \\payload.elf on the boot volume");
		return;
	}
	payload_refuse("%s %s", payload.file.name,
	               code == -ENODATA  ? "is empty"
	               : code == -EFBIG  ? "is larger than 256 MiB"
	               : code == -ENOMEM ? "does not fit into memory"
	                                 : "cannot be read");
}

/* Report entries of the archive that are ignored: the program can use only files and directories.
 */
static void payload_report_left_out(unsigned count, const struct cpio_entry *first)
{
	bool is_link = (first->mode & MODE_TYPE) == MODE_LINK;

	if (count)
		console_printf(
		    "payload: %s: entries that are neither file nor directory are ignored, "
		    "%u in number: %s%s\n",
		    payload.file.name, count, first->name, is_link ? ", a symbolic link" : "");
}

/* Read the whole archive, and find the program in it. Returns 0 if the archive is complete. */
static int payload_look_through(struct cpio_entry *program)
{
	struct cpio_entry entry, left_out = { 0 };
	unsigned count = 0;
	uint64_t at = 0;
	int found;

	while ((found = cpio_next(payload.file.bytes, payload.file.size, &at, &entry)) > 0) {
		uint32_t type = entry.mode & MODE_TYPE;

		if (type == MODE_FILE && !program->bytes && !strcmp(entry.name, "payload.elf"))
			*program = entry;
		if (type == MODE_FILE || type == MODE_DIRECTORY)
			continue;
		if (!count++)
			left_out = entry;
	}
	payload_report_left_out(count, &left_out);
	return found;
}

/* Find the program: an archive's payload.elf, or the file itself if it is no archive. */
static int payload_find_program(void)
{
	struct cpio_entry program = { 0 };
	int code;

	payload.program = payload.file.bytes;
	payload.program_size = payload.file.size;
	payload.has_files = cpio_is_archive(payload.file.bytes, payload.file.size);
	if (!payload.has_files)
		return 0;
	code = payload_look_through(&program);
	if (!program.bytes) {
		payload_refuse("%s is an archive%s without a file payload.elf", payload.file.name,
		               code ? " that is damaged, or" : "");
		return -ENOENT;
	}
	payload.program = program.bytes;
	payload.program_size = program.size;
	return 0;
}

static int payload_allocate(void)
{
	const struct elf_image *image = &payload.image;
	uint64_t size = image->high - image->low;

	payload.memory = image->fixed ? memory_alloc_at(image->low, size / ARCH_PAGE)
	                              : memory_alloc_region(size, image->align);
	if (payload.memory) {
		memset(payload.memory, 0, size);
		return 0;
	}
	if (image->fixed)
		payload_refuse(
		    "%s is linked at 0x%lx to 0x%lx, which is not free here: link it with "
		    "-static-pie",
		    payload.file.name, image->low, image->high);
	else
		payload_refuse("no memory for the %lu KiB of %s", size >> 10, payload.file.name);
	return -ENOMEM;
}

static enum arch_map_type payload_type_of(const struct elf_segment *segment)
{
	if (segment->execute)
		return ARCH_MAP_CODE;
	return segment->write ? ARCH_MAP_DATA : ARCH_MAP_RODATA;
}

static uint64_t payload_address_of(const struct elf_segment *segment)
{
	return (uint64_t)payload.memory + (segment->address - payload.image.low);
}

static int payload_map_segments(void)
{
	int code = 0;

	for (unsigned i = 0; i < payload.image.nr_segments && code == 0; i++) {
		const struct elf_segment *segment = &payload.image.segments[i];

		code = memory_add_mapping(payload_address_of(segment), segment->memory_size,
		                          payload_type_of(segment));
	}
	if (code != 0)
		payload_refuse("%s has more segments than can be mapped", payload.file.name);
	return code;
}

static void payload_look(void)
{
	int code;

	if (payload.looked)
		return;
	payload.looked = true;
	code = payload_file_read(&payload.file);
	if (code != 0) {
		payload_refuse_file(code);
		return;
	}
	payload_memory_set_file(payload.file.bytes, payload.file.size);
	payload.found = payload_find_program() == 0;
	payload.is_uefi_image = payload.found &&
	                        uefi_image_is(payload.program, payload.program_size);
}

bool payload_runs_on_firmware(const struct command *command)
{
	if (command->boot)
		return true;
	if (command->workload == &workload_payload.usage) {
		payload_look();
		return payload.is_uefi_image;
	}
	return command->workload == &workload_uefi_image.usage;
}

void payload_load(void)
{
	struct elf_error reason = { 0 };

	payload_look();
	if (!payload.found || payload.is_uefi_image)
		return;
	if (elf_parse(&payload.image, payload.program, payload.program_size, arch_elf_machine(),
	              &reason) != 0) {
		payload_refuse("%s cannot be loaded: %s (0x%lx)", payload.file.name, reason.what,
		               reason.where);
		return;
	}
	if (payload_allocate() != 0 || payload_map_segments() != 0)
		return;
	elf_place(&payload.image, payload.program, payload.memory, false);
	__builtin___clear_cache((char *)payload.memory,
	                        (char *)payload.memory + (payload.image.high - payload.image.low));
	payload.loaded = true;
	payload_memory_set_image(payload.memory, payload.image.high - payload.image.low,
	                         payload.image.low);
	console_printf("payload: %s, %lu KiB at 0x%lx\n", payload.file.name,
	               (payload.image.high - payload.image.low) >> 10, (uint64_t)payload.memory);
}

const char *payload_missing(void)
{
	return payload.loaded || payload.is_uefi_image ? NULL : payload.missing;
}

uint32_t payload_describe(struct tr_image *images, uint32_t room)
{
	uint32_t count = 0;

	for (unsigned i = 0; payload.loaded && i < payload.image.nr_segments && count < room; i++) {
		const struct elf_segment *segment = &payload.image.segments[i];
		struct tr_image *entry = &images[count];

		if (!segment->execute)
			continue;
		*entry = (struct tr_image){
			.address = payload_address_of(segment),
			.size = (segment->memory_size + ARCH_PAGE - 1) & ~(ARCH_PAGE - 1),
			.link_address = segment->address,
			.build_id_size = payload.image.build_id_size,
			.name = "payload.elf",
		};
		memcpy(entry->build_id, payload.image.build_id, sizeof(entry->build_id));
		count++;
	}
	return count;
}

static int payload_name(void *context, uint64_t address, uint64_t size, const char *name)
{
	return functions_add(context, (uint64_t)payload.memory + (address - payload.image.low),
	                     size, name);
}

void payload_name_functions(struct functions *functions)
{
	if (payload.loaded)
		elf_symbols(payload.program, payload.program_size, payload_name, functions);
}

/* ---- Running ---- */

static int payload_program_elf(int argc, char **argv)
{
	struct bareperf_system system = {
		.version = BAREPERF_SYSTEM_VERSION,
		.size = sizeof(system),
		.argc = argc,
		.argv = argv,
	};
	char *heap;
	int (*start)(const struct bareperf_system *) = (int (*)(const struct bareperf_system *))(
	    payload.memory + (payload.image.entry - payload.image.low));

	elf_place(&payload.image, payload.program, payload.memory, true);
	elf_relocate(&payload.image, payload.program, payload.memory, (uint64_t)payload.memory);
	syscalls_set_heap((void **)&heap, &system.heap_size);
	system.heap = heap;
	payload_memory_set_heap(heap, system.heap_size);
	if (payload.has_files) {
		system.archive = payload.file.bytes;
		system.archive_size = payload.file.size;
	}
	payload_calls_fill(&system);
	return start(&system);
}

int payload_program(int argc, char **argv)
{
	if (payload.is_uefi_image)
		return uefi_image_run_bytes(payload.program, payload.program_size, argc, argv);
	return payload_program_elf(argc, argv);
}

const struct workload workload_payload = {
	.usage.name = "payload",
	.usage.arguments = "[ARGS...]",
	.usage.description = "the program that was handed over as an initrd or as \\payload.elf",
	.usage.takes_words = true,
	.missing = payload_missing,
	.run_program = payload_program,
};
