# SPDX-License-Identifier: MIT
elf_fuzz_SRCS := boot/elf.c
