/* SPDX-License-Identifier: MIT */
/*
 * An application in the way of EDK2's ShellCEntryLib: it gets its arguments, its streams and the
 * shell by EFI_SHELL_PARAMETERS_PROTOCOL and EFI_SHELL_PROTOCOL, and does not run without these. It
 * prints what it was given, and then obeys its arguments:
 *
 *	spin=MS		spins
 *	env=NAME	prints that environment variable
 *	set=NAME	sets it to a word, until a reset
 *	name=FILE	prints the device path that the shell makes of the name, and the name of it
 *	write=FILE	writes a file
 *	read=FILE	prints its content and its length
 *	delete=FILE	deletes it
 *	list=DIR	prints the names in a directory, in their order
 *	find=PATTERN	prints the files that match
 *	line		reads a line of the standard input, and prints it
 *	error		prints on the standard error
 *	exit=N		leaves by Exit(), with N
 *	status=N	returns N
 */
#include <efi.h>
#include <efishell.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "boot/start.h"
#include "lib/efi/efi.h"
#include "lib/print.h"

#define TEXT 512U

static const EFI_SHELL_PARAMETERS_PROTOCOL *parameters;
static const EFI_SHELL_PROTOCOL *shell;

static void narrow(const CHAR16 *wide, char *text)
{
	size_t i = 0;

	for (; wide && wide[i] && i < TEXT - 1; i++)
		text[i] = wide[i] < 0x7f ? (char)wide[i] : '?';
	text[i] = 0;
}

static void widen(const char *text, CHAR16 *wide)
{
	size_t i = 0;

	for (; text[i] && i < TEXT - 1; i++)
		wide[i] = (unsigned char)text[i];
	wide[i] = 0;
}

static void say_to(SHELL_FILE_HANDLE file, const char *format, va_list arguments)
{
	char text[TEXT];
	CHAR16 wide[TEXT];
	UINTN size;

	print_text_v(text, sizeof(text), format, arguments);
	widen(text, wide);
	size = strlen(text) * sizeof(*wide);
	shell->WriteFile(file, &size, wide);
}

static void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say_to(parameters->StdOut, format, arguments);
	va_end(arguments);
}

static void say_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say_to(parameters->StdErr, format, arguments);
	va_end(arguments);
}

static void say_wide(const char *what, const CHAR16 *wide)
{
	char text[TEXT];

	narrow(wide, text);
	say("%s: %s%s\r\n", what, wide ? text : "", wide ? "." : "there is none");
}

static __attribute__((noinline)) void spin_in_shell_app(uint64_t ms)
{
	uint64_t from = arch_cycles(), cycles_of_ms;

	efi_system->BootServices->Stall(10000);
	cycles_of_ms = (arch_cycles() - from) / 10;
	for (from = arch_cycles(); arch_cycles() - from < ms * cycles_of_ms;)
		__asm__ volatile("");
}

static void name(const CHAR16 *given)
{
	EFI_DEVICE_PATH *path = shell->GetDevicePathFromFilePath(given);
	CHAR16 *back = path ? shell->GetFilePathFromDevicePath(path) : NULL;

	say_wide("name", back);
	if (back)
		efi_system->BootServices->FreePool(back);
	if (path)
		efi_system->BootServices->FreePool(path);
}

static void write_file(const CHAR16 *given)
{
	char text[] = "sixteen bytes...";
	SHELL_FILE_HANDLE file;
	UINTN size = sizeof(text) - 1;
	EFI_STATUS status = shell->CreateFile(given, 0, &file);

	if (!EFI_ERROR(status)) {
		status = shell->WriteFile(file, &size, text);
		shell->FlushFile(file);
		shell->CloseFile(file);
	}
	say("written: %lu, 0x%lx\r\n", (uint64_t)size, (uint64_t)status);
}

static void read_file(const CHAR16 *given)
{
	char text[TEXT] = { 0 };
	SHELL_FILE_HANDLE file;
	UINTN size = 4;
	UINT64 length = 0, position = 0;
	EFI_FILE_INFO *info;
	EFI_STATUS status = shell->OpenFileByName(given, &file, EFI_FILE_MODE_READ);

	if (EFI_ERROR(status)) {
		say("read: 0x%lx\r\n", (uint64_t)status);
		return;
	}
	shell->GetFileSize(file, &length);
	shell->SetFilePosition(file, 8);
	shell->ReadFile(file, &size, text);
	shell->GetFilePosition(file, &position);
	info = shell->GetFileInfo(file);
	say("read: %s, of %lu, to %lu\r\n", text, length, position);
	say_wide("its name", info ? info->FileName : NULL);
	if (info)
		efi_system->BootServices->FreePool(info);
	shell->CloseFile(file);
}

static void tell_files(const char *what, EFI_STATUS status, EFI_SHELL_FILE_INFO *list)
{
	EFI_LIST_ENTRY *head = list ? &list->Link : NULL, *at = head ? head->Flink : NULL;

	say("%s: 0x%lx\r\n", what, (uint64_t)status);
	for (; at && at != head; at = at->Flink) {
		const EFI_SHELL_FILE_INFO *info = (const EFI_SHELL_FILE_INFO *)at;

		say_wide(" file", info->FileName);
		say_wide("  in full", info->FullName);
	}
	if (list)
		shell->FreeFileList(&list);
}

static void list_files(const CHAR16 *given)
{
	EFI_SHELL_FILE_INFO *list = NULL;
	SHELL_FILE_HANDLE file;
	EFI_STATUS status = shell->OpenFileByName(given, &file, EFI_FILE_MODE_READ);

	if (!EFI_ERROR(status)) {
		status = shell->FindFilesInDir(file, &list);
		shell->CloseFile(file);
	}
	tell_files("list", status, list);
}

static void find_files(const CHAR16 *given)
{
	EFI_SHELL_FILE_INFO *list = NULL;
	EFI_STATUS status = shell->FindFiles(given, &list);

	tell_files("find", status, list);
}

static void read_line(void)
{
	CHAR16 line[TEXT] = { 0 };
	UINTN size = sizeof(line) - sizeof(*line);
	EFI_STATUS status = shell->ReadFile(parameters->StdIn, &size, line);

	line[size / sizeof(*line)] = 0;
	say("line: 0x%lx\r\n", (uint64_t)status);
	say_wide("line", line);
}

static EFI_STATUS obey(const CHAR16 *wide)
{
	static CHAR16 value[TEXT];
	char text[TEXT];
	const char *equals;
	uint64_t number;

	narrow(wide, text);
	equals = strchr(text, '=');
	number = equals ? strtoul(equals + 1, NULL, 0) : 0;
	widen(equals ? equals + 1 : "", value);
	if (!strncmp(text, "spin=", 5))
		spin_in_shell_app(number);
	else if (!strncmp(text, "env=", 4))
		say_wide("env", shell->GetEnv(value));
	else if (!strncmp(text, "set=", 4))
		say("set: 0x%lx\r\n", (uint64_t)shell->SetEnv(value, u"a word", TRUE));
	else if (!strncmp(text, "name=", 5))
		name(value);
	else if (!strncmp(text, "write=", 6))
		write_file(value);
	else if (!strncmp(text, "read=", 5))
		read_file(value);
	else if (!strncmp(text, "delete=", 7))
		say("delete: 0x%lx\r\n", (uint64_t)shell->DeleteFileByName(value));
	else if (!strncmp(text, "list=", 5))
		list_files(value);
	else if (!strncmp(text, "find=", 5))
		find_files(value);
	else if (!strcmp(text, "line"))
		read_line();
	else if (!strcmp(text, "error"))
		say_error("by the standard error\r\n");
	else if (!strncmp(text, "exit=", 5))
		efi_system->BootServices->Exit(efi_image, number, 0, NULL);
	return strncmp(text, "status=", 7) ? EFI_SUCCESS : number;
}

/* As in ShellCEntryLib: without the protocol main() is not called. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	EFI_STATUS status = EFI_SUCCESS;
	EFI_LOADED_IMAGE *loaded;

	efi_begin(image, system);
	parameters = efi_protocol(image, (EFI_GUID)EFI_SHELL_PARAMETERS_PROTOCOL_GUID);
	shell = efi_locate((EFI_GUID)EFI_SHELL_PROTOCOL_GUID);
	if (!parameters || !shell)
		return (EFI_STATUS)-1;
	loaded = efi_protocol(image, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID);
	say("shell %u.%u, %lu arguments\r\n", shell->MajorVersion, shell->MinorVersion,
	    (uint64_t)parameters->Argc);
	for (UINTN i = 0; i < parameters->Argc; i++)
		say_wide("argument", parameters->Argv[i]);
	say_wide("options", loaded->LoadOptions);
	say_wide("directory", shell->GetCurDir(NULL));
	for (UINTN i = 1; i < parameters->Argc; i++) {
		EFI_STATUS code = obey(parameters->Argv[i]);

		status = code ? code : status;
	}
	return status;
}
