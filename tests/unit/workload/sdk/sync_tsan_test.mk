# SPDX-License-Identifier: MIT
sync_tsan_test_SRCS := workload/sdk/sync.c workload/sdk/wait.c
