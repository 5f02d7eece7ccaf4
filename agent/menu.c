/* SPDX-License-Identifier: MIT */
#include "agent/menu.h"

#include <string.h>

#include "agent/input/mailbox.h"
#include "agent/record/reader.h"
#include "agent/volume/volume_file.h"
#include "command/command.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"

#define SECONDS 30U /* seconds without a key until the choice is 5 */
#define LINGER  60U /* seconds for which a result stays on the screen */
#define LOOKS   20U /* looks for a key per second */
/* after so many keys that are no choice: a program, not a user, is writing to the line */
#define GARBAGE 8U
#define IMAGE_PATH                                                     \
	{                                                              \
		0xbc62157e, 0x3e33, 0x4fec,                            \
		{                                                      \
			0x99, 0x20, 0x2d, 0x3b, 0x36, 0xd7, 0x50, 0xdf \
		}                                                      \
	} /* EFI_LOADED_IMAGE_DEVICE_PATH_PROTOCOL_GUID: UEFI 2.10, 9.2 */

static const struct {
	const char *what, *command;
} choices[] = {
	{ "record the demo, a call tree, for 10 s",
	  "record --resident -e cpu-clock -F 1000 -g -- calltree 10" },
	{ "self-test: check and measure this machine, 2 minutes", "selftest --resident" },
	{ "list what this machine can record", "list --resident" },
};
#define CHOICES (sizeof(choices) / sizeof(choices[0]))

/* ---- Keys ---- */

/* A pressed key: its character, KEY_NONE, KEY_BACK for Escape, or KEY_OTHER. A key that is followed
 * by another one within a look's time is KEY_OTHER: such keys come from a program or an arrow key,
 * and are no choice. */
enum { KEY_NONE = 0, KEY_BACK = 0x1b, KEY_OTHER = 0xff };

static unsigned menu_read_key(void)
{
	EFI_INPUT_KEY key;

	if (!efi_system->ConIn ||
	    EFI_ERROR(efi_system->ConIn->ReadKeyStroke(efi_system->ConIn, &key)))
		return KEY_NONE;
	if (key.ScanCode == SCAN_ESC)
		return KEY_BACK;
	return key.UnicodeChar > 0 && key.UnicodeChar < KEY_OTHER ? key.UnicodeChar : KEY_OTHER;
}

static unsigned menu_key(void)
{
	unsigned key = menu_read_key();

	efi_system->BootServices->Stall(1000000 / LOOKS);
	if (key != KEY_NONE && menu_read_key() != KEY_NONE)
		key = KEY_OTHER;
	return key;
}

/* ---- The menu ---- */

static void menu_print(const char *command)
{
	console_printf("\nbareperf %s. What is this machine to do?\n", BAREPERF_VERSION);
	for (unsigned i = 0; i < CHOICES; i++)
		console_printf("  %u    %s\n", i + 1, choices[i].what);
	if (*command)
		console_printf("  4    \\bareperf.cfg: %s\n", command);
	console_printf(
	    "  5    leave the firmware, and wait for commands on every channel\n"
	    "  Esc  back to the firmware\n");
}

static bool menu_is_called(const struct trace_region *region)
{
	static struct mailbox_request request;

	return mailbox_poll(region, &request) || reader_is_announced(region);
}

/* Returns the chosen key of the menu; '5' also if no user is there. */
static unsigned menu_choose(const char *command, const struct trace_region *region, bool *alone)
{
	unsigned garbage = 0;

	for (unsigned looks = 0; garbage < GARBAGE; looks++) {
		unsigned key = menu_key();

		if (key == KEY_BACK || (key >= '1' && key <= '5' && (key != '4' || *command)))
			return key;
		garbage += key != KEY_NONE;
		if (menu_is_called(region) || (*alone && looks == SECONDS * LOOKS))
			break;
		if (*alone && looks % LOOKS == 0)
			console_printf("\r%u s until 5: ", SECONDS - looks / LOOKS);
	}
	return '5';
}

/* ---- Carrying it out ---- */

/* Start the image again, with these load options. */
static EFI_STATUS menu_start(const char *command)
{
	static CHAR16 options[COMMAND_MAX_LENGTH + 1];
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_LOADED_IMAGE *loaded;
	EFI_HANDLE child = NULL;
	EFI_STATUS status;
	size_t length = strlen(command);

	for (size_t i = 0; i <= length; i++)
		options[i] = (unsigned char)command[i];
	status = services->LoadImage(
	    FALSE, efi_image, efi_protocol(efi_image, (EFI_GUID)IMAGE_PATH), NULL, 0, &child);
	if (EFI_ERROR(status))
		return status;
	loaded = efi_protocol(child, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	if (loaded) {
		loaded->LoadOptions = options;
		loaded->LoadOptionsSize = (UINT32)((length + 1) * sizeof(options[0]));
	}
	status = services->StartImage(child, NULL, NULL);
	return status == EFI_ABORTED ? EFI_SUCCESS : status; /* it has printed why */
}

static bool menu_is_due(const char *command)
{
	struct volume_space space;
	struct error ignored = { "" };

	if (*command && menu_read_key() == KEY_NONE)
		return false;
	return volume_space(&space, &ignored) == 0 && !space.read_only;
}

enum menu_end menu_run(const char *command, const struct trace_region *region)
{
	bool alone = true;
	unsigned key;

	if (!menu_is_due(command))
		return *command ? MENU_RUN : MENU_SERVE;
	for (;;) {
		EFI_STATUS status;

		menu_print(command);
		key = menu_choose(command, region, &alone);
		console_printf("\n");
		if (key == KEY_BACK)
			return MENU_BACK;
		if (key == '5')
			return MENU_SERVE;
		if (key == '4')
			return MENU_RUN;
		alone = false;
		status = menu_start(choices[key - '1'].command);
		if (EFI_ERROR(status))
			console_printf("the command cannot be started: the firmware reports %lu\n",
			               (unsigned long)(status & ~EFIERR(0)));
	}
}

/* ---- At the end ---- */

void menu_linger(void)
{
	if (!efi_locate((EFI_GUID)EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID))
		return;
	while (menu_read_key() != KEY_NONE)
		; /* drop keys that were pressed during the recording */
	for (unsigned looks = 0; looks < LINGER * LOOKS && menu_key() == KEY_NONE; looks++)
		if (looks % LOOKS == 0)
			console_printf("\rthe firmware continues in %u s, or at a key ",
			               LINGER - looks / LOOKS);
	console_printf("\n");
}
