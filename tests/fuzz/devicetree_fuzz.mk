# SPDX-License-Identifier: MIT
devicetree_fuzz_SRCS := $(DEVICETREE)
devicetree_fuzz_LIBS := -lfdt
