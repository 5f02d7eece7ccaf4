/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

/* A tree of expressions, walked by functions that are called from several places. */
struct node {
	int kind, value;
	struct node *left, *right;
};
static struct node nodes[4096];
static unsigned used, state = 7, checks;

static int limit(int value, int low, int high)
{
	checks++;
	if (value < low)
		return low + (low - value) % 17;
	if (value > high)
		return high - (value - high) % 17;
	return value;
}

static int combine(int kind, int left, int right)
{
	int result;

	if (kind == 5)
		result = right ? left / right : 0;
	else if (kind == 4)
		result = left ^ right;
	else if (kind == 3)
		result = left * right;
	else if (kind == 2)
		result = left - right;
	else
		result = left + right;
	return limit(result, -10000, 10000);
}

static int leaf(const struct node *node, int x)
{
	return node->kind ? limit(x + node->value, -500, 500) : limit(node->value, -100, 100);
}

static int value_of(const struct node *node, int x)
{
	if (!node->left)
		return leaf(node, x);
	return combine(node->kind, value_of(node->left, x), value_of(node->right, x));
}

static struct node *make(int depth)
{
	struct node *node = &nodes[used++];

	state = state * 1103515245 + 12345;
	node->kind = depth ? state >> 16 & 1 : state >> 16 & 1;
	node->value = state >> 20 & 63;
	if (depth) {
		node->left = make(depth - 1);
		node->right = make(depth - 1);
	}
	return node;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? atoi(argv[1]) : 10;
	struct node *root = make(8);
	long sum = 0;

	for (unsigned i = 0; i < rounds; i++)
		sum = sum * 3 + value_of(root, i) + combine(i % 6, i, sum % 1000) + leaf(nodes, i);
	printf("%ld %u\n", sum, checks);
	return 0;
}
