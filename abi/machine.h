/* SPDX-License-Identifier: MIT */
/* The e_machine values (System V ABI, chapter 4) of the supported machines: tr_header.machine. */
#ifndef ABI_MACHINE_H
#define ABI_MACHINE_H

/* same values as in the system's <elf.h>, which may also be included */
#define EM_X86_64  62
#define EM_AARCH64 183

#endif
