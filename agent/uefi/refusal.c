/* SPDX-License-Identifier: MIT */
#include "agent/uefi/refusal.h"

#include <string.h>

#include "lib/console/console.h"
#include "lib/efi/efi.h"

#define TEXT_MAX 256U
#define VARIABLE_GUID                                                  \
	{                                                              \
		0x2c6e7d1b, 0x84f5, 0x4a39,                            \
		{                                                      \
			0xb1, 0x0c, 0x57, 0xd8, 0x3e, 0x92, 0xa6, 0x41 \
		}                                                      \
	}

static CHAR16 refusal_name[] = u"BareperfRefusal";

void refusal_note(const char *why)
{
	EFI_GUID guid = VARIABLE_GUID;
	size_t size = why ? strnlen(why, TEXT_MAX) : 0;

	if (efi_is_driver())
		efi_system->RuntimeServices->SetVariable(refusal_name, &guid,
		                                         EFI_VARIABLE_BOOTSERVICE_ACCESS, size,
		                                         (VOID *)(uintptr_t)why);
}

void refusal_report(void)
{
	EFI_GUID guid = VARIABLE_GUID;
	char text[TEXT_MAX + 1] = { 0 };
	UINTN size = TEXT_MAX;

	if (EFI_ERROR(
	        efi_system->RuntimeServices->GetVariable(refusal_name, &guid, NULL, &size, text)))
		return;
	console_printf("bareperf-dxe.efi, loaded since the machine booted, has refused: %s\n",
	               text);
}
