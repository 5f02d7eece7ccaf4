# SPDX-License-Identifier: MIT
hosted_test_SRCS := lib/hosted.c lib/parse/hob.c
hosted_test_CFLAGS = $(fake_firmware_CFLAGS)
