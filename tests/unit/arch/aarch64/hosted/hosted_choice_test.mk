# SPDX-License-Identifier: MIT
hosted_choice_test_SRCS := arch/aarch64/hosted/hosted_choice.c
