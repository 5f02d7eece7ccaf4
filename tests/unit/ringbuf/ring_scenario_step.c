/* SPDX-License-Identifier: MIT */
/* Handlers between any two instructions: the writer single-steps itself with the trap flag. */
#include <signal.h>
#include <ucontext.h>

#include "arch/host/step.h"
#include "tests/unit/ringbuf/ring_scenario.h"

#define MAX_STEPS    20000
#define INSTRUCTIONS 120 /* about the number of a writer's instructions */

struct preparation {
	uint32_t size; /* size of the records that are written before */
	int count;
	uint64_t read;   /* number of them that are read */
	uint32_t events; /* wakeup_events */
};

static const struct preparation PREPARATIONS[] = {
	{ 32, 0, 0, 0 },     /* empty */
	{ 32, 127, 0, 0 },   /* room for one of two */
	{ 32, 128, 0, 0 },   /* full */
	{ 32, 130, 128, 0 }, /* LOST pending, all read */
	{ 32, 130, 3, 0 },   /* LOST pending, room for one of two */
	{ 40, 102, 50, 0 },  /* the next record wraps */
	{ 32, 63, 0, 0 },    /* the next record fills half of the ring */
	{ 32, 1, 0, 2 },     /* the next record is the last of wakeup_events */
};

#define COUNT (sizeof(PREPARATIONS) / sizeof(*PREPARATIONS))

enum visitor { WRITER, READER };

/* A writer that is interrupted, and the instruction before which that happens: the thread, or its
 * handler. */
struct stepped {
	int step;
	int first, second; /* -1: not */
};

static struct rig rig;
static volatile struct stepped levels[2];
static volatile int level;
static enum visitor visitor;
static const char *visit_wrong;

/* A handler's record; a further handler may come before any instruction of it. */
static void write_nested(void)
{
	if (level == 1 || levels[1].first < 0) {
		rig_write_alone(&rig, (unsigned)level + 1, 48);
		return;
	}
	level = 1;
	levels[1].step = 0;
	host_step_start();
	rig_write(&rig, 1, 48, 1);
	host_step_end();
	level = 0;
}

static void visit(void)
{
	if (visitor == WRITER)
		write_nested();
	else
		visit_wrong = rig_drain(&rig, UINT64_MAX);
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	volatile struct stepped *at = &levels[level];
	int step = at->step++;

	(void)signal;
	(void)info;
	if (step == at->first || step == at->second)
		visit();
	if (step >= at->first && step >= at->second)
		host_step_leave(context);
}

/* Write a record, with a handler before these instructions. */
static void write_stepping(int first, int second)
{
	level = 0;
	levels[0] = (struct stepped){ .first = first, .second = second };
	host_step_start();
	rig_write(&rig, 0, 32, 0);
	host_step_end();
}

static const char *settle(void)
{
	const char *wrong = visit_wrong;
	uint64_t lost;

	/* a written record is visible to the reader at once, not only with the next record */
	if (!wrong)
		wrong = rig_drain(&rig, UINT64_MAX);
	if (!wrong)
		wrong = rig_check(&rig);
	if (wrong)
		return wrong;
	lost = rig.ring.lost;
	rig_write(&rig, 0, 32, 0);
	wrong = rig_drain(&rig, UINT64_MAX);
	if (!wrong && (rig.ring.lost != lost || rig.reported != lost || rig.ring.nest))
		wrong = "the ring did not recover";
	return wrong ? wrong : rig_check(&rig);
}

static const char *try_once(const struct preparation *p, int first, int second)
{
	const char *wrong;

	rig_init(&rig, TR_PAGE, 0, p->events, 0);
	for (int i = 0; i < p->count; i++)
		rig_write(&rig, 0, p->size, 0);
	visit_wrong = rig_drain(&rig, p->read);
	write_stepping(first, second);
	wrong = settle();
	rig_free(&rig);
	return wrong;
}

static const char *step_through(const struct preparation *p)
{
	const char *wrong = NULL;

	levels[1].first = -1;
	for (int at = 0; at < MAX_STEPS && !wrong; at++) {
		wrong = try_once(p, at, -1);
		if (levels[0].step <= at)
			return wrong; /* the writer has no more instructions */
	}
	return wrong ? wrong : "the writer did not come to an end";
}

static void catch_traps(struct sigaction *old)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGTRAP, &action, old);
}

const char *scenario_every_instruction(void)
{
	const char *wrong = NULL;
	struct sigaction old;

	catch_traps(&old);
	for (visitor = WRITER; visitor <= READER && !wrong; visitor++)
		for (size_t i = 0; i < COUNT && !wrong; i++)
			wrong = step_through(&PREPARATIONS[i]);
	sigaction(SIGTRAP, &old, NULL);
	return wrong;
}

const char *scenario_nested_handlers(uint64_t seed, int times)
{
	const char *wrong = NULL;
	struct sigaction old;

	catch_traps(&old);
	visitor = WRITER;
	while (times-- && !wrong) {
		uint64_t random = rig_random(&seed);

		levels[1].first = random % 4 ? (int)(random >> 8 & 0xff) % INSTRUCTIONS : -1;
		levels[1].second = random % 3 ? (int)(random >> 16 & 0xff) % INSTRUCTIONS : -1;
		wrong = try_once(&PREPARATIONS[(random >> 48) % COUNT],
		                 (int)(random >> 24 & 0xff) % INSTRUCTIONS,
		                 (int)(random >> 32 & 0xff) % INSTRUCTIONS);
	}
	sigaction(SIGTRAP, &old, NULL);
	return wrong;
}
