/* SPDX-License-Identifier: MIT */
/*
 * The name of an image without a name in its file: from the nodes of its device path, or from its
 * section in a firmware volume, with any bytes. The name is text and fits; nothing is read beyond a
 * section's or path's end; memory that the firmware has allocated is freed.
 *
 * ROOM, a byte: the name may have so many bytes plus 2
 *
 * SIZE, a byte: the size of the section, which follows
 *
 * nodes: a device path has no size, so each node is cut to the available bytes, and an end node is
 * appended
 */
#include <stdlib.h>

#include "lib/efi/efi_image_name.h"
#include "tests/fuzz/seed.h"
#include "tests/unit/lib/efi/fake_firmware.h"

#define NODE 4U /* bytes of a node's header */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t no_image[64]; /* and the handle of a firmware volume */
static const uint8_t *section;
static size_t section_size;
static unsigned allocated;

static EFI_STATUS EFIAPI read_section(const VOID *volume, const EFI_GUID *file, UINT8 type,
                                      UINTN instance, VOID **buffer, UINTN *size,
                                      UINT32 *authentication)
{
	(void)volume;
	(void)file;
	(void)type;
	(void)instance;
	(void)authentication;
	if (!section_size)
		return EFI_NOT_FOUND;
	*buffer = malloc(section_size);
	if (!*buffer)
		abort();
	memcpy(*buffer, section, section_size);
	*size = section_size;
	allocated++;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pool(VOID *buffer)
{
	free(buffer);
	allocated--;
	return EFI_SUCCESS;
}

/* A block of exactly this size, so that the sanitizer detects reads beyond its end. */
static uint8_t *make_path(const uint8_t *nodes, size_t size)
{
	static const uint8_t end[NODE] = { 0x7f, 0xff, NODE, 0 };
	uint8_t *path = malloc(size + sizeof(end));
	size_t at = 0;

	if (!path)
		abort();
	if (size)
		memcpy(path, nodes, size);
	while (size - at >= NODE) {
		size_t length = path[at + 2] | (size_t)path[at + 3] << 8;

		if (length > size - at) {
			length = size - at;
			path[at + 2] = (uint8_t)length;
			path[at + 3] = (uint8_t)(length >> 8);
		}
		if (length < NODE)
			break;
		at += length;
	}
	memcpy(path + at, end, sizeof(end));
	return path;
}

static void require_name(const char *name, size_t room)
{
	size_t length = strnlen(name, room);

	if (!length || length == room || allocated)
		abort();
	for (size_t i = 0; i < length; i++)
		if (name[i] < ' ' || name[i] > '~')
			abort();
}

/* The name is written to an array of EFI_IMAGE_NAME_MAX bytes. */
static bool name_of(const uint8_t *data, size_t size, char *name)
{
	EFI_LOADED_IMAGE image = { .ImageBase = no_image, .ImageSize = sizeof(no_image) };
	struct efi_image_place place = { .base = (uint64_t)no_image, .size = sizeof(no_image) };
	size_t room;
	char *some;

	if (size < 2)
		return false;
	room = data[0] + 2U < EFI_IMAGE_NAME_MAX ? data[0] + 2U : EFI_IMAGE_NAME_MAX;
	section_size = data[1] < size - 2 ? data[1] : size - 2;
	section = data + 2;
	image.DeviceHandle = no_image;
	image.FilePath = (void *)make_path(section + section_size, size - 2 - section_size);
	some = malloc(room);
	if (!some)
		abort();
	efi_image_name(&image, some, room);
	require_name(some, room);
	efi_image_describe(&place, &image);
	require_name(place.name, sizeof(place.name));
	strcpy(name, some);
	free(some);
	free(image.FilePath);
	return true;
}

static bool is_good(const char *file, const uint8_t *bytes, size_t size)
{
	char name[EFI_IMAGE_NAME_MAX];

	(void)file;
	return name_of(bytes, size, name) && !strstr(name, "image@");
}

static void seed(int argc, char **argv, const char *file, const void *bytes, size_t size,
                 const char *called)
{
	char name[EFI_IMAGE_NAME_MAX];

	if (!name_of(bytes, size, name) || strcmp(name, called) != 0)
		abort();
	fuzz_seed(argc, argv, file, bytes, size);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	/* FIRMWARE_VOLUME2_PROTOCOL: PI 1.7, volume 3, 3.4.1 */
	static const EFI_GUID volume_guid = {
		0x220e73b6, 0x6bdb, 0x4413, { 0x84, 0x05, 0xb9, 0x74, 0xb1, 0x08, 0x61, 0x9a }
	};
	static void *volume[4];
	static const uint8_t file[] = { 30, 0,    1, 1,   6, 0,    1, 2,   4, 4, 14,
		                        0,  '\\', 0, 'a', 0, '\\', 0, 'b', 0, 0, 0 };
	static const uint8_t askew[] = { 30, 0, 1, 1, 5, 0, 1, 4, 4, 8, 0, 'b', 0, 0, 0 };
	static const uint8_t nothing_behind[] = { 30,  0, 4, 4, 8, 0, 'b', 0,
		                                  'c', 0, 4, 4, 6, 0, '/', 0 };
	static const uint8_t in_volume[] = { 30, 6, 'F', 0, 'A', 0, 0, 0,  4,  6,  20, 0,  1,  2,
		                             3,  4, 5,   6, 7,   8, 9, 10, 11, 12, 13, 14, 15, 16 };
	static const uint8_t no_section[] = { 60, 0, 4, 6, 20, 0,  1,  2,  3,  4,  5,
		                              6,  7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

	fake_firmware_begin();
	fake_services.FreePool = free_pool;
	fake_install(no_image, volume_guid, volume);
	volume[3] = (void *)(uintptr_t)read_section;
	seed(*argc, *argv, "file", file, sizeof(file), "b");
	seed(*argc, *argv, "askew", askew, sizeof(askew), "b");
	seed(*argc, *argv, "nothing-behind", nothing_behind, sizeof(nothing_behind), "bc");
	seed(*argc, *argv, "volume", in_volume, sizeof(in_volume), "FA.efi");
	seed(*argc, *argv, "guid", no_section, sizeof(no_section),
	     "04030201-0605-0807-090a-0b0c0d0e0f10");
	fuzz_require_seeds(*argc, *argv, is_good);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[EFI_IMAGE_NAME_MAX];

	name_of(data, size, name);
	return 0;
}
