# SPDX-License-Identifier: MIT
loadoptions_test_SRCS := boot/loadoptions.c
