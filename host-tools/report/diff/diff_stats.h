/* SPDX-License-Identifier: MIT */
/*
 * Confidence intervals, to decide whether a difference is more than chance. Any thread.
 *
 * Sources: E. B. Wilson, "Probable inference, the law of succession, and statistical inference"
 * (1927); R. G. Newcombe, "Interval estimation for the difference between independent proportions"
 * (1998), method 10; B. L. Welch, "The generalization of `Student's' problem" (1947).
 */
#ifndef HOST_TOOLS_REPORT_DIFF_DIFF_STATS_H
#define HOST_TOOLS_REPORT_DIFF_DIFF_STATS_H

struct diff_interval {
	double low, high;
};

/* The normal distribution: how many standard deviations on each side of the mean contain a value
 * with probability confidence, 0 < confidence < 1. */
double diff_normal(double confidence);

/* Like diff_normal(), for Student's t distribution with this many degrees of freedom, > 0. */
double diff_student(double confidence, double freedom);

/* The interval of a share that was found in n trials, n > 0. */
struct diff_interval diff_wilson(double share, double n, double deviations);

/* The interval of the difference of two such shares, second - first. */
struct diff_interval diff_newcombe(double first, double n_first, double second, double n_second,
                                   double deviations);

/* A number's statistics over several recordings. */
struct diff_moments {
	unsigned count; /* 2 or more */
	double mean;
	double variance; /* variance of one recording, unbiased */
};

struct diff_moments diff_moments(const double *values, unsigned count);

/* The interval of the difference of two means, second - first. If nothing varies, low equals high.
 */
struct diff_interval diff_welch(const struct diff_moments *first, const struct diff_moments *second,
                                double confidence);

#endif
