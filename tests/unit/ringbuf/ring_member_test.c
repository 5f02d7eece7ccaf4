/* SPDX-License-Identifier: MIT */
/* Which event writes to which ring, and what becomes of that when one goes away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "ringbuf/member.h"
#include "tests/unit/ringbuf/ring_rig.h"

static struct rig rig;
static struct ring_member owner, second, third;

static struct ring_member an_event(void)
{
	return (struct ring_member){
		.owner.doorbell = &rig.doorbell,
		.clockid = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_IDENTIFIER,
	};
}

static int setup(void **state)
{
	(void)state;
	rig_init(&rig, TR_PAGE, 0, 0, 0);
	owner = second = third = an_event();
	return ring_attach(&owner, &rig.ring);
}

static int teardown(void **state)
{
	(void)state;
	rig_free(&rig);
	return 0;
}

static void an_owner_writes_to_its_ring_and_is_woken(void **state)
{
	(void)state;
	assert_ptr_equal(owner.ring, &rig.ring);
	ring_wake(&rig.ring, TR_WAKEUP_END);
	assert_int_equal(owner.owner.sent, 1);
}

static void a_redirected_event_writes_to_the_owners_ring(void **state)
{
	(void)state;
	assert_int_equal(ring_set_output(&second, &owner), 0);
	assert_ptr_equal(second.ring, &rig.ring);
	ring_wake(second.ring, TR_WAKEUP_END);
	assert_int_equal(owner.owner.sent, 1);
	assert_int_equal(second.owner.sent, 0);
}

static void refuse(struct ring_member event)
{
	assert_int_equal(ring_set_output(&event, &owner), -EINVAL);
	assert_null(event.ring);
}

static void events_that_cannot_share_a_ring_are_refused(void **state)
{
	struct ring_member event;

	(void)state;
	owner.aux_source = &owner;
	event = an_event(), event.cpu = 1;
	refuse(event);
	event = an_event(), event.clockid = 2;
	refuse(event);
	event = an_event(), event.backward = true;
	refuse(event);
	event = an_event(), event.aux_source = &event;
	refuse(event);
	event = an_event(), event.sample_type = PERF_SAMPLE_IP;
	refuse(event);
	event = an_event(), event.sample_type = PERF_SAMPLE_ID;
	refuse(event);
	event = an_event();
	assert_int_equal(ring_set_output(&event, &owner), 0);
	ring_detach(&event);
}

static void an_owner_without_an_id_takes_nobody(void **state)
{
	(void)state;
	owner.sample_type = PERF_SAMPLE_IP;
	refuse(an_event());
}

static void only_an_owner_can_be_a_target(void **state)
{
	(void)state;
	assert_int_equal(ring_set_output(&second, &owner), 0);
	assert_int_equal(ring_set_output(&third, &second), -EINVAL);
	assert_int_equal(ring_set_output(&third, &third), -EINVAL);
	assert_int_equal(ring_set_output(&owner, &second), -EBUSY);
	assert_int_equal(ring_attach(&second, &rig.ring), -EBUSY);
}

static void a_ring_of_the_other_direction_is_refused(void **state)
{
	(void)state;
	third.backward = true;
	assert_int_equal(ring_attach(&third, &rig.ring), -EINVAL);
}

static void set_output_to_nothing_detaches(void **state)
{
	(void)state;
	assert_int_equal(ring_set_output(&second, &owner), 0);
	assert_int_equal(ring_set_output(&second, NULL), 0);
	assert_null(second.ring);
	assert_null(owner.next);
}

/* Wherever it is in the owner's list: in its midst, then at its end. */
static void a_removed_event_leaves_the_others_alone(void **state)
{
	(void)state;
	assert_int_equal(ring_set_output(&second, &owner), 0);
	assert_int_equal(ring_set_output(&third, &owner), 0);
	assert_ptr_equal(owner.next, &third);
	assert_null(ring_detach(&third));
	assert_null(third.ring);
	assert_null(third.next);
	assert_ptr_equal(second.ring, &rig.ring);
	assert_ptr_equal(owner.next, &second);
	assert_int_equal(ring_set_output(&third, &owner), 0);
	assert_null(ring_detach(&second));
	assert_null(second.ring);
	assert_ptr_equal(third.ring, &rig.ring);
	assert_ptr_equal(owner.next, &third);
	assert_null(third.next);
	/* What is left goes with the owner; what was removed does not. */
	second.ring = &rig.ring;
	assert_ptr_equal(ring_detach(&owner), &rig.ring);
	assert_null(third.ring);
	assert_ptr_equal(second.ring, &rig.ring);
}

static void an_owner_takes_its_redirections_along(void **state)
{
	(void)state;
	assert_int_equal(ring_set_output(&second, &owner), 0);
	assert_int_equal(ring_set_output(&third, &owner), 0);
	assert_ptr_equal(ring_detach(&owner), &rig.ring);
	assert_null(owner.ring);
	assert_null(second.ring);
	assert_null(third.ring);
	assert_int_equal(ring_set_output(&second, &owner), -EINVAL);
}

static void a_dead_owner_is_not_woken(void **state)
{
	(void)state;
	assert_ptr_equal(ring_detach(&owner), &rig.ring);
	memset(&owner.owner, 0xff, sizeof(owner.owner)); /* its memory is somebody else's now */
	ring_wake(&rig.ring, TR_WAKEUP_END);
	for (int i = 0; i < 200; i++)
		rig_write(&rig, 0, 64, 0);
	assert_int_equal(rig.doorbell.pending, 0);
}

static void a_closed_ring_can_have_a_new_owner(void **state)
{
	(void)state;
	ring_detach(&owner);
	assert_int_equal(ring_attach(&third, &rig.ring), 0);
	ring_wake(&rig.ring, TR_WAKEUP_END);
	assert_int_equal(third.owner.sent, 1);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(an_owner_writes_to_its_ring_and_is_woken),
		CLAIM(a_redirected_event_writes_to_the_owners_ring),
		CLAIM(events_that_cannot_share_a_ring_are_refused),
		CLAIM(an_owner_without_an_id_takes_nobody),
		CLAIM(only_an_owner_can_be_a_target),
		CLAIM(a_ring_of_the_other_direction_is_refused),
		CLAIM(set_output_to_nothing_detaches),
		CLAIM(a_removed_event_leaves_the_others_alone),
		CLAIM(an_owner_takes_its_redirections_along),
		CLAIM(a_dead_owner_is_not_woken),
		CLAIM(a_closed_ring_can_have_a_new_owner),
	};

	return cmocka_run_group_tests_name("ring members", tests, NULL, NULL);
}
