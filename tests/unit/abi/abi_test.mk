# SPDX-License-Identifier: MIT
abi_test_SRCS := tests/unit/abi/abi_linux.c
