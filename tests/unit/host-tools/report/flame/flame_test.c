/* SPDX-License-Identifier: MIT */
/* The tree of all call stacks, and its folded lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host-tools/report/flame/flame.h"

static struct flame flame;

static int teardown(void **state)
{
	(void)state;
	flame_free(&flame);
	return 0;
}

/* Frames with ";" between. */
static void add(const char *stack, uint64_t weight)
{
	static char texts[8][64]; /* the tree does not copy names */
	static unsigned used;
	const char *frames[8];
	uint32_t count = 0;
	char *text = strcpy(texts[used++ % 8], stack);

	for (char *name = strtok(text, ";"); name; name = strtok(NULL, ";"))
		frames[count++] = name;
	flame_add(&flame, frames, count, weight);
}

static void expect(const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	flame_fold(&flame, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void equal_stacks_are_one_and_each_line_has_its_own_weight(void **state)
{
	(void)state;
	add("main;b;d", 5);
	add("main;c", 2);
	add("main;a", 1);
	add("main;b", 7);
	add("main;b;d", 10);
	expect("main;a 1\nmain;b;d 15\nmain;b 7\nmain;c 2\n");
	assert_int_equal(flame.root.weight, 25);
	assert_int_equal(flame.root.children->weight, 25);
	assert_int_equal(flame.samples, 5);
	assert_int_equal(flame.depth, 3);
	assert_int_equal(flame.failed, 0);
	flame_free(&flame);
	expect("");
	assert_int_equal(flame.depth, 0);
}

static void a_stack_without_frames_is_in_the_sum_alone(void **state)
{
	(void)state;
	flame_add(&flame, NULL, 0, 3);
	expect("");
	assert_int_equal(flame.root.weight, 3);
}

static void a_deep_stack_is_cut(void **state)
{
	const char *frames[FLAME_MAX_DEPTH + 5];
	unsigned depth = 0;

	(void)state;
	for (unsigned i = 0; i < FLAME_MAX_DEPTH + 5; i++)
		frames[i] = i < FLAME_MAX_DEPTH ? "in" : "beyond";
	flame_add(&flame, frames, FLAME_MAX_DEPTH + 5, 1);
	for (const struct flame_node *n = flame.root.children; n; n = n->children) {
		assert_string_equal(n->name, "in");
		depth++;
	}
	assert_int_equal(depth, FLAME_MAX_DEPTH);
	assert_int_equal(flame.depth, FLAME_MAX_DEPTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
		TEST(equal_stacks_are_one_and_each_line_has_its_own_weight),
		TEST(a_stack_without_frames_is_in_the_sum_alone),
		TEST(a_deep_stack_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
