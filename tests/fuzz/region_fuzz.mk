# SPDX-License-Identifier: MIT
# Two ways to spoil the same regions.
$(foreach fuzz,region_fuzz region_live_fuzz,$(eval $(fuzz)_SRCS += tests/fuzz/region_readers.c) \
	$(eval build/host/fuzzers/$(fuzz): tests/fuzz/region_readers.c))
