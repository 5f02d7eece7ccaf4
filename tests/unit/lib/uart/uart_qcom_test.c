/* SPDX-License-Identifier: MIT */
/* Qualcomm's UARTs: fake registers, written after Linux's drivers. Their transfers have a length,
 * and their FIFOs hold words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/uart/uart.h"

#define WORDS   16U
#define GARBAGE 0xeeeeeeeeU /* the unused bytes of a word */

static struct {
	unsigned tx_per_word, rx_per_word; /* 5: as words, not bytes */
	uint32_t protocol, dma;
	bool absent;
	/* transmitter: the transfer's length, the missing bytes, words in the FIFO */
	unsigned length, missing, words;
	bool active, tx_ready, shifting;
	uint8_t sent[400];
	unsigned nr_sent;
	/* receiver */
	bool receives, overrun, stale_events, stale;
	bool says_last; /* also sets the flag for full last words */
	uint8_t coming[80];
	unsigned nr_coming, nr_forced; /* forced: they are in the FIFO as a separate word */
} fake;

static struct uart uart;

static void finish(void)
{
	fake.words = 0;
	fake.active = fake.shifting = false;
	fake.tx_ready = true;
}

static void put_word(uint32_t word)
{
	assert_true(fake.missing > 0 && fake.words < WORDS);
	for (unsigned i = 0; i < 4; i++, word >>= 8)
		if (i < fake.tx_per_word && fake.missing) {
			fake.sent[fake.nr_sent++ % sizeof(fake.sent)] = (uint8_t)word;
			fake.missing--;
		} else {
			assert_int_equal(word & 0xff, 0);
		}
	fake.words++;
	fake.shifting = true;
}

static uint32_t take_word(unsigned bytes)
{
	uint32_t word = GARBAGE;

	assert_true(fake.nr_coming >= bytes && bytes > 0);
	for (unsigned i = bytes; i-- > 0;)
		word = word << 8 | fake.coming[i];
	fake.nr_coming -= bytes;
	memmove(fake.coming, fake.coming + bytes, fake.nr_coming);
	return word;
}

/* ---- GENI ---- */

static uint32_t geni_config(unsigned per_word, unsigned number)
{
	uint32_t config[2] = { 0, 0 };

	for (unsigned i = 0; i < per_word && i < 4; i++)
		config[i / 2] |= (i * 8 << 5 | 7 << 1 | (i + 1 == per_word)) << 10 * (i % 2);
	return per_word == 5 ? 0xf << 5 : config[number];
}

static uint32_t geni_rx_status(void)
{
	unsigned per = fake.rx_per_word, rest = fake.nr_coming % per;
	uint32_t status = (fake.nr_coming + per - 1) / per;

	if (!fake.receives)
		return 0;
	if (fake.nr_coming && (rest || fake.says_last))
		status |= 1U << 31 | rest << 28;
	return status;
}

static uint32_t geni_read(const struct uart *of, unsigned reg)
{
	(void)of;
	if (fake.absent)
		return UINT32_MAX;
	switch (reg << 2) {
	case 0x40:
		return (fake.active ? 1U : 0) | (fake.receives ? 1U << 12 : 0);
	case 0x68:
		return 0x05000051 | fake.protocol << 8;
	case 0x258:
		return fake.dma;
	case 0x260:
	case 0x264:
		return geni_config(fake.tx_per_word, reg << 2 == 0x264);
	case 0x284:
	case 0x288:
		return geni_config(fake.rx_per_word, reg << 2 == 0x288);
	case 0x640:
		return fake.overrun ? 1U << 25 : 0;
	case 0x780:
		return take_word(fake.nr_coming < fake.rx_per_word ? fake.nr_coming
		                                                   : fake.rx_per_word);
	case 0x804:
		return geni_rx_status();
	default:
		fail_msg("read of %#x", reg << 2);
		return 0;
	}
}

static void geni_write(const struct uart *of, unsigned reg, uint32_t value)
{
	(void)of;
	switch (reg << 2) {
	case 0x270:
		assert_true(!fake.active && value > 0);
		fake.length = value;
		break;
	case 0x600:
		assert_true(!fake.active && value == 1U << 27);
		fake.active = true;
		fake.missing = fake.length;
		break;
	case 0x618:
		assert_int_equal(value, 1);
		break;
	case 0x630:
		assert_true(!fake.receives && value == 1U << 27);
		fake.receives = true;
		break;
	case 0x648:
		assert_int_equal(value, 1U << 25);
		fake.overrun = false;
		break;
	case 0x700:
		assert_true(fake.active);
		put_word(value);
		break;
	default:
		fail_msg("write of %#x", reg << 2);
	}
}

/* ---- UARTDM ---- */

static unsigned dm_whole(void)
{
	if (fake.nr_forced || fake.stale_events)
		return fake.nr_coming != 0;
	return fake.nr_coming / fake.rx_per_word;
}

static uint32_t dm_take(void)
{
	unsigned bytes = fake.nr_forced ? fake.nr_forced : fake.rx_per_word;

	fake.nr_forced = 0;
	return take_word(bytes);
}

static uint32_t dm_read(const struct uart *of, unsigned reg)
{
	unsigned packed = fake.nr_forced ? 0 : fake.nr_coming % fake.rx_per_word;

	(void)of;
	if (fake.absent)
		return UINT32_MAX;
	switch (reg << 2) {
	case 0x08:
		return (fake.receives && dm_whole() ? 1U : 0) | (fake.words ? 0 : 1U << 2) |
		       (fake.words || fake.shifting ? 0 : 1U << 3) | (fake.overrun ? 1U << 4 : 0);
	case 0x14:
		return fake.tx_ready ? 1U << 7 : 0;
	case 0x3c:
		return fake.dma | (fake.tx_per_word == 1 ? 1U << 4 : 0) |
		       (fake.rx_per_word == 1 ? 1U << 5 : 0);
	case 0x40:
		return fake.length;
	case 0x50:
		return fake.receives ? packed << 7 | dm_whole() : 0;
	case 0x70:
		return dm_take();
	default:
		fail_msg("read of %#x", reg << 2);
		return 0;
	}
}

static void dm_command(uint32_t command)
{
	switch (command) {
	case 0x30:
		fake.overrun = false;
		break;
	case 0x80:
		fake.stale = false;
		break;
	case 0x300:
		fake.tx_ready = false;
		break;
	case 0x400:
		fake.nr_forced = fake.nr_coming % 4;
		fake.stale = true;
		break;
	case 0x600:
		fake.stale_events = false;
		break;
	default:
		fail_msg("command %#x", command);
	}
}

static void dm_write(const struct uart *of, unsigned reg, uint32_t value)
{
	(void)of;
	switch (reg << 2) {
	case 0x10:
		dm_command(value);
		break;
	case 0x34: /* the next reception begins */
		assert_true(value == 0xffffff && !fake.stale && fake.nr_coming == 0);
		break;
	case 0x40:
		assert_true(fake.words == 0 && fake.missing == 0 && !fake.tx_ready && value > 0);
		fake.length = fake.missing = value;
		break;
	case 0x70:
		put_word(value);
		break;
	default:
		fail_msg("write of %#x", reg << 2);
	}
}

static const struct kind {
	uint32_t types[2];
	const char *name;
	struct uart_access access;
} kinds[] = {
	{ { 0x11, 0x13 }, "GENI UART", { geni_read, geni_write } },
	{ { 0x04, 0x09 }, "UARTDM", { dm_read, dm_write } },
};
#define GENI   0U
#define UARTDM 1U

/* Describe the UART only. */
static void begin(unsigned kind, unsigned tx_per_word, unsigned rx_per_word)
{
	struct arch_uart_hint hint = { .interface_type = kinds[kind].types[0],
		                       .address = 0xa90000 };

	memset(&fake, 0, sizeof(fake));
	fake.tx_per_word = tx_per_word;
	fake.rx_per_word = rx_per_word;
	fake.protocol = 2;
	fake.stale_events = true;
	fake.receives = true;
	assert_int_equal(uart_describe(&uart, &hint), 0);
	uart.access = &kinds[kind].access;
}

/* Every way in which a firmware may configure the words. */
static const struct setting {
	unsigned kind, tx_per_word, rx_per_word;
} settings[] = {
	{ GENI, 1, 1 },   { GENI, 2, 3 },   { GENI, 3, 2 },   { GENI, 4, 4 },   { GENI, 4, 1 },
	{ UARTDM, 4, 4 }, { UARTDM, 1, 1 }, { UARTDM, 4, 1 }, { UARTDM, 1, 4 },
};
#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

static void begin_setting(unsigned i)
{
	begin(settings[i].kind, settings[i].tx_per_word, settings[i].rx_per_word);
	assert_int_equal(uart_open(&uart), 0);
}

static void acpis_numbers_of_them_are_known(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct arch_uart_hint hint = { .interface_type = kinds[i / 2].types[i % 2],
			                       .address = 0x78b0000,
			                       .baud = 115200 };

		assert_int_equal(uart_describe(&uart, &hint), 0);
		assert_string_equal(uart.ops->name, kinds[i / 2].name);
		assert_true(uart.in_memory && uart.shift == 2 && uart.baud == 115200);
		assert_true(uart.size >= (i / 2 == GENI ? 0x808 : 0x74));
		hint.space = 1;
		assert_int_equal(uart_describe(&uart, &hint), -ENODEV);
	}
}

static void a_fifo_is_16_words(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SETTINGS; i++) {
		const struct setting *setting = &settings[i];
		unsigned less = setting->tx_per_word < setting->rx_per_word ? setting->tx_per_word
		                                                            : setting->rx_per_word;

		begin_setting(i);
		assert_int_equal(uart.fifo, WORDS * less);
	}
}

static void an_engine_that_is_no_uart_of_words_is_left_alone(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 2; kind++) {
		begin(kind, 4, 4);
		fake.absent = true;
		assert_int_equal(uart_open(&uart), -ENODEV);
		for (uint32_t dma = 1; dma <= (kind == GENI ? 1U : 8U); dma <<= 1) {
			begin(kind, 4, 4);
			fake.dma = dma;
			assert_int_equal(uart_open(&uart), -ENODEV);
		}
	}
	begin(GENI, 4, 4);
	fake.protocol = 3; /* I2C */
	assert_int_equal(uart_open(&uart), -ENODEV);
	begin(GENI, 5, 4);
	assert_int_equal(uart_open(&uart), -ENODEV);
	begin(GENI, 4, 5);
	assert_int_equal(uart_open(&uart), -ENODEV);
	begin(GENI, 0, 4);
	assert_int_equal(uart_open(&uart), -ENODEV);
}

static void a_transfer_begins_when_the_last_one_has_ended(void **state)
{
	uint8_t text[300];

	(void)state;
	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 7 + 1);
	for (unsigned i = 0; i < SETTINGS; i++) {
		unsigned sent = 0, transfers = 0;

		begin_setting(i);
		assert_true(uart.ops->idle(&uart));
		while (sent < sizeof(text)) {
			unsigned now = uart_send(&uart, text + sent, (unsigned)sizeof(text) - sent);

			assert_true(now == uart.fifo || sent + now == sizeof(text));
			assert_int_equal(fake.missing, 0);
			assert_int_equal(fake.length, now);
			assert_false(uart.ops->idle(&uart));
			assert_int_equal(uart.ops->room(&uart), 0);
			assert_int_equal(uart_send(&uart, text, 1), 0);
			sent += now;
			transfers++;
			finish();
		}
		assert_int_equal(transfers, (sizeof(text) + uart.fifo - 1) / uart.fifo);
		assert_int_equal(fake.nr_sent, sizeof(text));
		assert_memory_equal(fake.sent, text, sizeof(text));
		assert_true(uart.ops->idle(&uart));
	}
}

static void uartdms_fifo_is_filled_while_its_last_byte_is_on_the_line(void **state)
{
	(void)state;
	begin_setting(5);
	assert_int_equal(uart_send(&uart, (const uint8_t *)"abcde", 5), 5);
	fake.words = 0;
	assert_int_equal(uart.ops->room(&uart), 0);
	fake.tx_ready = true;
	assert_false(uart.ops->idle(&uart));
	assert_int_equal(uart_send(&uart, (const uint8_t *)"fgh", 3), 3);
	assert_memory_equal(fake.sent, "abcdefgh", 8);
}

static void a_byte_of_a_panic_is_a_transfer_and_waits_a_bounded_time(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SETTINGS; i++) {
		begin_setting(i);
		uart_write(&uart, 'x');
		assert_int_equal(fake.length, 1);
		uart_write(&uart, 'y'); /* the first one never ends */
		assert_true(uart.stuck);
		assert_int_equal(fake.nr_sent, 1);
		assert_int_equal(fake.sent[0], 'x');
		finish();
		uart_put(&uart, (const uint8_t *)"z", 0);
		assert_int_equal(fake.nr_sent, 1);
	}
}

static void every_length_that_comes_is_received(void **state)
{
	static const char text[] = "a\0\377defghijklmnopqrstuvwxyz";
	uint8_t got[32];

	(void)state;
	for (unsigned i = 0; i < 2 * SETTINGS; i++) {
		for (unsigned length = 0; length < sizeof(text); length++) {
			unsigned first = length / 2;

			begin_setting(i / 2);
			fake.says_last = i % 2;
			memcpy(fake.coming, text, length);
			fake.nr_coming = length;
			assert_int_equal(uart_receive(&uart, got, first), first);
			assert_int_equal(uart_receive(&uart, got + first, sizeof(got) - first),
			                 length - first);
			assert_memory_equal(got, text, length);
			assert_int_equal(uart_receive(&uart, got, sizeof(got)), 0);
			assert_false(fake.stale);
			assert_int_equal(uart.overruns, 0);
		}
	}
}

static void an_overrun_is_counted_once(void **state)
{
	uint8_t got[4];

	(void)state;
	for (unsigned i = 0; i < SETTINGS; i++) {
		begin_setting(i);
		fake.overrun = true;
		memcpy(fake.coming, "abc", 3);
		fake.nr_coming = 3;
		assert_int_equal(uart_receive(&uart, got, sizeof(got)), 3);
		assert_int_equal(uart.overruns, 1);
	}
}

static void genis_reception_is_started_where_it_has_ended(void **state)
{
	uint8_t got[4];

	(void)state;
	begin_setting(0);
	fake.receives = false;
	memcpy(fake.coming, "ab", 2);
	fake.nr_coming = 2;
	assert_int_equal(uart_receive(&uart, got, sizeof(got)), 0);
	assert_true(fake.receives);
	assert_int_equal(uart_receive(&uart, got, sizeof(got)), 2);
	assert_memory_equal(got, "ab", 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(acpis_numbers_of_them_are_known),
		cmocka_unit_test(a_fifo_is_16_words),
		cmocka_unit_test(an_engine_that_is_no_uart_of_words_is_left_alone),
		cmocka_unit_test(a_transfer_begins_when_the_last_one_has_ended),
		cmocka_unit_test(uartdms_fifo_is_filled_while_its_last_byte_is_on_the_line),
		cmocka_unit_test(a_byte_of_a_panic_is_a_transfer_and_waits_a_bounded_time),
		cmocka_unit_test(every_length_that_comes_is_received),
		cmocka_unit_test(an_overrun_is_counted_once),
		cmocka_unit_test(genis_reception_is_started_where_it_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
