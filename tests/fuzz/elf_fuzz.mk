# SPDX-License-Identifier: MIT
elf_fuzz_SRCS := command/elf.c
