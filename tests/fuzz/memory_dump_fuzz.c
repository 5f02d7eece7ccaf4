/* SPDX-License-Identifier: MIT */
/*
 * A memory dump of any content: the search for a region survives it. Input: the file; seeds are an
 * ELF core and a raw dump. libkdumpfile reads compressed dumps, so they are left out, except for
 * our own parser of the flattened form.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host-tools/region/dump/memory_dump.h"
#include "tests/fuzz/seed.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "writer/region/channel.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Open it as the kind that it claims to be. Returns whether it contains a region, all of whose
 * bytes can be read. */
static bool open_channel(const uint8_t *data, size_t size)
{
	struct channel_file_options pick = CHANNEL_ANY_FILE;
	struct channel channel;
	struct error error = { "" };
	char path[64];
	int fd = memfd_create("dump", MFD_CLOEXEC);
	bool found;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	found = !channel_open_file(&channel, path, &pick, &error);
	for (size_t i = 0; found && i < channel.size && i < 1U << 20; i += TR_PAGE)
		found = ((volatile uint8_t *)channel.bytes)[i] <= UINT8_MAX;
	channel_close(&channel);
	close(fd);
	return found;
}

static void put_seed(int argc, char **argv, const char *name, const uint8_t *bytes, size_t size)
{
	if (!open_channel(bytes, size))
		abort(); /* no seed */
	fuzz_seed(argc, argv, name, bytes, size);
}

/* An ELF core with the region in two segments. */
static size_t make_core(uint8_t *to, const uint8_t *region)
{
	const uint64_t half = FIXTURE_SIZE / 2 + 8;
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		             EV_CURRENT },
		.e_type = ET_CORE,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
	};
	Elf64_Phdr segments[2];
	size_t start = sizeof(header) + sizeof(segments);

	for (unsigned i = 0; i < 2; i++) {
		segments[i] = (Elf64_Phdr){
			.p_type = PT_LOAD,
			.p_offset = start + i * half,
			.p_paddr = FIXTURE_ADDRESS + i * half,
			.p_filesz = i ? FIXTURE_SIZE - half : half,
			.p_memsz = FIXTURE_SIZE,
		};
	}
	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), segments, sizeof(segments));
	memcpy(to + start, region, FIXTURE_SIZE);
	return start + FIXTURE_SIZE;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static uint8_t core[FIXTURE_SIZE + TR_PAGE];
	struct fixture fixture;

	fixture_init(&fixture, 0);
	put_seed(*argc, *argv, "raw", fixture.bytes, FIXTURE_SIZE);
	put_seed(*argc, *argv, "core", core, make_core(core, fixture.bytes));
	fixture_free(&fixture);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && !memmem(data, size, "KDUMP   ", 8) && !memmem(data, size, "DISKDUMP", 8))
		open_channel(data, size);
	return 0;
}
