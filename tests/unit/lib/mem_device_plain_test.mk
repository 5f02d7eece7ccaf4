# SPDX-License-Identifier: MIT
# Each access is a call, and stays as the source has it.
mem_device_plain_test_SRCS := lib/memory/mem.c ringbuf/stream.c ringbuf/region_writer.c
mem_device_plain_test_CFLAGS := -fsanitize=kernel-address --param asan-instrumentation-with-call-threshold=0 \
	--param asan-stack=0 --param asan-globals=0 -fno-builtin -fno-tree-loop-distribute-patterns
