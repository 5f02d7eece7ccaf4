/* SPDX-License-Identifier: MIT */
/* The times at which the machine was stopped to be read: a channel's stops, in the file. */
#include "writer/session/perf_synth.h"
#include "writer/session/session.h"

/* The machine publishes its time once a tick, 1 ms; a stop must be longer to be distinguished. */
#define SHORTEST_NS 5000000U

static void stops_write_stop(struct session *session)
{
	const struct session_stops *stops = &session->stops;
	struct blob blob = { 0 };
	uint64_t from = stops->last.time;

	if (from)
		perf_synth_stop(&blob, &session->region, from,
		                from + (stops->clock_runs ? stops->last.length : 0));
	perf_writer_add(&session->writer, blob.bytes, blob.size);
	blob_free(&blob);
}

/* Does the machine's clock continue during a stop? From one stop to the next it has advanced by the
 * time between them, or by the stop as well. */
static void stops_learn_clock(struct session_stops *stops, const struct channel_stop *next)
{
	const struct channel_stop *last = &stops->last;
	uint64_t ran = next->at - last->at - last->length;

	if (last->length >= SHORTEST_NS && last->time && next->time)
		stops->clock_runs = next->time - last->time > ran + last->length / 2;
}

void session_take_stops(struct session *session)
{
	struct session_stops *stops = &session->stops;
	struct channel_stop stop;

	while (channel_stop(session->region.channel, &stop)) {
		if (stops->count) {
			stops_learn_clock(stops, &stop);
			stops_write_stop(session);
		}
		stops->last = stop;
		stops->count++;
		stops->length += stop.length;
		if (stop.length > stops->longest)
			stops->longest = stop.length;
	}
}

void session_end_stops(struct session *session)
{
	session_take_stops(session);
	if (session->stops.count)
		stops_write_stop(session);
}

void session_begin_stops(struct session *session)
{
	struct channel_stop before;

	while (channel_stop(session->region.channel, &before))
		;
	session->stops = (struct session_stops){ 0 };
}
