/* SPDX-License-Identifier: MIT */
#include "host-tools/region/region_lease.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void publish(const struct region_lease *lease, size_t word)
{
	struct error ignored = { "" }; /* the next drain tells of a lost channel */

	lease->channel->ops->publish(lease->channel, offsetof(struct tr_header, reader) + word,
	                             sizeof(uint32_t), &ignored);
}

static void renew(const struct region_lease *lease)
{
	__atomic_store_n(&lease->words->lease, lease->words->lease + 1, __ATOMIC_RELAXED);
	publish(lease, offsetof(struct tr_reader, lease));
}

static void set_id(const struct region_lease *lease, uint32_t id)
{
	__atomic_store_n(&lease->words->id, id, __ATOMIC_RELEASE);
	publish(lease, offsetof(struct tr_reader, id));
}

static void *keep(void *arg)
{
	const struct region_lease *lease = arg;
	struct pollfd end = { .fd = lease->end, .events = POLLIN };

	while (poll(&end, 1, TR_LEASE_MS / 2) <= 0)
		renew(lease);
	return NULL;
}

int region_lease_take(struct region_lease *lease, struct channel *channel, struct error *error)
{
	struct tr_header *header = channel->bytes;
	int code;

	*lease = (struct region_lease){ .channel = channel, .words = &header->reader };
	lease->end = eventfd(0, EFD_CLOEXEC);
	if (lease->end < 0) {
		lease->words = NULL;
		return error_errno(error, "making an eventfd");
	}
	renew(lease);
	set_id(lease, (uint32_t)getpid());
	code = pthread_create(&lease->thread, NULL, keep, lease);
	if (!code)
		return 0;
	set_id(lease, 0);
	lease->words = NULL;
	close(lease->end);
	errno = code;
	return error_errno(error, "starting the thread that keeps the lease of the rings");
}

void region_lease_give_back(struct region_lease *lease)
{
	uint64_t one = 1;

	if (!lease->words)
		return;
	while (write(lease->end, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(lease->thread, NULL);
	close(lease->end);
	set_id(lease, 0);
	memset(lease, 0, sizeof(*lease));
}
