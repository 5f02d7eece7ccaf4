/* SPDX-License-Identifier: MIT */
#include "agent/shell/shell_console.h"

#define PIECE     128U /* characters per call of OutputString() */
#define BACKSPACE 8
#define RETURN    13

/* ---- Services that a console lacks ---- */

static EFI_STATUS EFIAPI shell_console_open(EFI_FILE *file, EFI_FILE **opened, CHAR16 *name,
                                            UINT64 mode, UINT64 attributes)
{
	(void)file, (void)opened, (void)name, (void)mode, (void)attributes;
	return EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI shell_console_close(EFI_FILE *file)
{
	(void)file;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI shell_console_set_position(EFI_FILE *file, UINT64 position)
{
	(void)file, (void)position;
	return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI shell_console_get_position(EFI_FILE *file, UINT64 *position)
{
	(void)file, (void)position;
	return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI shell_console_get_info(EFI_FILE *file, EFI_GUID *type, UINTN *size,
                                                VOID *info)
{
	(void)file, (void)type, (void)size, (void)info;
	return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI shell_console_set_info(EFI_FILE *file, EFI_GUID *type, UINTN size,
                                                VOID *info)
{
	(void)file, (void)type, (void)size, (void)info;
	return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI shell_console_reads_not(EFI_FILE *file, UINTN *size, VOID *bytes)
{
	(void)file, (void)size, (void)bytes;
	return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI shell_console_writes_not(EFI_FILE *file, UINTN *size, VOID *bytes)
{
	(void)file, (void)size, (void)bytes;
	return EFI_UNSUPPORTED;
}

/* ---- Output ---- */

/* OutputString() needs a NUL at the text's end; text may have none. */
static EFI_STATUS shell_console_put(SIMPLE_TEXT_OUTPUT_INTERFACE *to, const CHAR16 *text,
                                    UINTN count)
{
	CHAR16 piece[PIECE + 1];
	EFI_STATUS status = EFI_SUCCESS;

	for (UINTN at = 0; at < count && !EFI_ERROR(status);) {
		UINTN length = 0;

		while (length < PIECE && at < count && text[at])
			piece[length++] = text[at++];
		piece[length] = 0;
		status = to->OutputString(to, piece);
		if (at < count && !text[at])
			break;
	}
	return status;
}

static EFI_STATUS EFIAPI shell_console_write(EFI_FILE *file, UINTN *size, VOID *text)
{
	bool is_error = file == shell_console_error();

	if (!size || !text)
		return EFI_INVALID_PARAMETER;
	return shell_console_put(is_error && efi_system->StdErr ? efi_system->StdErr
	                                                        : efi_system->ConOut,
	                         text, *size / sizeof(CHAR16));
}

/* ---- Input ---- */

static CHAR16 shell_console_key(void)
{
	EFI_INPUT_KEY key;
	UINTN index;

	for (;;) {
		if (!EFI_ERROR(efi_system->ConIn->ReadKeyStroke(efi_system->ConIn, &key)))
			return key.UnicodeChar;
		efi_system->BootServices->WaitForEvent(1, &efi_system->ConIn->WaitForKey, &index);
	}
}

/* Read a line, without its end, and show it while it is typed. Characters that do not fit are
 * dropped. */
static EFI_STATUS EFIAPI shell_console_read(EFI_FILE *file, UINTN *size, VOID *bytes)
{
	static const CHAR16 rub_out[] = { BACKSPACE, ' ', BACKSPACE }, end[] = { '\r', '\n' };
	CHAR16 *line = bytes, key;
	UINTN count = 0;

	(void)file;
	if (!size || !bytes)
		return EFI_INVALID_PARAMETER;
	while ((key = shell_console_key()) != RETURN) {
		if (key == BACKSPACE && count > 0) {
			count--;
			shell_console_put(efi_system->ConOut, rub_out, 3);
		} else if (key >= ' ' && count < *size / sizeof(*line)) {
			line[count++] = key;
			shell_console_put(efi_system->ConOut, &key, 1);
		}
	}
	shell_console_put(efi_system->ConOut, end, 2);
	*size = count * sizeof(*line);
	return EFI_SUCCESS;
}

#define CONSOLE(read, write)                                                                  \
	{                                                                                     \
		.Revision = EFI_FILE_HANDLE_REVISION, .Open = shell_console_open,             \
		.Close = shell_console_close, .Delete = shell_console_close, .Read = (read),  \
		.Write = (write), .GetPosition = shell_console_get_position,                  \
		.SetPosition = shell_console_set_position, .GetInfo = shell_console_get_info, \
		.SetInfo = shell_console_set_info, .Flush = shell_console_close               \
	}

static EFI_FILE console_in = CONSOLE(shell_console_read, shell_console_writes_not);
static EFI_FILE console_out = CONSOLE(shell_console_reads_not, shell_console_write);
static EFI_FILE console_error = CONSOLE(shell_console_reads_not, shell_console_write);

EFI_FILE *shell_console_in(void)
{
	return &console_in;
}

EFI_FILE *shell_console_out(void)
{
	return &console_out;
}

EFI_FILE *shell_console_error(void)
{
	return &console_error;
}
