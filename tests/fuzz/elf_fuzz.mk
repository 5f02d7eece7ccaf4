# SPDX-License-Identifier: MIT
elf_fuzz_SRCS := agent/parse/elf.c
