/* SPDX-License-Identifier: MIT */
/* The product of two N by N matrices of doubles. It uses the floating-point registers, which no
 * handler may change. */
#include <errno.h>
#include <stdlib.h>

#include "workload/workload.h"

static __attribute__((noinline, noclone)) void multiply(const double *a, const double *b, double *c,
                                                        uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		for (uint64_t k = 0; k < n; k++) {
			for (uint64_t j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
		}
	}
}

/* A * I = A, or a register was changed on the way. */
static int check(const double *a, const double *c, uint64_t n)
{
	for (uint64_t i = 0; i < n * n; i++) {
		if (a[i] < c[i] || a[i] > c[i])
			return -EIO;
	}
	return 0;
}

static int matmul(uint64_t n)
{
	double *matrices = calloc(3 * n * n, sizeof(double));
	double *a = matrices, *identity, *c;
	int code;

	if (!matrices)
		return -ENOMEM;
	identity = a + n * n;
	c = identity + n * n;
	for (uint64_t i = 0; i < n * n; i++)
		a[i] = (double)(i % 97) / 7;
	for (uint64_t i = 0; i < n; i++)
		identity[i * n + i] = 1;
	multiply(a, identity, c, n);
	code = check(a, c, n);
	free(matrices);
	return code;
}

const struct workload workload_matmul = {
	.usage.name = "matmul",
	.usage.arguments = "[N]",
	.usage.description = "product of two N by N matrices",
	.usage.standard = 200,
	.usage.least = 1,
	.usage.most = 1U << 16,
	.run = matmul,
};
