# SPDX-License-Identifier: MIT
LOSSLESS_RIG := tests/unit/agent/record/record_lossless_rig.c agent/record/record_lossless.c lib/print.c
record_lossless_test_SRCS := $(LOSSLESS_RIG)
record_lossless_cpus_test_SRCS := $(LOSSLESS_RIG)
