/* SPDX-License-Identifier: MIT */
#include "boot/start.h"

#include "lib/image.h"

/* Elf64_Rela (System V ABI, "Relocation"). The Makefile refuses any that is not *_RELATIVE. */
struct rela {
	uint64_t offset;
	uint64_t info;
	int64_t addend;
};
#pragma GCC visibility push(hidden)
extern const struct rela __rela_start[], __rela_end[];
#pragma GCC visibility pop

/*
 * The image is linked at 0 and runs wherever UEFI loaded it, so each stored address lacks the
 * load address. Until this is done no pointer in initialised data may be used.
 */
static void start_relocate_image(void)
{
	uint64_t base = (uint64_t)__image_start;

	for (const struct rela *rela = __rela_start; rela < __rela_end; rela++)
		*(uint64_t *)(base + rela->offset) = base + (uint64_t)rela->addend;
}

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *systab)
{
	start_relocate_image();
	return efi_main(image, systab);
}
