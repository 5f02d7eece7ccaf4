/* SPDX-License-Identifier: MIT */
#include "agent/registration.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "agent/parse/command.h"
#include "agent/volume/volume_where.h"
#include "lib/console.h"
#include "lib/efi.h"
#include "lib/efi_file_path.h"
#include "lib/print.h"

#define MOST       256U /* drivers in an order */
#define NONE       0x10000U
#define OPTION_MAX 4096U /* bytes of a load option */
#define PATH_MAX   256U
#define ATTRIBUTES \
	(EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)

/* EFI_LOAD_OPTION (UEFI 2.10, 3.1.3): this, the description, the device path, the driver's load
 * options. */
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

/* Its bytes; 0: there is none; or it is larger than any of ours. */
static UINTN variable_get(CHAR16 *name, void *value, UINTN capacity)
{
	EFI_GUID guid = EFI_GLOBAL_VARIABLE;
	UINTN size = capacity;
	EFI_STATUS status =
	    efi_system->RuntimeServices->GetVariable(name, &guid, NULL, &size, value);

	return EFI_ERROR(status) ? 0 : size;
}

/* size 0: it is deleted. */
static int variable_set(CHAR16 *name, void *value, UINTN size)
{
	EFI_GUID guid = EFI_GLOBAL_VARIABLE;
	EFI_STATUS status =
	    efi_system->RuntimeServices->SetVariable(name, &guid, ATTRIBUTES, size, value);

	if (!EFI_ERROR(status) || (size == 0 && status == EFI_NOT_FOUND))
		return 0;
	console_printf("the firmware does not keep its variable %c...: 0x%lx\n", (char)name[0],
	               (uint64_t)status);
	return -EIO;
}

static CHAR16 *option_name(unsigned number)
{
	static CHAR16 name[] = u"Driver0000";

	for (unsigned i = 0; i < 4; i++)
		name[9 - i] = (CHAR16) "0123456789ABCDEF"[number >> 4 * i & 0xf];
	return name;
}

static UINTN option_get(unsigned number)
{
	return variable_get(option_name(number), option.bytes, sizeof(option));
}

static bool option_is_ours(unsigned number)
{
	return option_get(number) > sizeof(option.head) + sizeof(description) &&
	       memcmp(option.bytes + sizeof(option.head), description, sizeof(description)) == 0;
}

static void order_get(void)
{
	order.count = (unsigned)variable_get(order_name, order.numbers, sizeof(order.numbers)) /
	              sizeof(order.numbers[0]);
}

/* Its place in the order; order.count: there is none. */
static unsigned find_ours(void)
{
	unsigned at = 0;

	while (at < order.count && !option_is_ours(order.numbers[at]))
		at++;
	return at;
}

static bool is_in_order(unsigned number)
{
	for (unsigned i = 0; i < order.count; i++)
		if (order.numbers[i] == number)
			return true;
	return false;
}

static unsigned free_number(void)
{
	for (unsigned number = 0; number < NONE; number++)
		if (!is_in_order(number) && option_get(number) == 0)
			return number;
	return NONE;
}

/* ---- The load option ---- */

/* The path of our own image on its volume, with "-dxe" in front of the file's ".efi". */
static bool path_beside(char *path)
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

static bool file_is_there(const char *path)
{
	struct error error;
	EFI_FILE *root = volume_root(&error), *file;
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

/* Bytes; 0: there is no room. */
static UINTN option_make(const EFI_DEVICE_PATH *path, const char *command)
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

static int registration_write(const char *path, const char *command)
{
	EFI_DEVICE_PATH *device = efi_file_path(volume_handle(), path);
	unsigned at = find_ours();
	unsigned number = at < order.count ? order.numbers[at] : free_number();
	UINTN size = device ? option_make(device, command) : 0;
	int code;

	if (device)
		efi_system->BootServices->FreePool(device);
	if (!size || number == NONE || order.count == MOST) {
		console_printf("register: %s\n", size ? "there are too many drivers already"
		                                      : "the path or the command is too long");
		return -ENOSPC;
	}
	code = variable_set(option_name(number), option.bytes, size);
	if (code || at < order.count)
		return code;
	order.numbers[order.count++] = (uint16_t)number;
	code = variable_set(order_name, order.numbers, order.count * sizeof(order.numbers[0]));
	if (code)
		variable_set(option_name(number), NULL, 0);
	return code;
}

int registration_add(const char *command)
{
	char path[PATH_MAX];
	int code;

	if (!path_beside(path)) {
		console_printf(
		    "register: this image comes from no volume, where its driver would "
		    "lie beside it\n");
		return -ENOENT;
	}
	if (!file_is_there(path)) {
		console_printf(
		    "register: there is no %s, beside this image: it is what would be "
		    "loaded\n",
		    path);
		return -ENOENT;
	}
	order_get();
	code = registration_write(path, command);
	if (code == 0)
		console_printf(
		    "registered: from the next boot on %s is loaded: %s\n"
		    "unregister ends that\n",
		    path, command);
	return code;
}

int registration_remove(void)
{
	unsigned at;
	int code;

	order_get();
	at = find_ours();
	if (at == order.count) {
		console_printf("unregister: nothing of ours is registered\n");
		return 0;
	}
	code = variable_set(option_name(order.numbers[at]), NULL, 0);
	order.count--;
	memmove(order.numbers + at, order.numbers + at + 1,
	        (order.count - at) * sizeof(order.numbers[0]));
	if (code == 0)
		code =
		    variable_set(order_name, order.numbers, order.count * sizeof(order.numbers[0]));
	if (code == 0)
		console_printf("unregistered\n");
	return code;
}
