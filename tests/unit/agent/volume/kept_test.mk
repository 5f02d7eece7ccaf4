# SPDX-License-Identifier: MIT
kept_test_SRCS = agent/volume/kept.c $(ADDRESS) tests/unit/lib/efi/fake_firmware.c
kept_test_CFLAGS = $(fake_firmware_CFLAGS)
