/* SPDX-License-Identifier: MIT */
/* The rights of memory by the page tables of the firmware. */
#ifndef TESTS_FIRMWARE_RIGHTS_H
#define TESTS_FIRMWARE_RIGHTS_H

#include "lib/efi/efi.h"

/* EFI_MEMORY_ATTRIBUTE_PROTOCOL: UEFI 2.10, 37.7; GNU-EFI does not declare it. */
#define MEMORY_ATTRIBUTE_GUID                                          \
	{                                                              \
		0xf4560cf6, 0x40ec, 0x4b4a,                            \
		{                                                      \
			0xa1, 0x92, 0xbf, 0x1d, 0x57, 0xd0, 0xb1, 0x89 \
		}                                                      \
	}
struct memory_attribute {
	EFI_STATUS(EFIAPI *get)
	(struct memory_attribute *protocol, EFI_PHYSICAL_ADDRESS base, UINT64 size, UINT64 *rights);
	VOID *set, *clear;
};
#define NOT_READ     0x02000ULL /* EFI_MEMORY_RP, _XP and _RO: UEFI 2.10, 7.2.3 */
#define NOT_EXECUTED 0x04000ULL
#define NOT_WRITTEN  0x20000ULL

static inline void say_rights(void (*say)(const char *format, ...),
                              struct memory_attribute *protocol, const char *name,
                              const volatile void *of)
{
	UINT64 rights = 0;

	if (EFI_ERROR(protocol->get(protocol, (UINT64)of & ~4095ULL, 4096, &rights)))
		name = "unknown";
	say("%s: %s%s%s\r\n", name, rights & NOT_READ ? "-" : "r", rights & NOT_WRITTEN ? "-" : "w",
	    rights & NOT_EXECUTED ? "-" : "x");
}

/* Print the rights of the stack, the pool, the code, and data of the calling image. */
static inline void tell_rights(void (*say)(const char *format, ...), const volatile void *data)
{
	struct memory_attribute *protocol = efi_locate((EFI_GUID)MEMORY_ATTRIBUTE_GUID);
	VOID *pool;

	if (!protocol ||
	    EFI_ERROR(efi_system->BootServices->AllocatePool(EfiBootServicesData, 4096, &pool))) {
		say("no EFI_MEMORY_ATTRIBUTE_PROTOCOL\r\n");
		return;
	}
	say_rights(say, protocol, "stack", &pool);
	say_rights(say, protocol, "pool", pool);
	say_rights(say, protocol, "code", (const void *)(uintptr_t)&tell_rights);
	say_rights(say, protocol, "data", data);
}

#endif
