/* SPDX-License-Identifier: MIT */
/*
 * An image that counts the cost of a tick's pump of a serial line in instructions, without the
 * accesses to the UART. Under QEMU's -icount the CPU's clock advances by a constant per
 * instruction, which nops calibrate. Prints "cost CASE BYTES INSTRUCTIONS LONGEST", of all calls
 * and of the longest call, for tests/bench/pump.py.
 */
#include "tests/firmware/image.h"

/* The cases are compiled with the flags of handlers. */
#if !defined(__clang__)
#pragma GCC target("general-regs-only")
#endif

#include "channel/lines.h"

#define NOINLINE __attribute__((noinline))
#define NOPS     1000U
#define SIZE     (256U << 10)
#define GET      65536U
#define SAMPLE   192U /* bytes of a sample with a callchain of 15 */
#define CALLS    100000U

static _Alignas(TR_PAGE) uint8_t memory[SIZE];
static struct lines lines;
static uint8_t coming[WIRE_FRAME_MAX];
static unsigned nr_coming, taken;
static uint64_t sent, now, unit;
static uint16_t sequence;

/* ---- A UART that takes a FIFO's worth a call, and says what it was given to say ---- */

static unsigned room(const struct uart *uart)
{
	return uart->fifo;
}

static void put(const struct uart *uart, uint8_t byte)
{
	(void)uart, (void)byte;
	sent++;
}

static int get(struct uart *uart)
{
	(void)uart;
	return taken < nr_coming ? coming[taken++] : -1;
}

static bool idle(const struct uart *uart)
{
	return (void)uart, true;
}

static uint32_t no_divisor(const struct uart *uart, uint32_t baud)
{
	return (void)uart, (void)baud, 0;
}

static const struct uart_ops ops = {
	.name = "none",
	.all_or_none = true,
	.room = room,
	.put = put,
	.get = get,
	.idle = idle,
	.divisor = no_divisor,
};

static uint64_t clock_ns(void)
{
	return now += LINES_TICK_NS;
}

static unsigned no_text(uint64_t *at, char *to, unsigned size)
{
	(void)at, (void)to, (void)size;
	return 0;
}

static void host_sends(uint8_t *body, size_t size)
{
	wire_put_sequence(body, sequence++);
	nr_coming = (unsigned)wire_frame(coming, body, size);
	taken = 0;
	while (taken < nr_coming)
		lines_pump(&lines);
}

static void host_says_hello(void)
{
	static uint8_t body[WIRE_BODY_MAX];
	static struct wire_hello hello = { .version = WIRE_VERSION, .nonce = 1 };

	host_sends(body, wire_put_hello(body, &hello));
}

static void host_gets(uint8_t flags)
{
	static uint8_t body[WIRE_BODY_MAX];
	struct wire_get request = { .tag = 1, .size = GET, .offset = SIZE - GET };

	host_sends(body, wire_put_get(body, &request, flags));
}

/* ---- The region's content ---- */

static uint64_t word_of(unsigned sample, unsigned word, uint64_t chance)
{
	switch (word) {
	case 0:
		return PERF_RECORD_SAMPLE | (uint64_t)SAMPLE << 48;
	case 1:
		return 100;
	case 2:
		return 0x101000 + chance % 4096;
	case 4:
		return 1000000ULL * sample + chance % 65536;
	case 6:
		return 1000000 + chance % 256;
	case 7:
		return 15;
	default:
		return word > 7 ? 0x100000 + word * 4096 + (chance % 4) * 64 : 1;
	}
}

static void fill(bool with_samples)
{
	uint64_t *words = (uint64_t *)(void *)(memory + SIZE - GET), chance = 1;

	for (unsigned i = 0; i < GET / 8; i++) {
		chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
		words[i] = with_samples ? word_of(i / (SAMPLE / 8), i % (SAMPLE / 8), chance >> 40)
		                        : chance ^ chance >> 29;
	}
}

/* ---- Counting ---- */

static NOINLINE void nops(void)
{
	__asm__ volatile(".rept %c0\n\tnop\n\t.endr" : : "i"(NOPS));
}

static NOINLINE void pump(void)
{
	lines_pump(&lines);
}

static NOINLINE void nothing(void)
{
}

static NOINLINE uint64_t clock_of(void (*run)(void))
{
	uint64_t start = arch_cycles();

	run();
	return arch_cycles() - start;
}

/* Run ticks until nothing is left to send, at most so many. */
static void count(const char *name, unsigned ticks)
{
	uint64_t all = 0, most = 0, between = clock_of(nothing), before = sent;
	unsigned calls = 0;

	while (calls < ticks && (ticks != CALLS || !line_is_quiet(&lines.ports[0].line))) {
		uint64_t clock = clock_of(pump) - between;

		all += clock;
		most = clock > most ? clock : most;
		calls++;
		if (calls % 500 == 0)
			host_says_hello();
	}
	console_printf("cost %s %lu %lu %lu\n", name, sent - before, all * NOPS / unit,
	               most * NOPS / unit);
	tap_ok(calls > 0 && calls < CALLS, name);
}

static void start_line(void)
{
	struct uart uart = { .ops = &ops, .fifo = 16 };

	lines.region = (struct line_region){
		.memory = memory,
		.size = SIZE,
		.nonce = 1,
		.mailbox = 4096,
		.doorbells = 8192,
		.console = 16384,
		.nr_rings = 2,
		.controls = { 65536, 65536 + TR_PAGE },
	};
	lines_start(&lines, &uart, clock_ns, no_text, 0);
}

static int story(void *arg)
{
	(void)arg;
	tap_equal((uint64_t)test_start(), 0, "the clock's frequency is found");
	unit = clock_of(nops) - clock_of(nothing);
	tap_ok(unit % NOPS == 0, "each nop takes as long");
	start_line();
	count("pump-of-text", 100);
	host_says_hello();
	count("pump-at-rest", 300);
	fill(false);
	host_gets(0);
	count("pump-of-noise", CALLS);
	host_gets(WIRE_ENCODED);
	count("pump-of-noise-encoded", CALLS);
	fill(true);
	host_gets(WIRE_ENCODED);
	count("pump-of-samples", CALLS);
	tap_finish();
	machine_reset(MACHINE_POWEROFF);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	return test_boot(image, system, NULL, story);
}
