/* SPDX-License-Identifier: MIT */
#include "host-tools/region/region_lease.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "writer/region/region_shared.h"

#define PID_BITS 22 /* Linux's PID_MAX_LIMIT */
#define PID_MASK ((1U << PID_BITS) - 1)

static void publish_bytes(const struct region_lease *lease, size_t offset, const void *from,
                          size_t size)
{
	struct error ignored = { "" }; /* the next drain reports a lost channel */

	channel_publish(lease->channel, offsetof(struct tr_header, reader) + offset, from, size,
	                &ignored);
}

static void publish(const struct region_lease *lease, size_t offset, uint32_t word)
{
	publish_bytes(lease, offset, &word, sizeof(word));
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

/* The previous reader was ready for a run that this reader may not read. */
static void set_ready_for_none(const struct region_lease *lease)
{
	uint64_t none = 0;

	publish_bytes(lease, offsetof(struct tr_reader, ready), &none, sizeof(none));
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
	set_ready_for_none(lease);
	set_id(lease, region_lease_own_id());
	code = pthread_create(&lease->thread, NULL, keep, lease);
	if (!code)
		return 0;
	set_id(lease, 0);
	lease->channel = NULL;
	close(lease->end);
	errno = code;
	return error_errno(error, "starting the thread that keeps the lease of the rings");
}

int region_lease_steady(struct region_lease *lease, struct error *error)
{
	const uint32_t yes = 1;

	return channel_publish(
	    lease->channel, offsetof(struct tr_header, reader) + offsetof(struct tr_reader, steady),
	    &yes, sizeof(yes), error);
}

/* FNV-1a hash of values that differ between hosts, boots and containers. */
static uint32_t host_hash(void)
{
	static const char boot[] = "/proc/sys/kernel/random/boot_id";
	char text[128];
	uint32_t hash = 2166136261U;
	int fd = open(boot, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read(fd, text, 64), more;

	if (fd >= 0)
		close(fd);
	size = size < 0 ? 0 : size;
	more =
	    /* readlink() adds no NUL */
	    readlink("/proc/self/ns/pid", text + size, sizeof(text) - 64);
	size += more < 0 ? 0 : more;
	for (ssize_t i = 0; i < size; i++)
		hash = (hash ^ (uint8_t)text[i]) * 16777619U;
	return hash >> PID_BITS;
}

uint32_t region_lease_own_id(void)
{
	return host_hash() << PID_BITS | ((uint32_t)getpid() & PID_MASK);
}

static bool is_of_this_host(uint32_t id)
{
	return id >> PID_BITS == host_hash();
}

void region_lease_describe(uint32_t id, char *text, size_t size)
{
	snprintf(text, size, "process %u of %s", id & PID_MASK,
	         is_of_this_host(id) ? "this host" : "another host");
}

static struct tr_reader copy_words(const struct region *region)
{
	const struct tr_header *header = region_at(region, 0);

	return (struct tr_reader){
		.id = __atomic_load_n(&header->reader.id, __ATOMIC_ACQUIRE),
		.lease = __atomic_load_n(&header->reader.lease, __ATOMIC_RELAXED),
	};
}

static bool has_ended(uint32_t id)
{
	return is_of_this_host(id) && kill((pid_t)(id & PID_MASK), 0) && errno == ESRCH;
}

/* Returns a negative errno if the announced reader is alive. */
static int await_end(const struct region *region, struct error *error)
{
	struct tr_reader first = copy_words(region), now = first;
	char holder[64];

	for (unsigned ms = 0; ms <= TR_LEASE_LOST_MS && !has_ended(first.id); ms += 20) {
		int code = channel_refresh(region->channel, error);

		if (code < 0)
			return code;
		now = copy_words(region);
		if (!now.id)
			return 0;
		if (now.id != first.id || now.lease != first.lease)
			break;
		poll(NULL, 0, 20);
	}
	if (now.id == first.id && now.lease == first.lease)
		return 0;
	region_lease_describe(now.id, holder, sizeof(holder));
	return error_set(error, -EBUSY,
	                 "the machine has a reader, %s: one at a time may have its rings", holder);
}

int region_lease_acquire(struct region_lease *lease, const struct region *region,
                         struct error *error)
{
	uint32_t id = copy_words(region).id;
	int code = id && id != region_lease_own_id() ? await_end(region, error) : 0;

	return code ? code : region_lease_take(lease, region->channel, error);
}

bool region_lease_is_ours(const struct region *region)
{
	return copy_words(region).id == region_lease_own_id();
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
