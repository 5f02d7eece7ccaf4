/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

/* An interpreter for words of a program; most words are of two kinds. */
static unsigned state = 1, log_size, log_sum;

static unsigned next(void)
{
	state = state * 1664525u + 1013904223u;
	return state >> 12;
}

static unsigned log_word(unsigned word)
{
	for (unsigned i = 0; i < 32; i++)
		log_sum = log_sum * 31 + (word >> i & 1);
	return ++log_size;
}

static unsigned run(unsigned word, unsigned sum)
{
	if (word & 0x3ff) {
		if (word % 7 < 6)
			sum += word >> 3;
		else
			sum ^= word << 1;
	} else if (word & 0x400) {
		sum -= log_word(word);
	} else {
		sum = sum << 3 | sum >> 29;
		for (unsigned i = word >> 11 & 7; i; i--)
			sum += log_word(word + i);
	}
	return sum;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? atoi(argv[1]) : 1000, sum = 0;

	for (unsigned i = 0; i < rounds; i++)
		sum = run(next(), sum);
	printf("%u %u %u\n", sum, log_size, log_sum);
	return 0;
}
