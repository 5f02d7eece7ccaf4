# SPDX-License-Identifier: MIT
# As it is in the product, without sanitizers: it is stepped through.
mark_plain_test_SRCS := agent/payload/payload_calls.c agent/payload/payload_run.c lib/print.c pmu/software/marks.c \
	ringbuf/ring.c ringbuf/ring_setup.c ringbuf/owner.c ringbuf/reader/ring_reader.c
mark_plain_test_CFLAGS := -O2 -DRING_FAULTS_CHOSEN_LATER -Iworkload/sdk/include
build/host/tests/mark_plain_test: pmu/mark.h $(wildcard ringbuf/*.h)
