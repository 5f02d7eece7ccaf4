# SPDX-License-Identifier: MIT
ADDRESS = lib/address.c tests/unit/lib/fake_map.c
address_test_SRCS = $(ADDRESS)
platform_check_test_SRCS = lib/platform_check.c $(ADDRESS)
