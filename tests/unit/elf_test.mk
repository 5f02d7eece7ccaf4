# SPDX-License-Identifier: MIT
elf_test_SRCS := boot/elf.c
