/* SPDX-License-Identifier: MIT */
#ifndef LIB_NEWLIB_H
#define LIB_NEWLIB_H

/* newlib's ports disagree about the names: x86_64-elf calls write(), aarch64-elf _write(). */
#define SYSCALL_ALIAS(name) __attribute__((alias(#name), used))

#endif
