/* SPDX-License-Identifier: MIT */
#include "host-tools/record/qemu/option_rom.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/rom_command.h"
#include "lib/parse/pe_image.h"

/* Offsets in the ROM: UEFI 2.10, 14.4.2.1, and PCI Firmware Specification 3.0, 5.1.2. */
#define ROM_PCIR   0x1c
#define ROM_IMAGE  0x40
#define ROM_UNIT   512U
#define ROM_MAX    (16U << 20) /* its length is 16 bits of units; QEMU's BAR a power of two */
#define CODE_EFI   3
#define LAST_IMAGE 0x80
#define VENDOR     0x1af4 /* QEMU's ivshmem */
#define DEVICE     0x1110

struct __attribute__((packed)) rom_header {
	uint16_t signature;
	uint16_t units;
	uint32_t efi_signature;
	uint16_t subsystem, machine, compression;
	uint8_t reserved[8];
	uint16_t image, pcir;
	uint8_t pad[2];
	char pcir_signature[4];
	uint16_t vendor, device, device_list, pcir_length;
	uint8_t pcir_revision, class_code[3];
	uint16_t pcir_units, revision;
	uint8_t code_type, indicator;
	uint16_t run_time_units;
};

_Static_assert(offsetof(struct rom_header, pcir_signature) == ROM_PCIR, "UEFI 2.10, 14.4.2.1");
_Static_assert(sizeof(struct rom_header) <= ROM_IMAGE, "the image lies behind it");

int option_rom_driver(const char *image, char path[PATH_MAX], struct error *error)
{
	size_t length = strlen(image);

	if (length < 4 || strcasecmp(image + length - 4, ".efi") != 0)
		return error_set(error, -ENOENT,
		                 "record --boot: the driver of %s is unknown: its name does not "
		                 "end in .efi",
		                 image);
	snprintf(path, PATH_MAX, "%.*s-dxe%s", (int)(length - 4), image, image + length - 4);
	return access(path, R_OK) ? error_errno(error, "record --boot: the driver %s", path) : 0;
}

/* The only structure with the magic, in size bytes. */
static struct rom_command *find_command(uint8_t *bytes, size_t size)
{
	uint8_t *found = memmem(bytes, size, ROM_COMMAND_MAGIC, sizeof(ROM_COMMAND_MAGIC));

	if (!found || (size_t)(found - bytes) + sizeof(struct rom_command) > size)
		return NULL;
	return (struct rom_command *)(void *)found;
}

/* bytes: zeros, then the driver's file at ROM_IMAGE. */
static int fill(uint8_t *bytes, size_t size, size_t file_size, const char *path,
                const char *command, struct error *error)
{
	struct rom_command *slot = find_command(bytes + ROM_IMAGE, file_size);
	uint16_t units = (uint16_t)(size / ROM_UNIT);
	struct pe_image image;
	const char *why;

	if (pe_parse(&image, bytes + ROM_IMAGE, file_size, PE_FILE, &why))
		return error_set(error, -ENOEXEC, "record --boot: the driver %s: %s", path, why);
	if (!slot)
		return error_set(error, -ENOEXEC,
		                 "record --boot: the driver %s has no place for a command: build "
		                 "it again, by this version",
		                 path);
	if (strlen(command) >= sizeof(slot->text))
		return error_set(error, -E2BIG, "record --boot: the command is longer than %zu",
		                 sizeof(slot->text) - 1);
	strcpy(slot->text, command);
	*(struct rom_header *)(void *)bytes = (struct rom_header){
		.signature = 0xaa55,
		.units = units,
		.efi_signature = 0x0ef1,
		.subsystem = image.subsystem,
		.machine = image.machine,
		.image = ROM_IMAGE,
		.pcir = ROM_PCIR,
		.pcir_signature = { 'P', 'C', 'I', 'R' },
		.vendor = VENDOR,
		.device = DEVICE,
		.pcir_length = 0x1c,
		.pcir_revision = 3,
		.class_code = { 0, 0, 5 },
		.pcir_units = units,
		.code_type = CODE_EFI,
		.indicator = LAST_IMAGE,
	};
	return 0;
}

/* A memory file with the ROM of size bytes. */
static int save(const uint8_t *bytes, size_t size, struct error *error)
{
	int fd = memfd_create("bareperf-rom", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, bytes, size) == (ssize_t)size)
		return fd;
	error_errno(error, "making the driver's ROM");
	if (fd >= 0)
		close(fd);
	return -EIO;
}

int option_rom_make(const char *path, const char *command, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), code = 0;
	uint8_t *bytes = NULL;
	struct stat about = { 0 };
	size_t size = 0;

	if (fd < 0)
		return error_errno(error, "record --boot: the driver %s", path);
	if (fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_size > ROM_MAX - ROM_IMAGE)
		code = error_set(error, -ENOEXEC, "record --boot: the driver %s is %s", path,
		                 S_ISREG(about.st_mode) ? "larger than 16 MiB" : "no file");
	if (!code) {
		size = ((size_t)about.st_size + ROM_IMAGE + ROM_UNIT - 1) & ~(size_t)(ROM_UNIT - 1);
		bytes = calloc(1, size);
	}
	errno = EIO; /* for a file that has become shorter */
	if (!code && (!bytes ||
	              read(fd, bytes + ROM_IMAGE, (size_t)about.st_size) != (ssize_t)about.st_size))
		code = error_errno(error, "reading the driver %s", path);
	close(fd);
	if (!code)
		code = fill(bytes, size, (size_t)about.st_size, path, command, error);
	if (!code)
		code = save(bytes, size, error);
	free(bytes);
	return code;
}
