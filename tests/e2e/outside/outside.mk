# SPDX-License-Identifier: MIT
# The guest of outside_test.py: a kernel for each ISA, which QEMU's -kernel starts.
OUTSIDE_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -ffreestanding -fno-pic -fno-pie -fno-omit-frame-pointer \
	-mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -fno-stack-protector \
	-fno-asynchronous-unwind-tables -mgeneral-regs-only -nostdlib -static -no-pie -I. \
	-Wl,--build-id=sha1,-z,noexecstack
OUTSIDE_x86_64 := -mno-red-zone -fcf-protection=none -Wl,-Ttext=0x200000,-e,start32
OUTSIDE_aarch64 := -mno-outline-atomics -Wl,-Ttext=0x40200000,-e,start
tests: outside-guests
outside-guests: $(ARCHES:%=build/host/outside/%.elf) $(ARCHES:%=build/host/outside/%.init) \
	$(ARCHES:%=build/host/outside/%.names) ;
.PHONY: outside-guests
build/host/outside/%.elf: tests/e2e/outside/%.S tests/e2e/outside/kernel.c tests/e2e/outside/%.h \
		tests/e2e/outside/kernel.h tests/e2e/outside/outside.mk
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CROSS_$*)gcc $(OUTSIDE_CFLAGS) $(OUTSIDE_$*) -include tests/e2e/outside/$*.h -o $@ $(filter %.S %.c,$^)

# Linux's first program, which counts, or prints the kernel's functions
INIT_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -ffreestanding -fno-pic -fno-pie -fno-stack-protector \
	-fno-omit-frame-pointer -nostdlib -static -no-pie -Wl,--build-id=sha1,-z,noexecstack,-e,start
define linux-init
build/host/outside/%.$(1): tests/e2e/outside/linux_init.c tests/e2e/outside/%.h tests/e2e/outside/outside.mk
	$$(call say,LINK,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CROSS_$$*)gcc $$(INIT_CFLAGS) $(2) -include tests/e2e/outside/$$*.h -o $$@ $$<
endef
$(eval $(call linux-init,init,))
$(eval $(call linux-init,names,-DNAMES))
