/* SPDX-License-Identifier: MIT */
#include "host-tools/report/diff/diff_stats.h"

#include <math.h>

#define STEPS   200 /* most steps of a bisection or continued fraction, more than doubles need */
#define TINY    1e-300
#define CLOSE   1e-15
#define LARGEST 1e9 /* largest t: one degree of freedom, confidence 1 - 1e-9 */

/* Find the x at which a probability that grows with x reaches the wanted value. */
static double bisect(double (*probability)(double x, double parameter), double parameter,
                     double wanted)
{
	double low = 0, high = LARGEST;

	for (int i = 0; i < STEPS; i++) {
		double middle = low + (high - low) / 2;

		*(probability(middle, parameter) < wanted ? &low : &high) = middle;
	}
	return high;
}

static double within_normal(double x, double unused)
{
	(void)unused;
	return erf(x / sqrt(2));
}

double diff_normal(double confidence)
{
	return bisect(within_normal, 0, confidence);
}

/* Coefficient m of the incomplete beta function's continued fraction (NIST's DLMF, 8.17.22). */
static double coefficient(int m, double x, double a, double b)
{
	int half = m / 2;

	if (m % 2)
		return -(a + half) * (a + b + half) * x / ((a + m - 1) * (a + m));
	return half * (b - half) * x / ((a + m - 1) * (a + m));
}

/* Evaluate the continued fraction by Lentz's method, from the front. */
static double fraction(double x, double a, double b)
{
	double c = 1, d = 0, value = 1;

	for (int m = 1; m < STEPS; m++) {
		double by = coefficient(m, x, a, b), step;

		d = 1 + by * d;
		d = 1 / (fabs(d) < TINY ? TINY : d);
		c = 1 + by / c;
		c = fabs(c) < TINY ? TINY : c;
		step = c * d;
		value *= step;
		if (fabs(step - 1) < CLOSE)
			break;
	}
	return 1 / value;
}

/* The regularized incomplete beta function. Of its two equal forms, the fraction converges fast
 * only on its own side of the mean. */
static double beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * fraction(x, a, b) / a;
	return 1 - front * fraction(1 - x, b, a) / b;
}

static double within_student(double t, double freedom)
{
	return beta(t * t / (freedom + t * t), 0.5, freedom / 2);
}

double diff_student(double confidence, double freedom)
{
	return bisect(within_student, freedom, confidence);
}

struct diff_interval diff_wilson(double share, double n, double deviations)
{
	double z2 = deviations * deviations;
	double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
	double half = deviations / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n));

	return (struct diff_interval){ middle - half, middle + half };
}

struct diff_interval diff_newcombe(double first, double n_first, double second, double n_second,
                                   double deviations)
{
	struct diff_interval one = diff_wilson(first, n_first, deviations);
	struct diff_interval other = diff_wilson(second, n_second, deviations);
	double difference = second - first;

	return (struct diff_interval){
		difference - hypot(second - other.low, one.high - first),
		difference + hypot(other.high - second, first - one.low),
	};
}

struct diff_moments diff_moments(const double *values, unsigned count)
{
	struct diff_moments moments = { .count = count };

	for (unsigned i = 0; i < count; i++)
		moments.mean += values[i] / count;
	for (unsigned i = 0; i < count; i++)
		moments.variance += (values[i] - moments.mean) * (values[i] - moments.mean) /
		                    (count - 1);
	return moments;
}

struct diff_interval diff_welch(const struct diff_moments *first, const struct diff_moments *second,
                                double confidence)
{
	double difference = second->mean - first->mean;
	double one = first->variance / first->count, other = second->variance / second->count;
	double sum = one + other, half;

	/* the mean of equal numbers may differ from them by rounding */
	if (sqrt(sum) <= CLOSE * (fabs(first->mean) + fabs(second->mean)) || sum <= 0)
		return (struct diff_interval){ difference, difference };
	half = sqrt(sum) * diff_student(confidence, sum * sum /
	                                                (one * one / (first->count - 1) +
	                                                 other * other / (second->count - 1)));
	return (struct diff_interval){ difference - half, difference + half };
}
