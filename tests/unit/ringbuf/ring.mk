# SPDX-License-Identifier: MIT
# The ring's tests share a rig and scenarios. Tests that single-step, or count records by the
# hundred million, have the ring without sanitizers, as in the product.
RING_RIG := $(wildcard tests/unit/ringbuf/ring_rig.* tests/unit/ringbuf/ring_scenario*)
RING_PLAIN := ringbuf/ring.c ringbuf/ring_setup.c ringbuf/owner.c ringbuf/ledger.c ringbuf/reader/ring_reader.c \
	arch/host/host.c
$(foreach test,$(notdir $(basename $(wildcard tests/unit/ringbuf/ring*_test.c tests/unit/ringbuf/reader/*_test.c))),\
	$(eval $(test)_SRCS += $(filter %.c,$(RING_RIG))) \
	$(eval build/host/tests/$(test): $(RING_RIG)))
$(foreach test,ring_fault_test ring_nest_test ring_volume_test,\
	$(eval $(test)_SRCS += $(RING_PLAIN)) \
	$(eval $(test)_CFLAGS += -O2 -fno-sanitize=all) \
	$(eval build/host/tests/$(test): $(RING_PLAIN) $(wildcard ringbuf/*.h)))
ring_fault_test_CFLAGS += -DRING_FAULTS_CHOSEN_LATER
$(foreach test,ring_aux_test ring_aux_bytes_test,\
	$(eval $(test)_SRCS += tests/unit/ringbuf/ring_aux_rig.c) \
	$(eval build/host/tests/$(test): $(wildcard tests/unit/ringbuf/ring_aux_rig.*)))
usual_sample_test_SRCS += tests/unit/ringbuf/ring_rig.c
build/host/tests/usual_sample_test: $(RING_RIG)
