/* SPDX-License-Identifier: MIT */
#include "tests/unit/agent/record/lossless/record_lossless_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "agent/record/record_stop.h"
#include "agent/record/record_tick.h"
#include "lib/console/console.h"
#include "lib/print.h"
#include "pmu/sample.h"
#include "pmu/software/cpu_clock.h"
#include "tests/unit/channel/pumped_uart.h"

struct command command;
struct recording recording;
static struct channel channel;
struct traced_cpu cpus[CPUS];
struct perf_event events[CPUS];
struct perf_event_mmap_page controls[CPUS];
uint64_t data[CPUS][RING / 8];
static uint64_t scratch[RING_LEVELS * 2048 / 8];
const struct arch_regs regs = { .pc = 0x1234 };
bool switch_is_due;
uint64_t looks, looked_ns, leap, signalled[CPUS], housekept;
void (*reader)(void); /* called at each look */
char text[512];
unsigned switched, frozen;

/* ---- The parts that it uses of its neighbours ---- */

struct traced_cpu *recording_here(void)
{
	return &cpus[fake_cpu_number];
}

void arch_cpu_signal(unsigned cpu)
{
	signalled[cpu]++;
}

void recording_tick_stalled(struct traced_cpu *c)
{
	(void)c;
	housekept++;
}

bool recording_switch_is_due(const struct traced_cpu *c)
{
	return c == cpus && switch_is_due;
}

void recording_switch_here(struct traced_cpu *c)
{
	if (!recording_switch_is_due(c))
		return;
	assert_int_equal(frozen, 0);
	assert_false(c->stalled_now);
	switched++;
	switch_is_due = false;
}

int recording_fail(struct recording *r, int code, const char *format, ...)
{
	va_list arguments;

	(void)r;
	va_start(arguments, format);
	print_text_v(text, sizeof(text), format, arguments);
	va_end(arguments);
	return code;
}

void console_printf(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_text_v(text, sizeof(text), format, arguments);
	va_end(arguments);
}

/* ---- The machine ---- */

void freeze(void)
{
	frozen++;
}

void thaw(void)
{
	frozen--;
}

static void look(void)
{
	looks++;
	looked_ns += LOOK;
	host_fake_cycles += leap ? leap : LOOK;
	if (reader)
		reader();
}

void read_all(void)
{
	controls[0].data_tail = controls[0].data_head;
}

void read_all_at_last(void)
{
	if (looks % 250 == 0)
		read_all();
}

static const struct channel_ops memory = { .name = "memory" };

void set_up_cpu(unsigned i)
{
	struct traced_cpu *c = &cpus[i];

	*c = (struct traced_cpu){
		.recording = &recording,
		.cpu = i,
		.index = i,
		.events = &events[i],
		.live = true,
	};
	events[i] = (struct perf_event){
		.attr = { .type = PERF_TYPE_SOFTWARE,
		          .size = sizeof(events[i].attr),
		          .config = PERF_COUNT_SW_CPU_CLOCK,
		          .sample_period = PERIOD,
		          .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		                         PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		          .sample_max_stack = 1 },
		.cpu = i,
		.ring = &c->ring,
	};
	assert_int_equal(event_init(&events[i]), 0);
	assert_int_equal(ring_init(&c->ring, &(struct ring_config){ .control = &controls[i],
	                                                            .data = data[i],
	                                                            .size = RING,
	                                                            .max_record = 2048,
	                                                            .scratch = scratch }),
	                 0);
	assert_int_equal(lossless_open(c), 0);
}

int set_up(void **state)
{
	(void)state;
	host_fake_cycles = 5 * NSEC_PER_SEC;
	fake_cpu_number = 0;
	fake_nested = false;
	clock_set(&machine_clock, NSEC_PER_SEC, 0);
	command = (struct command){ .lossless = LOSSLESS_ALL };
	channel = (struct channel){ .ops = &memory, .lines = pumped_start(look) };
	recording = (struct recording){ .command = &command,
		                        .channel = &channel,
		                        .nr_events = 1,
		                        .nr_cpus = CPUS,
		                        .cpus = cpus };
	reader = read_all_at_last;
	looks = looked_ns = leap = housekept = switched = frozen = 0;
	switch_is_due = false;
	memset(signalled, 0, sizeof(signalled));
	*text = 0;
	clock_frozen[0] = 0;
	set_up_cpu(0);
	set_up_cpu(1);
	timer_init();
	lossless_begin(&recording);
	lossless_started(&recording);
	return 0;
}

int tear_down(void **state)
{
	(void)state;
	lossless_end(&recording);
	return 0;
}

void start(void)
{
	const struct perf_event *failed;

	assert_int_equal(context_start(&cpus[0].context, events, 1, &failed), 0);
}

/* Write samples until the ring has less room than its reserve. */
void fill(void)
{
	while (!signalled[0])
		fake_cpu_run(PERIOD, 0, &regs);
}

struct ring_account *account(void)
{
	return &events[0].account;
}
