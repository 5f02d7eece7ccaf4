/* SPDX-License-Identifier: MIT */
#include "agent/shell/shell_variables.h"

#include <stdlib.h>
#include <string.h>

#include "agent/shell/shell_text.h"

#define NAME_ROOM 256U /* characters of a variable's name; longer names are ignored */

/* From EDK2's ShellPkg. */
#define SHELL_VARIABLE_GUID                                            \
	{                                                              \
		0x158def5a, 0xf656, 0x419c,                            \
		{                                                      \
			0xb0, 0x27, 0x7a, 0x31, 0x92, 0xc0, 0x79, 0xd2 \
		}                                                      \
	}

static EFI_GUID vendor = SHELL_VARIABLE_GUID;

/* Returned values, which stay until shell_variables_end(). */
static struct shell_value {
	struct shell_value *next;
	CHAR16 text[];
} * values;

/* Allocate so many zeroed bytes. Returns NULL without memory. */
static CHAR16 *shell_variables_room(UINTN size)
{
	struct shell_value *value = calloc(1, sizeof(*value) + size);

	if (!value)
		return NULL;
	value->next = values;
	values = value;
	return value->text;
}

/* Read a variable's value, and add a NUL, which most values lack. */
static const CHAR16 *shell_variables_read(CHAR16 *name, UINT32 *attributes)
{
	EFI_RUNTIME_SERVICES *services = efi_system->RuntimeServices;
	CHAR16 *text;
	UINTN size = 0;

	if (services->GetVariable(name, &vendor, attributes, &size, NULL) != EFI_BUFFER_TOO_SMALL)
		return NULL;
	text = shell_variables_room(size + 2 * sizeof(*text));
	if (!text || EFI_ERROR(services->GetVariable(name, &vendor, attributes, &size, text)))
		return NULL;
	return text;
}

/* Write the variables' names to text, or, if text is NULL, only count. Returns the number of
 * characters. */
static UINTN shell_variables_put_names(CHAR16 *text)
{
	static CHAR16 name[NAME_ROOM];
	EFI_GUID of = { 0 };
	UINTN length = 0, size = sizeof(name);

	name[0] = 0;
	while (!EFI_ERROR(efi_system->RuntimeServices->GetNextVariableName(&size, name, &of))) {
		UINTN more = shell_text_length(name) + 1;

		size = sizeof(name);
		if (memcmp(&of, &vendor, sizeof(of)) != 0)
			continue;
		if (text)
			memcpy(text + length, name, more * sizeof(*name));
		length += more;
	}
	return length;
}

const CHAR16 *shell_variables_get(const CHAR16 *name, UINT32 *attributes)
{
	CHAR16 *names;

	if (name)
		return shell_variables_read((CHAR16 *)(uintptr_t)name, attributes);
	names = shell_variables_room((shell_variables_put_names(NULL) + 1) * sizeof(*names));
	if (names)
		shell_variables_put_names(names);
	return names;
}

EFI_STATUS shell_variables_set(const CHAR16 *name, const CHAR16 *value, BOOLEAN is_volatile)
{
	EFI_RUNTIME_SERVICES *services = efi_system->RuntimeServices;
	CHAR16 *of = (CHAR16 *)(uintptr_t)name;
	UINT32 attributes = EFI_VARIABLE_BOOTSERVICE_ACCESS |
	                    (is_volatile ? 0 : EFI_VARIABLE_NON_VOLATILE);
	EFI_STATUS status;

	if (!name || !*name)
		return EFI_INVALID_PARAMETER;
	/* An existing variable may have other attributes, which SetVariable() does not change:
	 * delete it first. */
	status = services->SetVariable(of, &vendor, 0, 0, NULL);
	if (!value || !*value)
		return status;
	return services->SetVariable(of, &vendor, attributes,
	                             shell_text_length(value) * sizeof(*value),
	                             (CHAR16 *)(uintptr_t)value);
}

void shell_variables_end(void)
{
	while (values) {
		struct shell_value *next = values->next;

		free(values);
		values = next;
	}
}
