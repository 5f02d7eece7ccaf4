# SPDX-License-Identifier: MIT
# The rings that ours is compared with are there if their packages are (tests/bench/deps.txt).
$(BENCHES): tests/bench/bench.h tests/bench/bench_ring.h
ring_live_CFLAGS := -isystem /usr/include/dpdk \
	$(patsubst %,-isystem %,$(wildcard /usr/include/$(shell gcc -dumpmachine)/dpdk)) -msse4.2
ring_live_LIBS := $(shell pkg-config --exists libdpdk && echo -lrte_ring -lrte_eal) \
	$(shell pkg-config --exists ck && echo -lck)
ring_lttng_LIBS := $(shell pkg-config --libs lttng-ust 2>/dev/null)
# as FW_CFLAGS, to count what the firmware would run
ring_instructions_CFLAGS := -ffreestanding -mgeneral-regs-only -mno-red-zone -fno-omit-frame-pointer \
	-mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -fno-delete-null-pointer-checks
ring_instructions_SRCS := ringbuf/ring.c ringbuf/owner.c
build/host/bench/ring_instructions: ringbuf/ring.c ringbuf/ring.h
