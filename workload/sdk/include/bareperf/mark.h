/* SPDX-License-Identifier: MIT */
/*
 * Marks: a program's own notes in its recording (record -e marks).
 *
 *	bareperf_mark("ready");
 *	bareperf_mark_begin("parse %u", number);
 *	...
 *	bareperf_mark_end("parse %u", number);
 *
 * A mark is a record with the time, the CPU and this text. Stock `perf script` prints it, and
 * bareperf's own views show it as a moment or a region. Values are written as they are and become
 * text on the host. A short mark costs 100 instructions (docs/payloads.md). Like samples, marks
 * that find no room in the ring are lost and counted.
 *
 * May be called from any context, the program's own interrupt handlers included. With -Wformat the
 * compiler checks format and values as for printf(). Strings and long doubles, which printf() has
 * and marks do not have, are errors.
 */
#ifndef BAREPERF_MARK_H
#define BAREPERF_MARK_H

#include <bareperf/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * bareperf_mark(FORMAT, ...): FORMAT is a string literal of at most 58 characters, with printf()'s
 * conversions of integers, pointers to void and doubles, for at most four values; no %s, no %n, no
 * width or precision of *, no long double. ASCII only; otherwise perf prints it as numbers.
 *
 * bareperf_mark_begin(NAME, ...), bareperf_mark_end(NAME, ...): a region from a begin to an end of
 * the same name on one CPU, with the texts "begin NAME" and "end NAME". Regions may nest. An end
 * belongs to the innermost begin with the same name and values. When regions are counted (stat),
 * the same NAME is enough, and all its values are summed up. NAME is like FORMAT, but 6 characters
 * shorter for a begin and 4 for an end.
 */
#define bareperf_mark(...)       BAREPERF_MARK_ANY("", __VA_ARGS__)
#define bareperf_mark_begin(...) BAREPERF_MARK_ANY("begin ", __VA_ARGS__)
#define bareperf_mark_end(...)   BAREPERF_MARK_ANY("end ", __VA_ARGS__)

/* ---- Internals ---- */

/* The calling thread's, valid from its start; NULL: no marks are recorded. */
extern __thread const struct bareperf_marks *bareperf_marks_here;

/* For -Wformat; never called. */
static inline __attribute__((format(printf, 1, 2))) void bareperf_mark_check(const char *format,
                                                                             ...)
{
	(void)format;
}

static inline uint64_t bareperf_mark_integer(uint64_t value)
{
	return value;
}

static inline uint64_t bareperf_mark_pointer(const void *value)
{
	return (uint64_t)(uintptr_t)value;
}

static inline uint64_t bareperf_mark_double(double value)
{
	union {
		double number;
		uint64_t bits;
	} either = { value };

	return either.bits;
}

/* Functions without code, so that every call of them is an error. The host would read the value,
 * but it has no access to the program's memory. */
#define BAREPERF_MARK_NOT(what) __attribute__((error(what)))
#define BAREPERF_MARK_NO_STRINGS \
	BAREPERF_MARK_NOT("a string is no value of a mark; a pointer is one as (const void *)")
#define BAREPERF_MARK_NO_LONG_DOUBLES \
	BAREPERF_MARK_NOT("a long double is no value of a mark; a double is one")

#ifdef __cplusplus
}
BAREPERF_MARK_NO_STRINGS uint64_t bareperf_mark_value(const char *value);
BAREPERF_MARK_NO_STRINGS uint64_t bareperf_mark_value(const signed char *value);
BAREPERF_MARK_NO_STRINGS uint64_t bareperf_mark_value(const unsigned char *value);
BAREPERF_MARK_NO_LONG_DOUBLES uint64_t bareperf_mark_value(long double value);
static inline uint64_t bareperf_mark_value(double value)
{
	return bareperf_mark_double(value);
}
static inline uint64_t bareperf_mark_value(const void *value)
{
	return bareperf_mark_pointer(value);
}
#define BAREPERF_MARK_INTEGER(type)                            \
	static inline uint64_t bareperf_mark_value(type value) \
	{                                                      \
		return (uint64_t)value;                        \
	}
BAREPERF_MARK_INTEGER(int)
BAREPERF_MARK_INTEGER(unsigned)
BAREPERF_MARK_INTEGER(long)
BAREPERF_MARK_INTEGER(unsigned long)
BAREPERF_MARK_INTEGER(long long)
BAREPERF_MARK_INTEGER(unsigned long long)
#define BAREPERF_MARK_VALUE(value) bareperf_mark_value(value)
#else
BAREPERF_MARK_NO_STRINGS uint64_t bareperf_mark_string(const void *value);
BAREPERF_MARK_NO_LONG_DOUBLES uint64_t bareperf_mark_long_double(long double value);
/* clang-format off */
#define BAREPERF_MARK_VALUE(value)                                               \
	_Generic((value), float: bareperf_mark_double, double: bareperf_mark_double, \
		 void *: bareperf_mark_pointer, const void *: bareperf_mark_pointer,     \
		 char *: bareperf_mark_string, const char *: bareperf_mark_string,       \
		 signed char *: bareperf_mark_string,                                    \
		 const signed char *: bareperf_mark_string,                              \
		 unsigned char *: bareperf_mark_string,                                  \
		 const unsigned char *: bareperf_mark_string,                            \
		 long double: bareperf_mark_long_double,                                 \
		 default: bareperf_mark_integer)(value)
/* clang-format on */
#endif

/* Bytes of the text's field: whole words, at least two, without the four bytes before it. */
#define BAREPERF_MARK_ROOM(text) ((sizeof(text) <= 12 ? 16 : (sizeof(text) + 4 + 7) & ~7UL) - 4)

#ifdef __cplusplus
#define BAREPERF_MARK_FITS(text) \
	static_assert(sizeof(text) <= 60, "a mark of at most 58 characters")
#else
#define BAREPERF_MARK_FITS(text) \
	_Static_assert(sizeof(text) <= 60, "a mark of at most 58 characters")
#endif

#define BAREPERF_MARK_PUT(values, text, check, ...)                                       \
	do {                                                                              \
		BAREPERF_MARK_FITS(text);                                                 \
		static const __attribute__((aligned(8))) struct {                         \
			uint32_t size;                                                    \
			char characters[BAREPERF_MARK_ROOM(text)];                        \
		} bareperf_mark_it = { BAREPERF_MARK_ROOM(text) + 24 * values, text };    \
		const struct bareperf_marks *bareperf_marks_of = bareperf_marks_here;     \
		if (bareperf_marks_of)                                                    \
			bareperf_marks_of->mark##values(                                  \
			    bareperf_marks_of,                                            \
			    (const struct bareperf_mark *)(const void *)&bareperf_mark_it \
			        __VA_ARGS__);                                             \
		if (0)                                                                    \
			check;                                                            \
	} while (0)
#define BAREPERF_MARK_COMMA ,

#define BAREPERF_MARK_0(prefix, format) \
	BAREPERF_MARK_PUT(0, prefix format, bareperf_mark_check(prefix format), )
#define BAREPERF_MARK_1(prefix, format, a)                                              \
	BAREPERF_MARK_PUT(1, "\1" prefix format, bareperf_mark_check(prefix format, a), \
	                  BAREPERF_MARK_COMMA BAREPERF_MARK_VALUE(a))
#define BAREPERF_MARK_2(prefix, format, a, b)                                              \
	BAREPERF_MARK_PUT(2, "\2" prefix format, bareperf_mark_check(prefix format, a, b), \
	                  BAREPERF_MARK_COMMA BAREPERF_MARK_VALUE(a), BAREPERF_MARK_VALUE(b))
#define BAREPERF_MARK_3(prefix, format, a, b, c)                                              \
	BAREPERF_MARK_PUT(3, "\3" prefix format, bareperf_mark_check(prefix format, a, b, c), \
	                  BAREPERF_MARK_COMMA BAREPERF_MARK_VALUE(a), BAREPERF_MARK_VALUE(b), \
	                  BAREPERF_MARK_VALUE(c))
#define BAREPERF_MARK_4(prefix, format, a, b, c, d)                                              \
	BAREPERF_MARK_PUT(4, "\4" prefix format, bareperf_mark_check(prefix format, a, b, c, d), \
	                  BAREPERF_MARK_COMMA BAREPERF_MARK_VALUE(a), BAREPERF_MARK_VALUE(b),    \
	                  BAREPERF_MARK_VALUE(c), BAREPERF_MARK_VALUE(d))

/* Choose the function by the number of values behind the format. */
#define BAREPERF_MARK_PICK(format, a, b, c, d, pick, ...) pick
#define BAREPERF_MARK_ANY(prefix, ...)                                                     \
	BAREPERF_MARK_PICK(__VA_ARGS__, BAREPERF_MARK_4, BAREPERF_MARK_3, BAREPERF_MARK_2, \
	                   BAREPERF_MARK_1, BAREPERF_MARK_0, )                             \
	(prefix, __VA_ARGS__)

#endif
