# SPDX-License-Identifier: MIT
elf_test_SRCS := command/elf.c
