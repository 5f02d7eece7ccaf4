# SPDX-License-Identifier: MIT
command_test_SRCS := boot/command.c boot/command_options.c
