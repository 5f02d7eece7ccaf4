# SPDX-License-Identifier: MIT
# For tests that link tests/unit/lib/efi/fake_firmware.c.
fake_firmware_CFLAGS = -fshort-wchar -DGNU_EFI_USE_MS_ABI -isystem $(EFI_x86_64)/include/efi \
	-isystem $(EFI_x86_64)/include/efi/x86_64
