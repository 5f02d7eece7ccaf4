/* SPDX-License-Identifier: MIT */
#include "host-tools/region/region_lease.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "abi/trace_region.h"

static void publish(const struct region_lease *lease, size_t offset, uint32_t word)
{
	struct error ignored = { "" }; /* the next drain tells of a lost channel */

	channel_publish(lease->channel, offsetof(struct tr_header, reader) + offset, &word,
	                sizeof(word), &ignored);
}

static void renew(struct region_lease *lease)
{
	publish(lease, offsetof(struct tr_reader, lease), ++lease->count);
}

static void set_id(const struct region_lease *lease, uint32_t id)
{
	publish(lease, offsetof(struct tr_reader, id), id);
}

static void *keep(void *arg)
{
	struct region_lease *lease = arg;
	struct pollfd end = { .fd = lease->end, .events = POLLIN };

	while (poll(&end, 1, TR_LEASE_MS / 2) <= 0)
		renew(lease);
	return NULL;
}

int region_lease_take(struct region_lease *lease, struct channel *channel, struct error *error)
{
	int code;

	*lease = (struct region_lease){ .end = eventfd(0, EFD_CLOEXEC) };
	if (lease->end < 0)
		return error_errno(error, "making an eventfd");
	lease->channel = channel;
	renew(lease);
	publish(lease, offsetof(struct tr_reader, peer), channel->peer);
	set_id(lease, (uint32_t)getpid());
	code = pthread_create(&lease->thread, NULL, keep, lease);
	if (!code)
		return 0;
	set_id(lease, 0);
	lease->channel = NULL;
	close(lease->end);
	errno = code;
	return error_errno(error, "starting the thread that keeps the lease of the rings");
}

void region_lease_give_back(struct region_lease *lease)
{
	uint64_t one = 1;

	if (!lease->channel)
		return;
	while (write(lease->end, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(lease->thread, NULL);
	close(lease->end);
	set_id(lease, 0);
	memset(lease, 0, sizeof(*lease));
}
