/* SPDX-License-Identifier: MIT */
#include "agent/input/command_line.h"

#include <errno.h>
#include <string.h>

#include "abi/rom_command.h"
#include "agent/input/loadoptions.h"
#include "command/command.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"

#define CONFIG_MAX 16384U /* the most bytes of \bareperf.cfg */

static CHAR16 config_path[] = u"\\bareperf.cfg";
static uint8_t config[CONFIG_MAX];
static bool from_config;

bool command_line_is_of_volume(void)
{
	return from_config;
}

/* Read the whole file from the image's volume. Returns its size, 0 if there is none, -E2BIG or
 * -EIO. */
static int command_line_read_config(EFI_LOADED_IMAGE *image)
{
	EFI_FILE_IO_INTERFACE *volume =
	    efi_protocol(image->DeviceHandle, (EFI_GUID)EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID);
	EFI_FILE *root, *file;
	UINTN size = CONFIG_MAX;
	EFI_STATUS status;

	if (!volume || EFI_ERROR(volume->OpenVolume(volume, &root)))
		return 0;
	status = root->Open(root, &file, config_path, EFI_FILE_MODE_READ, 0);
	if (!EFI_ERROR(status)) {
		status = file->Read(file, &size, config);
		file->Close(file);
	} else {
		size = 0;
		status = EFI_SUCCESS; /* no file: no command line */
	}
	root->Close(root);
	if (EFI_ERROR(status))
		return -EIO;
	return size == CONFIG_MAX ? -E2BIG : (int)size;
}

static int command_line_say_bad_config(int code)
{
	console_printf("\\bareperf.cfg: %s; it is not used\n",
	               code == -EINVAL  ? "the first command is not plain ASCII text"
	               : code == -E2BIG ? "too long (16 KiB, and 1023 characters a command)"
	                                : "cannot be read");
	return code;
}

/* Whether load options are a command for bareperf. Boot managers and loaders also put other data
 * there. A text that a shell passed on is a command, and so is one that begins like a command; all
 * other data is ignored. */
static bool command_line_are_ours(const EFI_LOADED_IMAGE *image, const char *text, int code)
{
	if (code < 0)
		return command_is_named(text);
	if (loadoptions_name_image(image->LoadOptions, image->LoadOptionsSize))
		return true;
	return !loadoptions_are_parameters(text) && command_is_meant(text);
}

static const char *command_line_why_unusable(int code)
{
	return code == -E2BIG ? "longer than 1023 characters" : "not a line of plain ASCII text";
}

/* The command of a driver without load options. It is volatile because the host tool writes it into
 * the linked file. */
static int command_line_of_driver(char *text, size_t capacity)
{
	static volatile struct rom_command rom = { .magic = ROM_COMMAND_MAGIC };
	size_t length = 0;

	while (length + 1 < capacity && length + 1 < sizeof(rom.text) && rom.text[length]) {
		text[length] = rom.text[length];
		length++;
	}
	text[length] = 0;
	return (int)(length ? length : strlen(strcpy(text, COMMAND_BOOT)));
}

int command_line_read(char *text, size_t capacity)
{
	EFI_LOADED_IMAGE *image = efi_protocol(efi_image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	int code;

	text[0] = 0;
	if (!image)
		return 0;
	code = loadoptions_to_text(image->LoadOptions, image->LoadOptionsSize, text, capacity);
	if (code != 0 && command_line_are_ours(image, text, code)) {
		if (code < 0)
			console_printf("load options: %s\n", command_line_why_unusable(code));
		return code;
	}
	if (code != 0)
		console_printf(
		    "load options: ignored, not for bareperf (%s): looking for a command in "
		    "\\bareperf.cfg\n",
		    code < 0 ? command_line_why_unusable(code) : text);
	text[0] = 0;
	if (efi_is_driver())
		return command_line_of_driver(text, capacity);
	code = command_line_read_config(image);
	if (code > 0)
		code = config_to_text(config, (size_t)code, text, capacity);
	from_config = code > 0;
	return code < 0 ? command_line_say_bad_config(code) : code;
}
