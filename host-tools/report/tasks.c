/* SPDX-License-Identifier: MIT */
#include "host-tools/report/tasks.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/texts.h"

struct task {
	uint32_t tid;
	const char *command;
};

static int compare_tasks(const void *one, const void *other)
{
	const struct task *a = one, *b = other;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

static int set_command(struct tasks *tasks, uint32_t tid, const char *command)
{
	struct task wanted = { tid, command };
	struct task *const *found = tfind(&wanted, &tasks->tids, compare_tasks);
	struct task *task = found ? *found : malloc(sizeof(*task));

	if (!task || !command)
		goto no_memory;
	*task = wanted;
	if (found || tsearch(task, &tasks->tids, compare_tasks))
		return 0;
no_memory:
	if (!found)
		free(task);
	return -ENOMEM;
}

/* Layout of the records: perf_event_open(2), PERF_RECORD_COMM and PERF_RECORD_FORK; the fields are
 * 32-bit words behind the header. */
int tasks_add(struct tasks *tasks, const struct perf_event_header *record)
{
	const uint32_t *words = (const uint32_t *)(record + 1);
	char text[64];

	if (record->type == PERF_RECORD_COMM && record->size > sizeof(*record) + 8) {
		snprintf(text, sizeof(text), "%.*s", (int)(record->size - sizeof(*record) - 8),
		         (const char *)&words[2]);
		return set_command(tasks, words[1], texts_keep(&tasks->commands, strdup(text)));
	}
	if (record->type == PERF_RECORD_FORK && record->size >= sizeof(*record) + 16)
		return set_command(tasks, words[2], tasks_command(tasks, words[3]));
	return 0;
}

const char *tasks_command(struct tasks *tasks, uint32_t tid)
{
	struct task wanted = { .tid = tid };
	struct task *const *found = tfind(&wanted, &tasks->tids, compare_tasks);
	char text[16];

	if (found)
		return (*found)->command;
	snprintf(text, sizeof(text), ":%d", (int)tid);
	return texts_keep(&tasks->commands, strdup(text));
}

void tasks_free(struct tasks *tasks)
{
	tdestroy(tasks->tids, free);
	tdestroy(tasks->commands, free);
	*tasks = (struct tasks){ 0 };
}
