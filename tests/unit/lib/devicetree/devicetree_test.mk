# SPDX-License-Identifier: MIT
devicetree_test_SRCS := $(DEVICETREE)
devicetree_test_LIBS := -lfdt
