# SPDX-License-Identifier: MIT
loadoptions_test_SRCS := agent/input/loadoptions.c
