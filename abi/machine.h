/* SPDX-License-Identifier: MIT */
/* ELF's e_machine of the machines that there are (System V ABI, chapter 4): tr_header.machine. */
#ifndef ABI_MACHINE_H
#define ABI_MACHINE_H

/* as in the system's <elf.h>, beside which this may stand */
#define EM_X86_64  62
#define EM_AARCH64 183

#endif
