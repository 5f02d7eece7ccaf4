# SPDX-License-Identifier: MIT
payload_threads_tsan_test_CFLAGS := -Itests/unit/workload/sdk/newlib -Iworkload/sdk/include \
	-include tests/unit/workload/sdk/host_cpus_between.h
payload_threads_tsan_test_SRCS := tests/unit/workload/sdk/host_cpus.c agent/payload/payload_threads.c \
	$(addprefix workload/sdk/,thread.c pthread.c pthread_key.c lock.c sync.c wait.c)
