# SPDX-License-Identifier: MIT
image_frames_test_SRCS := agent/uefi/image_frames.c lib/print.c
image_frames_test_CFLAGS = $(fake_firmware_CFLAGS)
