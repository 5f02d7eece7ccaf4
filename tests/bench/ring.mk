# SPDX-License-Identifier: MIT
# The benchmarks compare our ring with others whose packages may be missing (tests/bench/deps.txt).
# When a package is installed, removed or changed, the benchmarks are built again.
BENCH_PACKAGES := build/host/bench/packages
$(BENCHES): tests/bench/bench.h tests/bench/bench_ring.h $(BENCH_PACKAGES)
$(BENCH_PACKAGES): tests/bench/deps.txt always
	@mkdir -p $(@D)
	@deps/install --state $< >$@.new
	@cmp -s $@.new $@ || cp $@.new $@
.PHONY: always
ring_live_CFLAGS := -isystem /usr/include/dpdk \
	$(patsubst %,-isystem %,$(wildcard /usr/include/$(shell gcc -dumpmachine)/dpdk)) -msse4.2
ring_live_LIBS := $(shell pkg-config --exists libdpdk 2>/dev/null && echo -lrte_ring -lrte_eal) \
	$(shell pkg-config --exists ck 2>/dev/null && echo -lck)
ring_lttng_LIBS := $(shell pkg-config --libs lttng-ust 2>/dev/null)
mark_lttng_LIBS := $(ring_lttng_LIBS)
mark_lttng_CFLAGS := -Itests/bench
