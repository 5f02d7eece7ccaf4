/* SPDX-License-Identifier: MIT */
#include "agent/uefi/registration.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "agent/volume/volume_where.h"
#include "command/command.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"
#include "lib/efi/efi_file_path.h"
#include "lib/print.h"

#define MOST       256U /* the most drivers in DriverOrder */
#define NUMBERS    0x10000
#define OPTION_MAX 4096U /* bytes of a load option */
#define PATH_MAX   256U
#define ATTRIBUTES \
	(EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)

/* EFI_LOAD_OPTION (UEFI 2.10, 3.1.3): this header, the description, the device path, and the
 * driver's load options follow each other. */
struct load_option {
	uint32_t attributes;
	uint16_t path_length;
} __attribute__((packed));
#define LOAD_OPTION_ACTIVE 1U

static const CHAR16 description[] = u"bareperf-dxe";
static CHAR16 order_name[] = u"DriverOrder";

/* ---- Variables ---- */

static struct {
	uint16_t numbers[MOST];
	unsigned count;
} order;
static union {
	struct load_option head;
	uint8_t bytes[OPTION_MAX];
} option;

static const char *registration_name_text(const CHAR16 *name)
{
	static char text[sizeof(order_name) / sizeof(*order_name)];
	size_t i = 0;

	do
		text[i] = (char)name[i];
	while (name[i++]);
	return text;
}

/* Returns the variable's size in bytes; 0 if there is none; -EFBIG if it is larger than capacity;
 * -EIO, and a message, if it cannot be read. */
static int registration_variable_get(CHAR16 *name, void *value, UINTN capacity)
{
	EFI_GUID guid = EFI_GLOBAL_VARIABLE;
	UINTN size = capacity;
	EFI_STATUS status =
	    efi_system->RuntimeServices->GetVariable(name, &guid, NULL, &size, value);

	if (!EFI_ERROR(status))
		return (int)size;
	if (status == EFI_NOT_FOUND)
		return 0;
	if (status == EFI_BUFFER_TOO_SMALL)
		return -EFBIG;
	console_printf(
	    "the firmware does not read its variable %s (0x%lx): nothing is changed; try again "
	    "after a reset\n",
	    registration_name_text(name), (uint64_t)status);
	return -EIO;
}

/* size 0 deletes the variable. Returns 0, or -EIO and a message. */
static int registration_variable_set(CHAR16 *name, void *value, UINTN size)
{
	EFI_GUID guid = EFI_GLOBAL_VARIABLE;
	EFI_STATUS status =
	    efi_system->RuntimeServices->SetVariable(name, &guid, ATTRIBUTES, size, value);

	if (!EFI_ERROR(status) || (size == 0 && status == EFI_NOT_FOUND))
		return 0;
	console_printf("the firmware does not write its variable %s: 0x%lx\n",
	               registration_name_text(name), (uint64_t)status);
	return -EIO;
}

/* Write number, in hexadecimal, into the last four characters of name, which has length characters.
 */
static CHAR16 *registration_number_name(CHAR16 *name, unsigned length, unsigned number)
{
	for (unsigned i = 1; i <= 4; i++, number >>= 4)
		name[length - i] = (CHAR16) "0123456789ABCDEF"[number & 0xf];
	return name;
}

static CHAR16 *registration_option_name(unsigned number)
{
	static CHAR16 name[] = u"Driver0000";

	return registration_number_name(name, 10, number);
}

static int registration_option_get(unsigned number)
{
	return registration_variable_get(registration_option_name(number), option.bytes,
	                                 sizeof(option));
}

/* Whether the load option is bareperf's: 1, 0, or -EIO. bareperf's are never larger than
 * OPTION_MAX. */
static int registration_option_is_ours(unsigned number)
{
	int size = registration_option_get(number);

	if (size < 0)
		return size == -EFBIG ? 0 : size;
	return (size_t)size > sizeof(option.head) + sizeof(description) &&
	       memcmp(option.bytes + sizeof(option.head), description, sizeof(description)) == 0;
}

/* Read DriverOrder into order. Returns 0, or a negative errno and a message. */
static int registration_order_get(void)
{
	int size = registration_variable_get(order_name, order.numbers, sizeof(order.numbers));

	order.count = size < 0 ? 0 : (unsigned)size / sizeof(order.numbers[0]);
	if (size == -EFBIG)
		console_printf(
		    "the firmware's DriverOrder has more than %u drivers: nothing is changed; "
		    "remove some (in its shell: bcfg driver dump, bcfg driver rm NUMBER)\n",
		    MOST);
	return size < 0 ? size : 0;
}

/* Find the place of bareperf's driver in order; *at is order.count if it has none. Returns 0 or
 * -EIO. */
static int registration_find_ours(unsigned *at)
{
	int found = 0;

	for (*at = 0; *at < order.count; (*at)++) {
		found = registration_option_is_ours(order.numbers[*at]);
		if (found)
			break;
	}
	return found < 0 ? found : 0;
}

static bool registration_is_in_order(unsigned number)
{
	for (unsigned i = 0; i < order.count; i++)
		if (order.numbers[i] == number)
			return true;
	return false;
}

/* Returns a free driver number, if DriverOrder has room for it; or a negative errno and a message.
 */
static int registration_free_number(void)
{
	for (int number = 0; order.count < MOST && number < NUMBERS; number++) {
		int size = registration_is_in_order((unsigned)number)
		               ? -EFBIG
		               : registration_option_get((unsigned)number);

		if (size == 0)
			return number;
		if (size == -EIO)
			return size;
	}
	console_printf(
	    "register: there are too many drivers already: remove some (in the shell: bcfg driver "
	    "rm NUMBER)\n");
	return -ENOSPC;
}

/* ---- The load option ---- */

/* The path of our own image on its volume, with "-dxe" in front of the file's ".efi". */
static bool registration_path_beside(char *path)
{
	static const char driver[] = "-dxe";
	EFI_LOADED_IMAGE *self = efi_protocol(efi_image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	size_t length = efi_file_path_text(self->FilePath, path, PATH_MAX);
	char *end = path + length, *name = strrchr(path, '\\');
	char *dot = strrchr(name ? name : path, '.');

	if (length == 0 || length + sizeof(driver) > PATH_MAX)
		return false;
	if (!dot)
		dot = end;
	memmove(dot + sizeof(driver) - 1, dot, (size_t)(end - dot) + 1);
	memcpy(dot, driver, sizeof(driver) - 1);
	return true;
}

static bool registration_file_is_there(const char *path)
{
	struct error ignored = { "" };
	EFI_FILE *root = volume_root(&ignored), *file;
	CHAR16 wide[PATH_MAX];
	EFI_STATUS status;
	size_t i = 0;

	if (!root)
		return false;
	do
		wide[i] = (unsigned char)path[i];
	while (path[i++]);
	status = root->Open(root, &file, wide, EFI_FILE_MODE_READ, 0);
	if (!EFI_ERROR(status))
		file->Close(file);
	root->Close(root);
	return !EFI_ERROR(status);
}

/* Build the load option. Returns its bytes, or 0 if it is too long. */
static UINTN registration_option_make(const EFI_DEVICE_PATH *path, const char *command)
{
	size_t path_size = efi_file_path_size(path);
	UINTN size = sizeof(option.head) + sizeof(description);

	if (size + path_size + 2 * (strlen(command) + 1) > sizeof(option))
		return 0;
	option.head.attributes = LOAD_OPTION_ACTIVE;
	option.head.path_length = (uint16_t)path_size;
	memcpy(option.bytes + sizeof(option.head), description, sizeof(description));
	memcpy(option.bytes + size, path, path_size);
	for (size += path_size;; size += 2) {
		option.bytes[size] = (uint8_t)*command;
		option.bytes[size + 1] = 0;
		if (!*command++)
			return size + 2;
	}
}

/* at: the driver's place in the order, or order.count if it is new. */
static int registration_write(unsigned at, const char *path, const char *command)
{
	bool is_new = at == order.count;
	int number = is_new ? registration_free_number() : order.numbers[at];
	EFI_DEVICE_PATH *device;
	UINTN size = 0;
	int code;

	if (number < 0)
		return number;
	device = efi_file_path(volume_handle(), path);
	if (device) {
		size = registration_option_make(device, command);
		efi_system->BootServices->FreePool(device);
	}
	if (!size) {
		console_printf("register: the path or the command is too long\n");
		return -ENOSPC;
	}
	code = registration_variable_set(registration_option_name((unsigned)number), option.bytes,
	                                 size);
	if (code || !is_new)
		return code;
	order.numbers[order.count++] = (uint16_t)number;
	code = registration_variable_set(order_name, order.numbers,
	                                 order.count * sizeof(order.numbers[0]));
	if (code)
		registration_variable_set(registration_option_name((unsigned)number), NULL, 0);
	return code;
}

int registration_add(const char *command)
{
	char path[PATH_MAX];
	unsigned at;
	int code;

	if (!registration_path_beside(path)) {
		console_printf(
		    "register: this image comes from no volume, so there is no driver "
		    "beside it\n");
		return -ENOENT;
	}
	if (!registration_file_is_there(path)) {
		console_printf(
		    "register: there is no %s beside this image: copy the driver "
		    "there\n",
		    path);
		return -ENOENT;
	}
	code = registration_order_get();
	if (code == 0)
		code = registration_find_ours(&at);
	if (code == 0)
		code = registration_write(at, path, command);
	if (code == 0)
		console_printf(
		    "registered: from the next boot on %s is loaded: %s\n"
		    "unregister undoes this\n",
		    path, command);
	return code;
}

int registration_remove(void)
{
	unsigned at;
	int code;

	code = registration_order_get();
	if (code == 0)
		code = registration_find_ours(&at);
	if (code != 0)
		return code;
	if (at == order.count) {
		console_printf("unregister: bareperf-dxe.efi is not registered\n");
		return 0;
	}
	code = registration_variable_set(registration_option_name(order.numbers[at]), NULL, 0);
	order.count--;
	memmove(order.numbers + at, order.numbers + at + 1,
	        (order.count - at) * sizeof(order.numbers[0]));
	if (code == 0)
		code = registration_variable_set(order_name, order.numbers,
		                                 order.count * sizeof(order.numbers[0]));
	if (code == 0)
		console_printf("unregistered\n");
	return code;
}

/* ---- The boot entries ---- */

/* Returns the variable's bytes; 0 if there is none, it is larger than capacity, or it cannot be
 * read. */
static UINTN registration_look(CHAR16 *name, void *value, UINTN capacity)
{
	EFI_GUID guid = EFI_GLOBAL_VARIABLE;
	UINTN size = capacity;

	return EFI_ERROR(efi_system->RuntimeServices->GetVariable(name, &guid, NULL, &size, value))
	           ? 0
	           : size;
}

static uint8_t registration_small(uint8_t letter)
{
	return letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
}

/* Whether the load option's device path names a file of Windows' boot manager, on any volume. */
static bool registration_is_windows(UINTN size)
{
	static const CHAR16 where[] = u"\\efi\\microsoft\\";
	const UINTN length = sizeof(where) - sizeof(*where);

	if (size < sizeof(option.head) || !(option.head.attributes & LOAD_OPTION_ACTIVE))
		return false;
	for (UINTN at = sizeof(option.head); at + length <= size; at++) {
		UINTN i = 0;

		while (i < length &&
		       registration_small(option.bytes[at + i]) == ((const uint8_t *)where)[i])
			i++;
		if (i == length)
			return true;
	}
	return false;
}

void registration_warn_of_windows(void)
{
	static CHAR16 boot_order[] = u"BootOrder", name[] = u"Boot0000";
	UINTN count = registration_look(boot_order, order.numbers, sizeof(order.numbers)) /
	              sizeof(order.numbers[0]);

	for (UINTN i = 0; i < count; i++) {
		registration_number_name(name, 8, order.numbers[i]);
		if (registration_is_windows(registration_look(name, option.bytes, sizeof(option))))
			console_printf(
			    "%s is Windows' boot manager, which has interrupt tables of its "
			    "own: the next sample there crashes the machine; with --until "
			    "ready-to-boot the recording ends before that\n",
			    registration_name_text(name));
	}
}
