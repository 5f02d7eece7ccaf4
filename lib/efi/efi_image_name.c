/* SPDX-License-Identifier: MIT */
#include "lib/efi/efi_image_name.h"

#include <string.h>

#include "lib/parse/ffs_section.h"
#include "lib/parse/pe_image.h"
#include "lib/print.h"

/* Device path nodes, UEFI 2.10, 10.3.5.4; PI 1.7, volume 3, 8.3.2.1 */
#define NODE_MEDIA      4
#define MEDIA_FILE_PATH 4
#define MEDIA_FV_FILE   6
#define NODE_END        0x7f
#define NODES_MOST      64U

/* PI 1.7, volume 3, 3.4.1; GNU-EFI does not declare it. Unused members have no type. */
#define FIRMWARE_VOLUME2_GUID                                          \
	{                                                              \
		0x220e73b6, 0x6bdb, 0x4413,                            \
		{                                                      \
			0x84, 0x05, 0xb9, 0x74, 0xb1, 0x08, 0x61, 0x9a \
		}                                                      \
	}
struct firmware_volume2 {
	VOID *get_attributes, *set_attributes, *read_file;
	EFI_STATUS(EFIAPI *read_section)
	(const struct firmware_volume2 *volume, const EFI_GUID *file, UINT8 type, UINTN instance,
	 VOID **buffer, UINTN *size, UINT32 *authentication);
};

/* A device path node, at any alignment. */
struct node {
	uint8_t type, subtype;
	uint8_t length[2]; /* length of the whole node */
	uint8_t body[];
};

static size_t image_name_node_length(const struct node *node)
{
	return node->length[0] | (size_t)node->length[1] << 8;
}

/* Append ".efi" if there is room, so that the name looks like a file's. */
static void image_name_add_ending(char *name, size_t size)
{
	size_t length = strlen(name);

	if (length + sizeof(".efi") <= size)
		memcpy(name + length, ".efi", sizeof(".efi"));
}

/* Read a section of a file in a firmware volume; the caller frees it. NULL: there is none. */
static VOID *image_name_read_section(EFI_HANDLE volume, const EFI_GUID *file, UINT8 type,
                                     UINTN *size)
{
	const struct firmware_volume2 *protocol =
	    volume ? efi_protocol(volume, (EFI_GUID)FIRMWARE_VOLUME2_GUID) : NULL;
	UINT32 authentication;
	VOID *section = NULL;

	*size = 0;
	if (!protocol || EFI_ERROR(protocol->read_section(protocol, file, type, 0, &section, size,
	                                                  &authentication)))
		return NULL;
	return section;
}

static bool name_of_section(EFI_HANDLE volume, const EFI_GUID *file, char *name, size_t size)
{
	UINTN bytes;
	VOID *text = image_name_read_section(volume, file, FFS_SECTION_USER_INTERFACE, &bytes);
	bool found;

	if (!text)
		return false;
	found = ffs_ui_text(text, bytes, name, (uint32_t)size) != 0;
	efi_system->BootServices->FreePool(text);
	if (found)
		image_name_add_ending(name, size);
	return found;
}

/* The character if it is printable ASCII and no space, else 0. */
static char image_name_plain_character(const uint8_t *character)
{
	return !character[1] && character[0] > ' ' && character[0] < 0x7f ? (char)character[0] : 0;
}

/* Take the part behind the last separator of a UCS-2 text at any alignment; if that part is empty,
 * name stays unchanged. */
static bool name_of_text(const uint8_t *text, size_t bytes, char *name, size_t size)
{
	size_t from = 0, end = 0, used = 0;

	for (; end + 1 < bytes && (text[end] || text[end + 1]); end += 2) {
		char c = image_name_plain_character(text + end);

		if (c == '\\' || c == '/')
			from = end + 2;
	}
	if (from == end)
		return false;
	for (; from < end && used < size - 1; from += 2) {
		char c = image_name_plain_character(text + from);

		name[used++] = c ? c : '?';
	}
	name[used] = 0;
	return true;
}

static void name_of_guid(const EFI_GUID *guid, char *name, size_t size)
{
	print_text(name, size, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", guid->Data1,
	           guid->Data2, guid->Data3, guid->Data4[0], guid->Data4[1], guid->Data4[2],
	           guid->Data4[3], guid->Data4[4], guid->Data4[5], guid->Data4[6], guid->Data4[7]);
}

/* The next whole node of the device path at *at; NULL: there are no more. */
static const struct node *image_name_next_node(const uint8_t **at, unsigned *count)
{
	const struct node *node = (const struct node *)*at;

	if (!node || (*count)++ >= NODES_MOST || node->type == NODE_END ||
	    image_name_node_length(node) < sizeof(*node))
		return NULL;
	*at += image_name_node_length(node);
	return node;
}

/* Name the image by the last node that names a file: by its name, or by its GUID in a firmware
 * volume. */
static bool name_of_path(const EFI_LOADED_IMAGE *image, char *name, size_t size)
{
	const uint8_t *at = (const uint8_t *)image->FilePath;
	const struct node *node;
	unsigned count = 0;
	EFI_GUID file;
	bool found = false;

	while ((node = image_name_next_node(&at, &count))) {
		size_t length = image_name_node_length(node) - sizeof(*node);

		if (node->type != NODE_MEDIA)
			continue;
		if (node->subtype == MEDIA_FILE_PATH)
			found |= name_of_text(node->body, length, name, size);
		if (node->subtype != MEDIA_FV_FILE || length < sizeof(file))
			continue;
		memcpy(&file, node->body, sizeof(file));
		if (!name_of_section(image->DeviceHandle, &file, name, size))
			name_of_guid(&file, name, size);
		found = true;
	}
	return found;
}

/* Read the image's file from its firmware volume; the caller frees it. NULL: it is not from one. */
static VOID *image_name_file_of(const EFI_LOADED_IMAGE *image, UINTN *size)
{
	const uint8_t *at = (const uint8_t *)image->FilePath;
	const struct node *node;
	unsigned count = 0;
	EFI_GUID file;

	while ((node = image_name_next_node(&at, &count))) {
		if (node->type != NODE_MEDIA || node->subtype != MEDIA_FV_FILE ||
		    image_name_node_length(node) < sizeof(*node) + sizeof(file))
			continue;
		memcpy(&file, node->body, sizeof(file));
		return image_name_read_section(image->DeviceHandle, &file, FFS_SECTION_PE32, size);
	}
	return NULL;
}

/* Take the name from the image's own headers, which are untrusted bytes. */
static bool name_of_headers(const struct pe_image *image, char *name, size_t size)
{
	struct pe_debug debug;
	uint32_t used = 0;

	pe_debug_find(image, &debug);
	for (; used < debug.path_size && used < size - 1; used++)
		name[used] = debug.path[used] > ' ' && debug.path[used] < 0x7f ? debug.path[used]
		                                                               : '?';
	name[used] = 0;
	return used > 0;
}

/* mapped NULL: the image is no PE image. */
static void image_call(char *name, size_t size, const EFI_LOADED_IMAGE *loaded,
                       const struct pe_image *mapped)
{
	if (!(mapped && name_of_headers(mapped, name, size)) && !name_of_path(loaded, name, size))
		print_text(name, size, "image@0x%lx", (uint64_t)loaded->ImageBase);
}

/* Identify the image by its file in the firmware volume if there is one: code that changes itself,
 * as EDK2's exception handlers do, is unchanged in the file. */
static void image_identify(struct efi_image_place *place, const EFI_LOADED_IMAGE *loaded,
                           const struct pe_image *mapped)
{
	struct pe_image file;
	const char *why;
	UINTN size;
	VOID *bytes = image_name_file_of(loaded, &size);

	if (bytes && pe_parse(&file, bytes, size, PE_FILE, &why) == 0 &&
	    file.entry == mapped->entry && file.image_size == mapped->image_size)
		place->has_build_id = pe_build_id(&file, place->build_id);
	else
		place->has_build_id = pe_build_id(mapped, place->build_id);
	if (bytes)
		efi_system->BootServices->FreePool(bytes);
}

void efi_image_describe(struct efi_image_place *place, const EFI_LOADED_IMAGE *loaded)
{
	struct pe_image image;
	const char *why;
	bool parsed = pe_parse(&image, (const void *)place->base, place->size, PE_MAPPED, &why) ==
	              0;

	if (parsed) {
		image_identify(place, loaded, &image);
		place->frames = pe_frames(&image);
	}
	image_call(place->name, sizeof(place->name), loaded, parsed ? &image : NULL);
}

void efi_image_name(const EFI_LOADED_IMAGE *loaded, char *name, size_t size)
{
	struct pe_image image;
	const char *why, *last = name;
	bool parsed = pe_parse(&image, loaded->ImageBase, loaded->ImageSize, PE_MAPPED, &why) == 0;

	image_call(name, size, loaded, parsed ? &image : NULL);
	for (const char *at = name; *at; at++)
		last = (*at == '/' || *at == '\\') && at[1] ? at + 1 : last;
	memmove(name, last, strlen(last) + 1);
}
