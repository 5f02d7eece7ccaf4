# SPDX-License-Identifier: MIT
joined_test_SRCS := lib/hosted.c lib/parse/hob.c
joined_test_CFLAGS = $(fake_firmware_CFLAGS)
