/* SPDX-License-Identifier: MIT */
/* Everything that a machine needs before its start, and its start. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host-tools/record/command/guest_archive.h"
#include "host-tools/record/command/guest_text.h"
#include "host-tools/record/qemu/option_rom.h"
#include "host-tools/record/qemu/run_machine.h"
#include "host-tools/session/session_host.h"
#include "host-tools/util/output.h"
#include "host-tools/util/signals.h"

static int make_region(struct machine *machine, const struct run_options *options,
                       struct error *error)
{
	const char *name = options->region ? options->region : "anonymous memory";
	int fd = options->region ? output_open_region(options->region, error)
	                         : memfd_create("bareperf-region", MFD_CLOEXEC);
	int code;

	if (fd < 0)
		return options->region ? fd : error_errno(error, "making %s", name);
	machine->region_fd = fd;
	/* Reserve all of it now: a full file system would later kill the tool or the machine. */
	code = posix_fallocate(fd, 0, (off_t)options->region_size);
	if (code) {
		errno = code;
		return error_errno(error, "reserving %llu MiB for the trace region in %s",
		                   (unsigned long long)options->region_size >> 20, name);
	}
	return 0;
}

static bool counts_instructions(const struct run_options *options)
{
	for (int i = 0; i < options->qemu_option_count; i++) {
		if (!strcmp(options->qemu_options[i], "-icount"))
			return true;
	}
	return false;
}

/* Both ends of the channel, and a reader at the tool's end. */
static int open_channel(struct machine *machine, const struct run_options *options,
                        struct qemu_config *config, struct error *error)
{
	int code = 0;

	config->region_fd = machine->region_fd;
	if (!options->no_doorbell && qemu_has_doorbell(config))
		code = ivshmem_server_open(&machine->doorbells, machine->region_fd, error);
	config->doorbell_fd = machine->doorbells.qemu_socket;
	if (!code)
		code = channel_open_shared(&machine->channel, machine->region_fd,
		                           options->region_size, &machine->doorbells, error);
	if (!code)
		code = region_lease_take(&machine->lease, &machine->channel, error);
	if (!code && counts_instructions(options))
		code = region_lease_steady(&machine->lease, error);
	return code;
}

/* Open the output before the boot: if it cannot be written, no boot is wasted; if the file is in
 * use, no record is lost. */
static int open_output(struct machine *machine, const struct run_options *options,
                       struct error *error)
{
	if (strcmp(options->guest.words[0], "record") != 0 &&
	    strcmp(options->guest.words[0], "stat") != 0)
		return 0;
	return perf_writer_open(&machine->drive.output, session_host.output, options->output.path,
	                        options->output.preallocate, error);
}

/* Errors about the terminal, and the progress line, must not appear in the picture. */
static int open_top(struct machine *machine, const struct run_options *options, struct error *error)
{
	if (!options->top.wanted)
		return 0;
	machine->drive.top = top_open(&options->top, error);
	machine->drive.progress.shown = false;
	machine->drive.progress.disk_reported = !options->output.is_kept;
	return machine->drive.top ? 0 : -ENOTTY;
}

/* QEMU reads the file by the name that the descriptor has in QEMU's own process. */
static int hand_over(struct machine *machine, const struct run_options *options,
                     struct qemu_config *config, char *path, size_t size, struct error *error)
{
	config->initrd = options->guest.payload;
	if (!guest_has_files(&options->guest))
		return 0;
	machine->archive_fd = guest_archive(&options->guest, error);
	if (machine->archive_fd < 0)
		return machine->archive_fd;
	snprintf(path, size, "/proc/self/fd/%d", machine->archive_fd);
	config->initrd = path;
	config->initrd_fd = machine->archive_fd;
	return 0;
}

/* The driver that records the firmware's boot. */
static int make_rom(struct machine *machine, const struct run_options *options, struct error *error)
{
	char path[PATH_MAX];
	int code = option_rom_driver(options->image, path, error);

	if (code)
		return code;
	if (machine->by_mailbox)
		return error_set(error, -EINVAL,
		                 "record --boot: the event is a name of a CPU's maker, and a boot "
		                 "begins before the CPU is known: use perf's names, or rNNN");
	machine->rom_fd = option_rom_make(path, machine->append, error);
	return machine->rom_fd < 0 ? machine->rom_fd : 0;
}

int machine_start(struct machine *machine, const struct run_options *options, struct error *error)
{
	struct qemu_config config = {
		.arch = options->arch,
		.program = options->qemu,
		.firmware = options->firmware,
		.firmware_vars = options->firmware_vars,
		.image = options->image,
		.initrd_fd = -1,
		.region_size = options->region_size,
		.kvm = options->kvm,
		.kvm_option = options->kvm_option,
		.options = options->qemu_options,
		.option_count = options->qemu_option_count,
	};
	char initrd[64];
	int code;

	if (options->lbr_format && qemu_has_lbr_format(&config))
		config.lbr_format = options->lbr_format;
	machine->by_mailbox = guest_has_names(&options->guest);
	machine->append = guest_text(&options->guest, NULL, error);
	code = machine->append ? signals_open(&machine->signals, error) : -ENOMEM;
	if (!code)
		code = open_output(machine, options, error);
	if (!code)
		code = open_top(machine, options, error);
	if (!code)
		code = hand_over(machine, options, &config, initrd, sizeof(initrd), error);
	if (!code && guest_boots(&options->guest))
		code = make_rom(machine, options, error);
	if (!code)
		code = make_region(machine, options, error);
	if (!code)
		code = open_channel(machine, options, &config, error);
	config.append = machine->append;
	config.rom_fd = machine->rom_fd;
	if (!code)
		code = qemu_start(&machine->qemu, &config, error);
	ivshmem_server_started(&machine->doorbells);
	machine->sees_serial = qemu_serial_is_ours(&config);
	return code;
}
