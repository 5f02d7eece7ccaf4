/* SPDX-License-Identifier: MIT */
/* The firmware's status codes as text (PI 1.7, volume 3, 6). */
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
 * Write the text of a progress code or an error: "DXE BS driver: ready to boot event", "error
 * (major) PCI #1: controller error". value: EFI_STATUS_CODE_VALUE. instance: 0 if there is none. A
 * part without a name in the specification is written as a number. Returns the text's length; for
 * any other type 0, and text is empty. size: at least 1; STATUS_CODE_TEXT is enough. Pure. Any
 * context.
 */
unsigned status_code_text(uint32_t type, uint32_t value, uint32_t instance, char *text,
                          size_t size);

#endif
