/* SPDX-License-Identifier: MIT */
/*
 * The plugin of `bareperf run --outside`, which QEMU loads: it counts the instructions that each
 * vCPU of the guest begins, and samples each period's last one. QEMU's TCG translates the guest's
 * code block by block; the plugin adds a counter to each instruction, and a callback to each block.
 *
 * A counter is a word that translated code adds to (a word for each vCPU from version 2 of the
 * interface on, one for all before), or a call. QEMU of version 2 and later, as of 10.0, gives
 * plugins the number of the vCPU that translated the code, instead of the vCPU that executes it, if
 * it runs several on one thread (-icount). Then all vCPUs are sampled as one. Source: QEMU 10.0,
 * where the index is a constant in code that runs without CF_PARALLEL.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/callers.h"
#include "plugin/qemu_api.h"
#include "plugin/recording.h"
#include "plugin/registers.h"
#include "plugin/request.h"
#include "plugin/stage.h"

#define EXPORT        __attribute__((visibility("default")))
#define PUBLISH_EVERY 64U /* samples between two publications of the counts */

/* QEMU looks up these names. */
extern EXPORT int qemu_plugin_version;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc,
                               char **argv);

int qemu_plugin_version = 1;

struct outside_vcpu {
	struct stage stage;
	uint64_t done;    /* instructions since the last sample, without OUTSIDE_WORDS */
	uint64_t samples; /* taken */
	uint64_t start;   /* time at the start of the staged block */
	uint64_t time;    /* of the last sample */
	unsigned chain_count;
	uint64_t chain[CHAIN_MOST];
};

enum outside_way {
	OUTSIDE_WORDS,  /* from version 2 on: a word for each vCPU */
	OUTSIDE_SHARED, /* version 1, one thread: its growth between two callbacks belongs to the
	                 * vCPU of the earlier one */
	OUTSIDE_CALLS,  /* version 1, several threads: a call for each instruction */
	OUTSIDE_AS_ONE, /* from version 2 on, several vCPUs on one thread: the same, for all */
};

static enum outside_way outside_way;
static const struct outside_config *outside_config;
static enum chain_isa outside_isa;
static unsigned outside_count;   /* of vCPUs; OUTSIDE_AS_ONE: 1 */
static unsigned outside_present; /* vCPUs that exist: others may be plugged in later */
static struct outside_vcpu *outside_vcpus;
static qemu_plugin_u64 outside_word; /* OUTSIDE_WORDS: done of each vCPU */
static uint64_t outside_shared;      /* OUTSIDE_SHARED: all vCPUs' instructions */
static uint64_t outside_seen;        /* of those, counted in a vCPU's done */
static unsigned outside_last;        /* the vCPU that has executed since then */

/* QEMU refuses a plugin of an interface that it does not have, newer or too old. It reads the
 * variable after it has run the constructors. */
static __attribute__((constructor)) void outside_choose_version(void)
{
	if (qemu_plugin_read_memory_vaddr)
		qemu_plugin_version = 4;
	else if (qemu_plugin_scoreboard_new)
		qemu_plugin_version = 2;
}

/* ---- Counts ---- */

static uint64_t outside_done(unsigned vcpu)
{
	/* QEMU has no word for a vCPU that does not exist. */
	if (vcpu >= __atomic_load_n(&outside_present, __ATOMIC_RELAXED))
		return 0;
	return outside_way == OUTSIDE_WORDS ? qemu_plugin_u64_get(outside_word, vcpu)
	                                    : outside_vcpus[vcpu].done;
}

static void outside_set_done(unsigned vcpu, uint64_t done)
{
	if (vcpu >= __atomic_load_n(&outside_present, __ATOMIC_RELAXED))
		return;
	if (outside_way == OUTSIDE_WORDS)
		qemu_plugin_u64_set(outside_word, vcpu, done);
	else
		outside_vcpus[vcpu].done = done;
}

/* OUTSIDE_SHARED: vcpu executes from now on. */
static void outside_divide(unsigned vcpu)
{
	outside_vcpus[outside_last].done += outside_shared - outside_seen;
	outside_seen = outside_shared;
	outside_last = vcpu;
}

/* OUTSIDE_CALLS, OUTSIDE_AS_ONE */
static void outside_one(unsigned vcpu, void *data)
{
	(void)data;
	vcpu = outside_way == OUTSIDE_AS_ONE ? 0 : vcpu;
	if (vcpu < outside_count)
		outside_vcpus[vcpu].done++;
}

static uint64_t outside_total(unsigned vcpu)
{
	return outside_vcpus[vcpu].samples * outside_config->period + outside_done(vcpu);
}

/* Instructions of all vCPUs until now. */
static uint64_t outside_time(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < outside_count; i++)
		sum += outside_total(i);
	return sum;
}

/* ---- Samples ---- */

/* Writes the staged samples whose instructions were executed. */
static void outside_take(unsigned vcpu)
{
	struct outside_vcpu *v = &outside_vcpus[vcpu];
	uint64_t done = outside_done(vcpu);
	int i;

	while ((i = stage_take(&v->stage, &done, outside_config->period)) >= 0) {
		uint64_t time = v->start + v->stage.index[i] + 1;

		/* The other vCPUs' counts were read while they counted on. */
		v->time = time > v->time ? time : v->time + 1;
		v->chain[0] = v->stage.pc[i];
		recording_add(&(struct recording_sample){
		    .cpu = vcpu,
		    .pc = v->stage.pc[i],
		    .time = v->time,
		    .chain = v->chain,
		    .chain_count = v->chain_count,
		});
		v->samples++;
		if (v->samples % PUBLISH_EVERY == 1)
			recording_publish(vcpu, v->samples * outside_config->period, v->time);
	}
	outside_set_done(vcpu, done);
}

/* A vCPU is about to execute a block. */
static void outside_block(unsigned vcpu, void *data)
{
	const struct stage_block *block = data;
	struct outside_vcpu *v;
	uint64_t done;

	vcpu = outside_way == OUTSIDE_AS_ONE ? 0 : vcpu;
	if (vcpu >= outside_count)
		return;
	v = &outside_vcpus[vcpu];
	callers_arrive(vcpu, block);
	if (outside_way == OUTSIDE_SHARED)
		outside_divide(vcpu);
	if (outside_done(vcpu) >= outside_config->period)
		outside_take(vcpu);
	done = outside_done(vcpu);
	if (done < stage_due(outside_config->period, block->count))
		return;
	stage_fill(&v->stage, block, done, outside_config->period);
	v->start = outside_time();
	v->chain_count = callers_follow(vcpu, block, v->chain);
}

/* ---- Translation ---- */

/* QEMU's blocks, to free them when it has dropped all of its code. */
struct outside_kept {
	struct outside_kept *next;
	struct stage_block block;
};
static struct outside_kept *outside_kept;
static pthread_mutex_t outside_lock = PTHREAD_MUTEX_INITIALIZER;

static void outside_flush(qemu_plugin_id_t id)
{
	(void)id;
	pthread_mutex_lock(&outside_lock);
	while (outside_kept) {
		struct outside_kept *next = outside_kept->next;

		free(outside_kept);
		outside_kept = next;
	}
	pthread_mutex_unlock(&outside_lock);
}

static struct stage_block *outside_describe(const struct qemu_plugin_tb *tb, size_t count)
{
	struct outside_kept *kept = malloc(sizeof(*kept) + count * sizeof(uint16_t));
	struct stage_block *block = &kept->block;

	if (!kept)
		return NULL;
	*block = (struct stage_block){ qemu_plugin_tb_vaddr(tb), (uint32_t)count, false };
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		block->offsets[i] = (uint16_t)(qemu_plugin_insn_vaddr(insn) - block->address);
		callers_translate(insn, block);
	}
	pthread_mutex_lock(&outside_lock);
	kept->next = outside_kept;
	outside_kept = kept;
	pthread_mutex_unlock(&outside_lock);
	return block;
}

static void outside_count_instructions(const struct qemu_plugin_tb *tb, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (outside_way == OUTSIDE_WORDS)
			qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
			    insn, QEMU_PLUGIN_INLINE_ADD_U64, outside_word, 1);
		else if (outside_way == OUTSIDE_SHARED)
			qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
			                                           &outside_shared, 1);
		else
			qemu_plugin_register_vcpu_insn_exec_cb(insn, outside_one,
			                                       QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

static void outside_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	uint64_t due = stage_due(outside_config->period, (uint32_t)count);
	struct stage_block *block;

	(void)id;
	if (!count || count > STAGE_BLOCK)
		return;
	/* QEMU translates for one privilege level: code of several has several blocks. */
	if (outside_config->levels != OUTSIDE_LEVELS &&
	    !(outside_config->levels & registers_level(outside_isa, qemu_plugin_tb_vaddr(tb))))
		return;
	block = outside_describe(tb, count);
	if (!block)
		return;
	if (outside_way == OUTSIDE_WORDS && qemu_plugin_register_vcpu_tb_exec_cond_cb &&
	    !callers_see_blocks())
		qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, outside_block, callers_flags(),
		                                          QEMU_PLUGIN_COND_GE, outside_word, due,
		                                          block);
	else
		qemu_plugin_register_vcpu_tb_exec_cb(tb, outside_block, callers_flags(), block);
	outside_count_instructions(tb, count);
}

/* ---- Begin and end ---- */

/* A vCPU exists; in its thread, before it executes. */
static void outside_begin_vcpu(qemu_plugin_id_t id, unsigned vcpu)
{
	unsigned present = __atomic_load_n(&outside_present, __ATOMIC_RELAXED);

	(void)id;
	while (vcpu >= present &&
	       !__atomic_compare_exchange_n(&outside_present, &present, vcpu + 1, false,
	                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	registers_find(outside_isa);
}

static void outside_end(qemu_plugin_id_t id, void *data)
{
	uint64_t time;

	(void)id;
	(void)data;
	if (outside_way == OUTSIDE_SHARED)
		outside_divide(outside_last);
	for (unsigned i = 0; i < outside_count; i++)
		outside_take(i);
	time = outside_time();
	for (unsigned i = 0; i < outside_count; i++)
		recording_publish(i, outside_total(i), time);
	recording_end();
}

static int outside_complain(const char *text)
{
	fprintf(stderr, "bareperf's plugin: %s\n", text);
	return -1;
}

/* Limits of this QEMU that the user of the recording must know; NULL: none. */
static const char *outside_limit(void)
{
	if (outside_way == OUTSIDE_AS_ONE)
		return "this QEMU runs all vCPUs on one thread and then does not tell a plugin which "
		       "one executes: they are sampled as one CPU";
	if (outside_config->levels != OUTSIDE_LEVELS && !qemu_plugin_read_register)
		return "this QEMU's plugins cannot read the privilege level: code in the upper half "
		       "of the addresses counts as the kernel's, other code as the user's";
	return NULL;
}

static void outside_choose_way(const struct qemu_info *info)
{
	bool one = outside_config->one_thread || info->system.max_vcpus == 1;

	outside_count = (unsigned)info->system.max_vcpus;
	if (qemu_plugin_version == 1)
		outside_way = one ? OUTSIDE_SHARED : OUTSIDE_CALLS;
	else
		outside_way = one && outside_count > 1 ? OUTSIDE_AS_ONE : OUTSIDE_WORDS;
	if (outside_way == OUTSIDE_AS_ONE)
		outside_count = 1;
}

static void outside_register(qemu_plugin_id_t id)
{
	if (outside_way == OUTSIDE_WORDS)
		outside_word.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	qemu_plugin_register_vcpu_init_cb(id, outside_begin_vcpu);
	qemu_plugin_register_vcpu_tb_trans_cb(id, outside_translate);
	qemu_plugin_register_flush_cb(id, outside_flush);
	qemu_plugin_register_atexit_cb(id, outside_end, NULL);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	struct outside_config *config = request_read(argc, argv);
	bool is_x86 = !strcmp(info->target_name, "x86_64");
	const char *why;
	int code;

	if (!config)
		return outside_complain("only `bareperf run --outside' can load it");
	if (!is_x86 && strcmp(info->target_name, "aarch64") != 0)
		return outside_complain("guests of x86_64 and aarch64 only");
	request_choose_callers(config, qemu_plugin_version);
	outside_config = config;
	outside_isa = is_x86 ? CHAIN_X86_64 : CHAIN_AARCH64;
	why = request_unsupported(config, info, qemu_plugin_version);
	if (!why)
		outside_choose_way(info);
	if (!callers_begin(outside_isa, config->callers, why ? 1 : outside_count))
		return outside_complain("no memory for the callers of so many vCPUs");
	outside_vcpus = calloc(why ? 1 : outside_count, sizeof(*outside_vcpus));
	code = recording_open(config, why ? 1 : outside_count, is_x86 ? EM_X86_64 : EM_AARCH64);
	if (code || !outside_vcpus)
		return outside_complain("no memory for the trace region; try --region-size");
	if (why) {
		recording_refuse(-ENOTSUP, why);
		return outside_complain(why);
	}
	outside_register(id);
	recording_begin(outside_limit());
	return 0;
}
