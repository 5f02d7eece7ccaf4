/* SPDX-License-Identifier: MIT */
/* Status codes as the firmware reports them, in words (PI 1.7, volume 3, 6). */
#ifndef AGENT_UEFI_STATUS_CODE_H
#define AGENT_UEFI_STATUS_CODE_H

#include <stddef.h>
#include <stdint.h>

/* EFI_STATUS_CODE_TYPE. */
#define STATUS_CODE_TYPE     0xffU
#define STATUS_CODE_PROGRESS 1U
#define STATUS_CODE_ERROR    2U

/* Bytes of the longest text, its NUL included. */
#define STATUS_CODE_TEXT 128U

/*
 * What a progress code or an error says, of EFI_STATUS_CODE_VALUE and the instance, 0 if there is
 * none: "DXE BS driver: ready to boot event", "error (major) PCI #1: controller error". What the
 * specification has no name for, or its maker alone knows, is a number. Returns its length; 0 for
 * any other type, and text is empty then. size: at least 1; STATUS_CODE_TEXT is enough. Pure. Any
 * context.
 */
unsigned status_code_text(uint32_t type, uint32_t value, uint32_t instance, char *text,
                          size_t size);

#endif
