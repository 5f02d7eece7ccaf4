/* SPDX-License-Identifier: MIT */
/*
 * The encoding of words. The next word is predicted as in value predicting trace compressors
 * (Burtscher and others, "The VPC trace-compression algorithms", IEEE Transactions on Computers
 * 54(11), 2005): by finite contexts of one and of two words.
 *
 *	0		the word that followed the same two words the last time
 *	1 0  i		the word seen last among those of hash i, 6 bits
 *	1 1 0  n d	the word that followed the same word, plus its last step, plus d:
 *			n nibbles, zigzag
 *	1 1 1  m b	the word that followed the same word, with other bytes: m has a bit for
 *			each replaced byte, b has these bytes
 */
#include "channel/wire/wire_words.h"

#define HASH_FACTOR   0x9e3779b97f4a7c15ULL /* 2^64 over the golden ratio, odd */
/* bits of one word in the worst case: all its bytes differ */
#define WORD_BITS_MAX (3 + 8 + 64)
#define WORD          8U

struct wire_guess {
	uint64_t behind_one, stepped, behind_two;
	uint32_t one, two; /* indexes in their tables */
};

static void wire_forget(struct wire_words *words)
{
	*words = (struct wire_words){ 0 };
}

static struct wire_guess wire_guess(const struct wire_words *words)
{
	uint32_t one = (uint32_t)(words->last >> (64 - WIRE_ONE_BITS));
	uint32_t two = (uint32_t)((words->last ^ words->before >> 3) >> (64 - WIRE_TWO_BITS));

	return (struct wire_guess){
		.behind_one = words->behind_one[one],
		.stepped = words->behind_one[one] + words->step[one],
		.behind_two = words->behind_two[two],
		.one = one,
		.two = two,
	};
}

static void wire_learn(struct wire_words *words, const struct wire_guess *guess, uint64_t word)
{
	words->behind_two[guess->two] = word;
	words->step[guess->one] = word - guess->behind_one;
	words->behind_one[guess->one] = word;
	words->before = words->last;
	words->last = word * HASH_FACTOR;
	words->seen[words->last >> (64 - WIRE_SEEN_BITS)] = word;
}

/* ---- Bits; the first bit is a byte's lowest ---- */

struct wire_bits {
	uint8_t *at;
	uint64_t held; /* the last count bits (count < 32) */
	unsigned count;
};

static void wire_bits_put(struct wire_bits *bits, uint64_t value, unsigned count)
{
	bits->held |= value << bits->count;
	bits->count += count;
	if (bits->count < 32)
		return;
	for (unsigned i = 0; i < 4; i++)
		*bits->at++ = (uint8_t)(bits->held >> 8 * i);
	bits->held >>= 32;
	bits->count -= 32;
}

static void wire_bits_put_long(struct wire_bits *bits, uint64_t value, unsigned count)
{
	if (count > 32) {
		wire_bits_put(bits, (uint32_t)value, 32);
		value >>= 32;
		count -= 32;
	}
	wire_bits_put(bits, value, count);
}

static uint8_t *wire_bits_end(struct wire_bits *bits)
{
	for (; bits->count; bits->held >>= 8, bits->count -= bits->count < 8 ? bits->count : 8)
		*bits->at++ = (uint8_t)bits->held;
	return bits->at;
}

/* ---- One word ---- */

static unsigned wire_nibbles(uint64_t value)
{
	return value ? (67U - (unsigned)__builtin_clzll(value)) / 4 : 0;
}

/* Returns a 1 in each byte that is not 0. */
static uint64_t wire_marks(uint64_t value)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7fULL;

	return (((value & low) + low) | value) >> 7 & 0x0101010101010101ULL;
}

/* Returns one bit per marked byte, and their number. */
static unsigned wire_mask(uint64_t marks)
{
	return (unsigned)(marks * 0x0102040810204080ULL >> 56);
}

static unsigned wire_ones(uint64_t marks)
{
	return (unsigned)(marks * 0x0101010101010101ULL >> 56);
}

/* Encodes a word that was neither predicted nor seen. */
static void wire_put_new(struct wire_bits *bits, const struct wire_guess *guess, uint64_t word)
{
	uint64_t step = word - guess->stepped;
	uint64_t zigzag = step << 1 ^ (0 - (step >> 63));
	uint64_t marks = wire_marks(word ^ guess->behind_one);
	unsigned nibbles = wire_nibbles(zigzag), mask = wire_mask(marks);

	if (nibbles < 16 && 4 * nibbles <= 4 + 8 * wire_ones(marks)) {
		wire_bits_put(bits, 3 | nibbles << 3, 7);
		wire_bits_put_long(bits, zigzag, 4 * nibbles);
		return;
	}
	wire_bits_put(bits, 7 | mask << 3, 11);
	for (unsigned i = 0; i < WORD; i++)
		if (mask >> i & 1)
			wire_bits_put(bits, word >> 8 * i & 0xff, 8);
}

static void wire_put_encoded(struct wire_words *words, struct wire_bits *bits, uint64_t word)
{
	struct wire_guess guess = wire_guess(words);
	uint64_t place = word * HASH_FACTOR >> (64 - WIRE_SEEN_BITS);

	if (word == guess.behind_two)
		wire_bits_put(bits, 0, 1);
	else if (word == words->seen[place])
		wire_bits_put(bits, 1 | place << 2, 2 + WIRE_SEEN_BITS);
	else
		wire_put_new(bits, &guess, word);
	wire_learn(words, &guess, word);
}

size_t wire_encode(struct wire_words *words, uint8_t *to, size_t room, const uint8_t *from,
                   size_t size, size_t *raw)
{
	struct wire_bits bits = { to, 0, 0 };
	const uint64_t *word = (const uint64_t *)from;
	size_t length;

	*raw = 0;
	if ((uintptr_t)from % WORD || size < WORD)
		return 0;
	wire_forget(words);
	size = size < WIRE_RAW_MAX ? size / WORD * WORD : WIRE_RAW_MAX;
	while (*raw < size && 8 * (size_t)(bits.at - to) + bits.count + WORD_BITS_MAX <= 8 * room) {
		wire_put_encoded(words, &bits, __atomic_load_n(word++, __ATOMIC_RELAXED));
		*raw += WORD;
	}
	length = (size_t)(wire_bits_end(&bits) - to);
	return length < *raw ? length : 0;
}

/* ---- Decoding ---- */

struct wire_source {
	const uint8_t *at, *end;
	uint64_t held;
	unsigned count;
	bool ended; /* bits were read beyond the end: they are 0 */
};

/* Reads at most 32 bits. */
static uint64_t wire_bits_take(struct wire_source *source, unsigned count)
{
	uint64_t value;

	for (; source->count < count && source->at < source->end; source->count += 8)
		source->held |= (uint64_t)*source->at++ << source->count;
	if (source->count < count) {
		source->ended = true;
		source->count = count;
	}
	value = source->held & ((1ULL << count) - 1);
	source->held >>= count;
	source->count -= count;
	return value;
}

static uint64_t wire_bits_take_long(struct wire_source *source, unsigned count)
{
	uint64_t low = wire_bits_take(source, count < 32 ? count : 32);

	return count <= 32 ? low : low | wire_bits_take(source, count - 32) << 32;
}

static uint64_t wire_take_step(struct wire_source *source, const struct wire_guess *guess)
{
	unsigned nibbles = (unsigned)wire_bits_take(source, 4);
	uint64_t zigzag = wire_bits_take_long(source, 4 * nibbles);

	return guess->stepped + (zigzag >> 1 ^ (0 - (zigzag & 1)));
}

static uint64_t wire_take_other(struct wire_source *source, const struct wire_guess *guess)
{
	unsigned mask = (unsigned)wire_bits_take(source, 8);
	uint64_t word = guess->behind_one;

	for (unsigned i = 0; i < WORD; i++)
		if (mask >> i & 1)
			word = (word & ~(0xffULL << 8 * i)) | wire_bits_take(source, 8) << 8 * i;
	return word;
}

static uint64_t wire_take_encoded(struct wire_words *words, struct wire_source *source)
{
	struct wire_guess guess = wire_guess(words);
	uint64_t word;

	if (!wire_bits_take(source, 1))
		word = guess.behind_two;
	else if (!wire_bits_take(source, 1))
		word = words->seen[wire_bits_take(source, WIRE_SEEN_BITS)];
	else if (!wire_bits_take(source, 1))
		word = wire_take_step(source, &guess);
	else
		word = wire_take_other(source, &guess);
	wire_learn(words, &guess, word);
	return word;
}

bool wire_decode(struct wire_words *words, uint8_t *to, size_t raw, const uint8_t *from,
                 size_t size)
{
	struct wire_source source = { .at = from, .end = from + size };

	if (!raw || raw % WORD || raw > WIRE_RAW_MAX)
		return false;
	wire_forget(words);
	for (size_t at = 0; at < raw && !source.ended; at += WORD) {
		uint64_t word = wire_take_encoded(words, &source);

		for (unsigned i = 0; i < WORD; i++)
			to[at + i] = (uint8_t)(word >> 8 * i);
	}
	return !source.ended && source.at == source.end && !source.held;
}
