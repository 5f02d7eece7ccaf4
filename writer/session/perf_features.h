/* SPDX-License-Identifier: MIT */
/* The optional sections of a perf.data file: the machine, the events and the command. */
#ifndef WRITER_SESSION_PERF_FEATURES_H
#define WRITER_SESSION_PERF_FEATURES_H

#include "writer/ledger/ledger.h"
#include "writer/perfdata/perf_writer.h"
#include "writer/session/images.h"

#define PERF_FEATURES_MAX 23

struct perf_features_input {
	const struct region *region;
	const struct image_file *files;
	const struct ledger *ledger;
	const struct blob *aux_index; /* of the AUXTRACE feature; empty: there is none */
	const char *const *command;   /* the host tool's own command line; NULL: the machine's */
	int command_words;
	bool e_machine;      /* E_MACHINE and CLN_SIZE are wanted */
	uint64_t first_time; /* time of the first sample, ns */
	uint64_t last_time;
};

/* Build all sections, ascending by bit; returns their number. */
size_t perf_features_build(struct perf_writer_feature features[PERF_FEATURES_MAX],
                           const struct perf_features_input *input);

void perf_features_free(struct perf_writer_feature *features, size_t count);

#endif
