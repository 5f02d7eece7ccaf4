/* SPDX-License-Identifier: MIT */
#include <efi.h>
#include <efilib.h>

/* A UEFI application by gnu-efi. A tree of expressions, walked by functions that are called from
 * several places. */
struct node {
	INT32 kind, value;
	struct node *left, *right;
};
static struct node nodes[4096];
static UINT32 used, state = 7, checks;

static INT32 limit(INT32 value, INT32 low, INT32 high)
{
	checks++;
	if (value < low)
		return low + (low - value) % 17;
	if (value > high)
		return high - (value - high) % 17;
	return value;
}

static INT32 combine(INT32 kind, INT32 left, INT32 right)
{
	INT32 result;

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

static INT32 leaf(const struct node *node, INT32 x)
{
	return node->kind ? limit(x + node->value, -500, 500) : limit(node->value, -100, 100);
}

static INT32 value_of(const struct node *node, INT32 x)
{
	if (!node->left)
		return leaf(node, x);
	return combine(node->kind, value_of(node->left, x), value_of(node->right, x));
}

static struct node *make(UINT32 depth)
{
	struct node *node = &nodes[used++];

	state = state * 1103515245 + 12345;
	node->kind = state >> 16 & 1;
	node->value = state >> 20 & 63;
	if (depth) {
		node->left = make(depth - 1);
		node->right = make(depth - 1);
	}
	return node;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	struct node *root;
	INT64 sum = 0;

	InitializeLib(image, table);
	root = make(8);
	for (INT32 i = 0; i < 400; i++)
		sum = (sum * 3 + value_of(root, i) + combine(i % 6, i, (INT32)(sum % 1000)) +
		       leaf(nodes, i)) %
		      1000000007;
	Print(L"result %ld %d\n", sum, checks);
	return EFI_SUCCESS;
}
