# SPDX-License-Identifier: MIT
join_choice_test_SRCS := arch/aarch64/hosted/hosted_choice.c
