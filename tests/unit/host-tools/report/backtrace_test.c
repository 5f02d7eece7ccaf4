/* SPDX-License-Identifier: MIT */
/* Backtraces of this very program: its functions get the same names as a machine's. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host-tools/report/backtrace.h"
#include "host-tools/report/frames.h"
#include "writer/perfdata/perf_file.h"

static volatile int sink;

#define FUNCTION(name)                                         \
	__attribute__((noinline, used)) static void name(void) \
	{                                                      \
		sink++;                                        \
	}

FUNCTION(efi_main)
FUNCTION(payload_run_call)
FUNCTION(record_workload)
FUNCTION(payload_program)
FUNCTION(thread_enter)
FUNCTION(pthread_enter)
FUNCTION(threads_enter)
FUNCTION(execute_native_thread_routine)
enum { WORK_LINE = __LINE__ + 1 };
FUNCTION(work)

extern char inlined_place[];
enum { INLINED_LINE = __LINE__ + 3 };
static inline __attribute__((always_inline)) void inlined(void)
{
	__asm__ volatile("inlined_place: nop");
}

enum { CALL_LINE = __LINE__ + 3 };
__attribute__((noinline, used)) static void caller(void)
{
	inlined();
	sink++;
}

static struct symbols *symbols;

static void add_mapping(unsigned long start, unsigned long end, unsigned long offset,
                        const char *path)
{
	size_t size = sizeof(struct perf_record_mmap2) + strlen(path) + 1;
	struct perf_record_mmap2 *record = calloc(1, size);

	record->header.type = PERF_RECORD_MMAP2;
	record->header.size = (uint16_t)size;
	record->addr = start;
	record->len = end - start;
	record->pgoff = offset;
	strcpy(record->filename, path);
	symbols_add(symbols, &record->header, 0);
	free(record);
}

/* The mapping of our own code, as in a recording. */
static int set_up(void **state)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end, offset, here = (unsigned long)(uintptr_t)work;
	char line[512], path[256], rights[8];

	(void)state;
	symbols = symbols_new(NULL);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &start, &end, rights, &offset,
		           path) == 5 &&
		    here >= start && here < end)
			add_mapping(start, end, offset, path);
	}
	fclose(maps);
	return symbols ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	symbols_free(symbols);
	return 0;
}

#define AT(function) ((uint64_t)(uintptr_t)(function))
#define COUNT(list)  (uint32_t)(sizeof(list) / sizeof((list)[0]))

static void frames_above_a_program_s_own_are_ours(void **state)
{
	const uint64_t main_thread[] = { AT(efi_main),
		                         AT(payload_run_call),
		                         AT(record_workload),
		                         AT(payload_program),
		                         AT(work),
		                         AT(caller) };
	const uint64_t thread[] = { AT(efi_main), AT(payload_run_call), AT(thread_enter),
		                    AT(work) };
	const uint64_t posix[] = { AT(payload_run_call), AT(thread_enter), AT(pthread_enter),
		                   AT(work) };
	const uint64_t c11[] = { AT(payload_run_call), AT(thread_enter), AT(pthread_enter),
		                 AT(threads_enter), AT(work) };
	const uint64_t cpp[] = { AT(payload_run_call), AT(thread_enter), AT(pthread_enter),
		                 AT(execute_native_thread_routine), AT(work) };
	const uint64_t built_in[] = { AT(payload_run_call), AT(record_workload), AT(work) };
	const uint64_t its_own[] = { AT(payload_run_call), AT(work), AT(thread_enter) };

	(void)state;
	assert_int_equal(frames_ours(symbols, main_thread, COUNT(main_thread)), 4);
	assert_int_equal(frames_ours(symbols, thread, COUNT(thread)), 3);
	assert_int_equal(frames_ours(symbols, posix, COUNT(posix)), 3);
	assert_int_equal(frames_ours(symbols, c11, COUNT(c11)), 4);
	assert_int_equal(frames_ours(symbols, cpp, COUNT(cpp)), 4);
	assert_int_equal(frames_ours(symbols, built_in, COUNT(built_in)), 2);
	assert_int_equal(frames_ours(symbols, its_own, COUNT(its_own)), 1);
}

static void of_a_stack_of_only_own_frames_the_innermost_stays(void **state)
{
	const uint64_t ours[] = { AT(efi_main), AT(payload_run_call), AT(record_workload) };
	const uint64_t firmware[] = { AT(efi_main), AT(record_workload), AT(work) };

	(void)state;
	assert_int_equal(frames_ours(symbols, ours, 3), 2);
	assert_int_equal(frames_ours(symbols, ours, 2), 1);
	assert_int_equal(frames_ours(symbols, ours, 1), 0);
	assert_int_equal(frames_ours(symbols, firmware, 3), 0); /* a stack without a workload */
}

static char *backtrace(const uint64_t *addresses, uint32_t count, bool all)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	backtrace_print(symbols, addresses, count, all, out);
	fclose(out);
	return text;
}

static void a_frame_is_a_function_and_its_line(void **state)
{
	/* a return address is where the caller continues: the byte before it belongs to the call */
	const uint64_t crash[] = { AT(work), AT(inlined_place) + 1, AT(payload_program) + 1,
		                   AT(payload_run_call) + 1, AT(efi_main) + 1 };
	char *text = backtrace(crash, COUNT(crash), false), expected[512];

	(void)state;
	snprintf(expected, sizeof(expected),
	         "  #0  work backtrace_test.c:%d\n"
	         "  #1  inlined (inlined) backtrace_test.c:%d\n"
	         "  #2  caller backtrace_test.c:%d\n",
	         WORK_LINE, INLINED_LINE, CALL_LINE);
	assert_string_equal(text, expected);
	free(text);
}

static void all_frames_are_shown_if_they_are_asked_for(void **state)
{
	const uint64_t crash[] = { AT(work), AT(payload_program) + 1, AT(payload_run_call) + 1,
		                   AT(efi_main) + 1 };
	char *text = backtrace(crash, COUNT(crash), true);

	(void)state;
	assert_non_null(strstr(text, "  #1  payload_program backtrace_test.c:"));
	assert_non_null(strstr(text, "  #3  efi_main backtrace_test.c:"));
	free(text);
}

static void an_unknown_address_is_shown_as_a_number(void **state)
{
	const uint64_t crash[] = { 0, AT(work) + 1 };
	char *text = backtrace(crash, COUNT(crash), false);

	(void)state;
	assert_memory_equal(text, "  #0  0x0\n  #1  work ", 21);
	free(text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(frames_above_a_program_s_own_are_ours),
		TEST(of_a_stack_of_only_own_frames_the_innermost_stays),
		TEST(a_frame_is_a_function_and_its_line),
		TEST(all_frames_are_shown_if_they_are_asked_for),
		TEST(an_unknown_address_is_shown_as_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
