# SPDX-License-Identifier: MIT
elf_test_SRCS := agent/parse/elf.c
