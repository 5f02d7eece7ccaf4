/* SPDX-License-Identifier: MIT */
#include "lib/efi/efi_file_path.h"

#include <string.h>

/* Device path nodes: UEFI 2.10, 10.2, 10.3.5.4 */
#define NODE_HEADER   4U
#define NODE_MEDIA    4
#define NODE_FILE     4
#define NODE_END      0x7f
#define END_OF_ENTIRE 0xff

static size_t efi_file_path_node_length(const uint8_t *node)
{
	return node[2] | (size_t)node[3] << 8;
}

/* Bytes of the path without its end node. */
static size_t path_length(const uint8_t *path)
{
	size_t at = 0;

	while (path[at] != NODE_END && efi_file_path_node_length(path + at) >= NODE_HEADER)
		at += efi_file_path_node_length(path + at);
	return at;
}

static void efi_file_path_put_node(uint8_t *at, uint8_t type, uint8_t subtype, size_t length)
{
	at[0] = type;
	at[1] = subtype;
	at[2] = (uint8_t)length;
	at[3] = (uint8_t)(length >> 8);
}

EFI_DEVICE_PATH *efi_file_path(EFI_HANDLE volume, const char *name)
{
	static const uint8_t nowhere[NODE_HEADER] = { NODE_END, END_OF_ENTIRE, NODE_HEADER };
	const uint8_t *front =
	    volume ? efi_protocol(volume, (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID) : nowhere;
	size_t node = NODE_HEADER + 2 * (strlen(name) + 1), length = front ? path_length(front) : 0;
	uint8_t *path, *at;

	if (!front || EFI_ERROR(efi_system->BootServices->AllocatePool(
	                  EfiLoaderData, length + node + NODE_HEADER, (void **)&path)))
		return NULL;
	memset(path, 0, length + node + NODE_HEADER);
	memcpy(path, front, length);
	efi_file_path_put_node(path + length, NODE_MEDIA, NODE_FILE, node);
	for (at = path + length + NODE_HEADER; *name; name++, at += 2)
		*at = (uint8_t)(*name == '/' ? '\\' : *name);
	efi_file_path_put_node(path + length + node, NODE_END, END_OF_ENTIRE, NODE_HEADER);
	return (EFI_DEVICE_PATH *)path;
}

size_t efi_file_path_size(const EFI_DEVICE_PATH *path)
{
	return path_length((const uint8_t *)path) + NODE_HEADER;
}

/* Append a node's name to a text of this length, with a backslash between two nodes. */
static size_t efi_file_path_append_name(const uint8_t *node, char *text, size_t length,
                                        size_t capacity)
{
	size_t count = (efi_file_path_node_length(node) - NODE_HEADER) / 2;

	if (length > 0 && text[length - 1] != '\\' && node[NODE_HEADER] != '\\')
		text[length++] = '\\';
	for (size_t i = 0; i < count; i++) {
		const uint8_t *at = node + NODE_HEADER + 2 * i;

		if (at[0] == 0 && at[1] == 0)
			break;
		if (at[1] != 0 || at[0] < ' ' || at[0] > '~' || length + 2 >= capacity)
			return 0;
		text[length++] = (char)at[0];
	}
	text[length] = 0;
	return length;
}

size_t efi_file_path_text(const EFI_DEVICE_PATH *path, char *text, size_t capacity)
{
	const uint8_t *node = (const uint8_t *)path;
	size_t length = 0;

	text[0] = 0;
	for (; node && node[0] != NODE_END && efi_file_path_node_length(node) >= NODE_HEADER;
	     node += efi_file_path_node_length(node)) {
		if (node[0] != NODE_MEDIA || node[1] != NODE_FILE)
			continue;
		length = efi_file_path_append_name(node, text, length, capacity);
		if (length == 0)
			return 0;
	}
	return length;
}
