/* SPDX-License-Identifier: MIT */
/* Memory dumps of every kind: the places of their bytes, the regions in them, and refused dumps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/seal.h"
#include "host-tools/region/dump/memory_dump.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "tests/unit/temporary.h"
#include "writer/region/channel.h"

#define MOST (8U << 20)

static struct fixture fixture;
static uint8_t *file; /* the dump as it is made */
static size_t size;   /* of it */
static char path[PATH_MAX];
static struct memory_dump dump;
static struct error error;

static int setup(void **state)
{
	(void)state;
	fixture_init(&fixture, 0);
	file = calloc(1, MOST);
	size = 0;
	temporary_path(path, "dump");
	return !file;
}

static int teardown(void **state)
{
	(void)state;
	memory_dump_close(&dump);
	unlink(path);
	free(file);
	fixture_free(&fixture);
	return 0;
}

static int open_dump(uint64_t base)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file, size), size);
	close(fd);
	memory_dump_close(&dump);
	return memory_dump_open(&dump, path, base, &error);
}

static void assert_says(const char *text)
{
	if (!strstr(error.text, text))
		fail_msg("'%s' is not in: %s", text, error.text);
}

/* ---- ELF cores ---- */

/* An ELF core's header for so many segments. */
static void begin_core(unsigned segments)
{
	Elf64_Ehdr *header = (void *)file;

	memset(file, 0, MOST);
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_ident[EI_VERSION] = header->e_version = EV_CURRENT;
	header->e_type = ET_CORE;
	header->e_machine = EM_X86_64;
	header->e_ehsize = sizeof(*header);
	header->e_phoff = sizeof(*header);
	header->e_phentsize = sizeof(Elf64_Phdr);
	header->e_phnum = (uint16_t)segments;
	size = 1000; /* bytes that do not begin at a page */
}

/* The next segment, with these bytes at its start, followed by zeros. */
static Elf64_Phdr *put_segment(unsigned i, uint64_t address, const void *from, size_t bytes,
                               size_t zeros)
{
	Elf64_Phdr *segment = (Elf64_Phdr *)(void *)(file + sizeof(Elf64_Ehdr)) + i;

	*segment = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_offset = size,
		.p_paddr = address,
		.p_vaddr = address ^ 1ULL << 40,
		.p_filesz = bytes,
		.p_memsz = bytes + zeros,
	};
	memcpy(file + size, from, bytes);
	size += bytes + 3;
	return segment;
}

/* The fixture's region at its address, in pieces whose ends are not at pages, the last piece first.
 * */
static void put_region(void)
{
	const uint64_t half = FIXTURE_SIZE / 2 + 100;

	begin_core(3);
	put_segment(0, FIXTURE_ADDRESS + half, fixture.bytes + half, FIXTURE_SIZE - half, 77);
	put_segment(1, 0x1000, "somewhere else", 14, 0);
	put_segment(2, FIXTURE_ADDRESS, fixture.bytes, half, 0);
}

static void assert_is_the_region(void)
{
	struct channel channel;

	assert_int_equal(channel_open_file(&channel, path, &CHANNEL_ANY_FILE, &error), 0);
	assert_int_equal(channel.size, FIXTURE_SIZE);
	assert_false(channel.live);
	assert_memory_equal(channel.bytes, fixture.bytes, FIXTURE_SIZE);
	channel_close(&channel);
}

static void a_core_has_its_memory_in_pieces_that_are_not_aligned(void **state)
{
	uint8_t bytes[4];

	(void)state;
	put_region();
	assert_int_equal(open_dump(UINT64_MAX), 0);
	assert_int_equal(dump.count, 4);
	assert_is_the_region();
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(memory_dump_copy(&dump, 0x1002, bytes, 4, &error), 0);
	assert_memory_equal(bytes, "mewh", 4);
	assert_int_equal(memory_dump_copy(&dump, 0x100d, bytes, 2, &error), -ENXIO);
	assert_says("has nothing at 0x100e");
}

static void a_core_of_32_bits_is_one_too(void **state)
{
	Elf32_Ehdr *header = (void *)file;
	Elf32_Phdr *segment = (void *)(file + sizeof(*header));

	(void)state;
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_ident[EI_CLASS] = ELFCLASS32;
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_ident[EI_VERSION] = EV_CURRENT;
	header->e_version = EV_CURRENT;
	header->e_type = ET_CORE;
	header->e_ehsize = header->e_phoff = sizeof(*header);
	header->e_phentsize = sizeof(*segment);
	header->e_phnum = 1;
	*segment = (Elf32_Phdr){ .p_type = PT_LOAD,
		                 .p_offset = 333,
		                 .p_paddr = (uint32_t)FIXTURE_ADDRESS,
		                 .p_filesz = FIXTURE_SIZE,
		                 .p_memsz = FIXTURE_SIZE };
	fixture_header(&fixture)->address = segment->p_paddr;
	memcpy(file + 333, fixture.bytes, FIXTURE_SIZE);
	size = 333 + FIXTURE_SIZE;
	assert_int_equal(open_dump(UINT64_MAX), 0);
	assert_is_the_region();
}

static void without_physical_addresses_the_virtual_ones_are_used(void **state)
{
	Elf64_Phdr *segment;

	(void)state;
	begin_core(1);
	segment = put_segment(0, FIXTURE_ADDRESS, fixture.bytes, FIXTURE_SIZE, 0);
	segment->p_vaddr = segment->p_paddr;
	segment->p_paddr = 0;
	assert_int_equal(open_dump(UINT64_MAX), 0);
	assert_is_the_region();
}

static void bytes_of_a_segment_that_the_file_omits_are_zero(void **state)
{
	size_t end = FIXTURE_SIZE;

	(void)state;
	while (end && !fixture.bytes[end - 1])
		end--;
	assert_true(end < FIXTURE_SIZE);
	begin_core(1);
	put_segment(0, FIXTURE_ADDRESS, fixture.bytes, end, FIXTURE_SIZE - end);
	assert_int_equal(open_dump(UINT64_MAX), 0);
	assert_is_the_region();
}

static void each_address_in_overlapping_segments_has_one_segment(void **state)
{
	uint8_t bytes[8] = { 0 };

	(void)state;
	begin_core(3);
	put_segment(0, 0x1000, "abcd", 4, 0);
	put_segment(1, 0x1002, "CDEF", 4, 0);
	put_segment(2, 0x1003, "x", 1, 0);
	assert_int_equal(open_dump(UINT64_MAX), 0);
	assert_int_equal(dump.count, 2);
	assert_int_equal(memory_dump_copy(&dump, 0x1000, bytes, 6, &error), 0);
	assert_memory_equal(bytes, "abcdEF", 6);
}

static void a_region_that_a_core_lacks_in_part_is_refused(void **state)
{
	struct channel channel;

	(void)state;
	begin_core(2);
	put_segment(0, FIXTURE_ADDRESS, fixture.bytes, FIXTURE_SIZE / 2, 0);
	put_segment(1, FIXTURE_ADDRESS + FIXTURE_SIZE / 2 + TR_PAGE, fixture.bytes, TR_PAGE, 0);
	assert_int_equal(open_dump(UINT64_MAX), 0);
	assert_int_equal(channel_open_file(&channel, path, &CHANNEL_ANY_FILE, &error), -EPROTO);
	assert_says("truncated");
}

static void refuse(const char *why)
{
	assert_int_equal(open_dump(UINT64_MAX), -EPROTO);
	assert_says(why);
	assert_says(path);
	assert_null(dump.bytes);
}

static void cores_that_make_no_sense_are_refused(void **state)
{
	Elf64_Ehdr *header = (void *)file;
	Elf64_Phdr *segment;

	(void)state;
	begin_core(0);
	refuse("without memory");
	header->e_type = ET_EXEC;
	refuse("no core");
	size = 20;
	refuse("cannot be read");
	begin_core(1);
	segment = put_segment(0, 0x1000, "", 1, 0);
	segment->p_filesz = segment->p_memsz = size;
	refuse("cut off");
	segment->p_filesz = 1;
	segment->p_memsz = segment->p_paddr = UINT64_MAX - 4;
	refuse("behind 2^64");
	header->e_phnum = 5000;
	refuse("");
}

/* ---- Raw dumps ---- */

static void a_raw_dump_is_used_where_it_lies(void **state)
{
	(void)state;
	memcpy(file + TR_PAGE, fixture.bytes, FIXTURE_SIZE);
	size = TR_PAGE + FIXTURE_SIZE;
	assert_int_equal(open_dump(FIXTURE_ADDRESS - TR_PAGE), 0);
	assert_ptr_equal(memory_dump_at(&dump, FIXTURE_ADDRESS, FIXTURE_SIZE),
	                 dump.bytes + TR_PAGE);
	assert_null(memory_dump_at(&dump, FIXTURE_ADDRESS, FIXTURE_SIZE + 1));
	assert_null(memory_dump_at(&dump, FIXTURE_ADDRESS - TR_PAGE - 1, 1));
	assert_int_equal(open_dump(UINT64_MAX - 5), -EINVAL);
	assert_says("behind 2^64");
}

static void a_header_of_several_pieces_is_none(void **state)
{
	struct tr_header *header = (void *)file;
	struct channel channel;

	(void)state;
	memcpy(file, fixture.bytes, FIXTURE_SIZE);
	size = FIXTURE_SIZE;
	header->nonce ^= 1;
	open_dump(UINT64_MAX);
	assert_int_equal(channel_open_file(&channel, path, &CHANNEL_ANY_FILE, &error), -EPROTO);
	assert_says("the header's seal is 0x");
	header->version = 0x10002; /* that version had none */
	open_dump(UINT64_MAX);
	assert_int_equal(channel_open_file(&channel, path, &CHANNEL_ANY_FILE, &error), 0);
	channel_close(&channel);
}

/* Two regions, 2 MiB apart. */
static void several_regions_are_distinguished_by_nonce_and_address(void **state)
{
	struct tr_header *second = (void *)(file + TR_ALIGN);
	struct channel_file_options pick = CHANNEL_ANY_FILE;
	struct channel channel;

	(void)state;
	memcpy(file, fixture.bytes, FIXTURE_SIZE);
	memcpy(second, fixture.bytes, FIXTURE_SIZE);
	second->nonce = 0xabc;
	second->address += TR_ALIGN;
	second->seal = tr_header_seal(second);
	second->heartbeat = 99;
	size = TR_ALIGN + FIXTURE_SIZE;
	open_dump(UINT64_MAX);
	assert_int_equal(channel_open_file(&channel, path, &pick, &error), -EINVAL);
	assert_says("2 trace regions: say which by --nonce\n  nonce 0x");
	assert_says("nonce 0x0000000000000abc at 0x");
	assert_says("heartbeat 99");
	pick.has_nonce = true;
	pick.nonce = 0xabc;
	assert_int_equal(channel_open_file(&channel, path, &pick, &error), 0);
	assert_memory_equal(channel.bytes, second, TR_PAGE);
	channel_close(&channel);
	pick.has_address = true;
	pick.address = FIXTURE_ADDRESS;
	assert_int_equal(channel_open_file(&channel, path, &pick, &error), -ENOENT);
	assert_says("none of 2 trace regions");
	pick.has_nonce = false;
	assert_int_equal(channel_open_file(&channel, path, &pick, &error), 0);
	assert_memory_equal(channel.bytes, file, TR_PAGE);
	channel_close(&channel);
}

/* ---- Compressed ---- */

static size_t put_piece(uint64_t offset, const void *from, size_t bytes)
{
	uint64_t head[] = { htobe64(offset), htobe64(bytes) };

	memcpy(file + size, head, sizeof(head));
	memcpy(file + size + sizeof(head), from, bytes);
	size += sizeof(head) + bytes;
	return size - bytes;
}

static void flattened_kdumps_that_make_no_sense_are_refused(void **state)
{
	size_t at;

	(void)state;
	memcpy(file, "makedumpfile", sizeof("makedumpfile"));
	size = 4096;
	refuse("without its end");
	at = put_piece(0, "KDUMP   ", 8);
	refuse("without its end");
	put_piece(UINT64_MAX, "", 0);
	assert_true(open_dump(UINT64_MAX) < 0);
	assert_says("kdump");
	file[at - 1] = 0xff;
	file[at - 2] = 0xff;
	refuse("piece at 0x1010 is broken");
	file[at - 1] = 4;
	file[at - 2] = 0;
	file[at - 16] = 0x80; /* the offset's highest bit */
	refuse("piece at 0x1010 is broken");
}

static void a_flattened_file_that_holds_something_else_is_refused(void **state)
{
	(void)state;
	memcpy(file, "makedumpfile", sizeof("makedumpfile"));
	size = 4096;
	put_piece(0, "LKCD or so", 10);
	put_piece(UINT64_MAX, "", 0);
	refuse("no kdump inside");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_core_has_its_memory_in_pieces_that_are_not_aligned),
		TEST(a_core_of_32_bits_is_one_too),
		TEST(without_physical_addresses_the_virtual_ones_are_used),
		TEST(bytes_of_a_segment_that_the_file_omits_are_zero),
		TEST(each_address_in_overlapping_segments_has_one_segment),
		TEST(a_region_that_a_core_lacks_in_part_is_refused),
		TEST(cores_that_make_no_sense_are_refused),
		TEST(a_raw_dump_is_used_where_it_lies),
		TEST(a_header_of_several_pieces_is_none),
		TEST(several_regions_are_distinguished_by_nonce_and_address),
		TEST(flattened_kdumps_that_make_no_sense_are_refused),
		TEST(a_flattened_file_that_holds_something_else_is_refused),
	};

	return cmocka_run_group_tests_name("memory dumps", tests, NULL, NULL);
}
