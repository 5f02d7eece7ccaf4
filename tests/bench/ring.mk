# SPDX-License-Identifier: MIT
# The rings that ours is compared with are there if their packages are (tests/bench/deps.txt).
$(BENCHES): tests/bench/bench.h tests/bench/bench_ring.h
ring_live_CFLAGS := -isystem /usr/include/dpdk \
	$(patsubst %,-isystem %,$(wildcard /usr/include/$(shell gcc -dumpmachine)/dpdk)) -msse4.2
ring_live_LIBS := $(shell pkg-config --exists libdpdk && echo -lrte_ring -lrte_eal) \
	$(shell pkg-config --exists ck && echo -lck)
ring_lttng_LIBS := $(shell pkg-config --libs lttng-ust 2>/dev/null)
