/* SPDX-License-Identifier: MIT */
#include "agent/payload/uefi_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/shell/shell_start.h"
#include "agent/volume/volume_where.h"
#include "command/command.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"
#include "lib/efi/efi_file_path.h"
#include "lib/parse/pe_image.h"
#include "lib/parse/shell_word.h"
#include "workload/workload.h"

#define EXIT_MOST    124 /* larger exit statuses are bareperf's own (docs/man/bareperf-run.1) */
#define STATUS_ERROR (1ULL << 63)

bool uefi_image_is(const void *bytes, uint64_t size)
{
	struct pe_image image;
	const char *why;

	return pe_parse(&image, bytes, size, PE_FILE, &why) == 0 &&
	       image.subsystem >= PE_EFI_APPLICATION && image.subsystem <= PE_EFI_RUNTIME_DRIVER;
}

/* ---- Where the file is ---- */

/* Find the file. The text before a colon is a volume's name, as in the shell. Without a colon the
 * file is searched for in the shell's current directory, then on our own image's volume. */
static EFI_DEVICE_PATH *uefi_image_find_file(const char *given, struct error *error)
{
	const char *colon = strchr(given, ':');
	EFI_DEVICE_PATH *path = colon || *given == '\\' || *given == '/' ? NULL
	                                                                 : shell_start_find(given);

	if (path)
		return path;
	if (volume_choose(given, colon ? (size_t)(colon - given) : 0, error) != 0)
		return NULL;
	if (volume_handle())
		path = efi_file_path(volume_handle(), colon ? colon + 1 : given);
	if (!path)
		error_set(error, -ENODEV,
		          "bareperf was loaded from no volume, so give one: fs0:\\\\FILE");
	return path;
}

/* ---- Its arguments ---- */

static CHAR16 *uefi_image_put_word(CHAR16 *to, const char *word)
{
	bool quoted = !*word || strpbrk(word, SHELL_WORD_QUOTED);

	if (quoted)
		*to++ = '"';
	for (; *word; word++) {
		if (strchr(SHELL_WORD_ESCAPED, *word))
			*to++ = '^';
		*to++ = (unsigned char)*word;
	}
	if (quoted)
		*to++ = '"';
	return to;
}

/* The arguments as a shell passes them: all words in one line of UCS-2, the name first. From
 * malloc(). */
static CHAR16 *uefi_image_options_of(int argc, char **argv, uint32_t *size)
{
	size_t length = 1;
	CHAR16 *options, *to;

	for (int i = 0; i < argc; i++)
		length += 2 * strlen(argv[i]) + 3;
	options = calloc(length, sizeof(*options));
	to = options;
	for (int i = 0; options && i < argc; i++) {
		if (i)
			*to++ = ' ';
		to = uefi_image_put_word(to, argv[i]);
	}
	*size = (uint32_t)((size_t)(to - options + 1) * sizeof(*options));
	return options;
}

/* ---- Running ---- */

static const char *uefi_image_load_error(EFI_STATUS status)
{
	switch (status) {
	case EFI_NOT_FOUND:
		return "there is no such file";
	case EFI_UNSUPPORTED:
	case EFI_LOAD_ERROR:
		return "it is no UEFI image for this machine, or damaged";
	case EFI_ACCESS_DENIED:
	case EFI_SECURITY_VIOLATION:
		return "Secure Boot refuses it";
	default:
		return "UEFI 2.10, appendix D";
	}
}

/* Load the image from its file or from bytes. The firmware also loads an image that violates the
 * security policy, but such an image must not be started (UEFI 2.10, 7.4.1). */
static EFI_STATUS uefi_image_load(const char *name, EFI_DEVICE_PATH *path, const void *bytes,
                                  uint64_t size, EFI_HANDLE *image)
{
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_STATUS status;

	*image = NULL;
	status = services->LoadImage(FALSE, efi_image, path, (VOID *)(uintptr_t)bytes, size, image);
	if (!EFI_ERROR(status))
		return status;
	console_printf("%s: not loaded: %s (0x%lx)\n", name, uefi_image_load_error(status),
	               (uint64_t)status);
	if (*image)
		services->UnloadImage(*image);
	return status;
}

/* The status as a process's exit status: an error's number, or the returned value. */
static int uefi_image_exit_status_of(EFI_STATUS status)
{
	uint64_t number = (uint64_t)status & ~STATUS_ERROR;

	return number < EXIT_MOST ? (int)number : EXIT_MOST;
}

static void uefi_image_set_options(EFI_HANDLE image, CHAR16 *options, uint32_t size)
{
	EFI_LOADED_IMAGE *loaded = efi_protocol(image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);

	if (!loaded)
		return;
	loaded->LoadOptions = options;
	loaded->LoadOptionsSize = options ? size : 0;
}

/* Start the image. A driver stays in memory, so its pointer to the options is cleared; an
 * application and its handle are gone. */
static EFI_STATUS uefi_image_start(EFI_HANDLE image, const EFI_DEVICE_PATH *path, int argc,
                                   char **argv)
{
	uint32_t size;
	CHAR16 *options = uefi_image_options_of(argc, argv, &size);
	EFI_STATUS status = shell_start_begin(image, path, argc, argv);

	if (EFI_ERROR(status) || !options) {
		console_printf("%s: not started: no memory for its arguments\n", argv[0]);
		efi_system->BootServices->UnloadImage(image);
		status = EFI_OUT_OF_RESOURCES;
	} else {
		uefi_image_set_options(image, options, size);
		status = efi_system->BootServices->StartImage(image, NULL, NULL);
		uefi_image_set_options(image, NULL, 0);
		console_printf("%s: returned 0x%lx\n", argv[0], (uint64_t)status);
	}
	shell_start_end();
	free(options);
	return status;
}

/* Load and start the image. Frees path. */
static int uefi_image_load_and_start(EFI_DEVICE_PATH *path, const void *bytes, uint64_t size,
                                     int argc, char **argv)
{
	EFI_HANDLE image;
	EFI_STATUS status = uefi_image_load(argv[0], path, bytes, size, &image);

	if (!EFI_ERROR(status))
		status = uefi_image_start(image, path, argc, argv);
	if (path)
		efi_system->BootServices->FreePool(path);
	return uefi_image_exit_status_of(status);
}

int uefi_image_run_bytes(const void *bytes, uint64_t size, int argc, char **argv)
{
	return uefi_image_load_and_start(efi_file_path(NULL, "payload.efi"), bytes, size, argc,
	                                 argv);
}

static int uefi_image_run(int argc, char **argv)
{
	struct error error = { "" };
	EFI_DEVICE_PATH *path = uefi_image_find_file(argv[0], &error);

	if (path)
		return uefi_image_load_and_start(path, NULL, 0, argc, argv);
	console_printf("%s: %s\n", argv[0], error.text);
	return uefi_image_exit_status_of(EFI_NOT_FOUND);
}

const struct workload workload_uefi_image = {
	.usage.name = "*.efi",
	.usage.arguments = "[ARGS...]",
	.usage.description =
	    "a UEFI application or driver on a volume (\\tools\\x.efi, fs1:\\x.efi), "
	    "started with boot services, which are recorded as well",
	.usage.takes_words = true,
	.run_program = uefi_image_run,
};

/* Nothing to run: the firmware boots. */
static int uefi_image_boot_runs(uint64_t argument)
{
	(void)argument;
	return 0;
}

const struct workload workload_boot = {
	.usage.name = BOOT_WORKLOAD,
	.usage.arguments = "",
	.usage.description = "the firmware's own boot (an option of record)",
	.run = uefi_image_boot_runs,
};
