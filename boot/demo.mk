# SPDX-License-Identifier: MIT
# ---- Demonstrations ----

# Guest time by counted instructions, so that a busy host does not change the results.
EXACT := -icount shift=4,sleep=off

# The main job, in full: record a call tree, show where its time went.
demo: deps-run		## build, record a workload in QEMU, print the report, draw a flame graph
	@$(MAKE) $(PARALLEL) $(OUT)/bareperf.efi host
	@mkdir -p build/demo
	build/host/bareperf run --arch $(ARCH) -o build/demo/perf.data $(EXACT) -- \
		record -e cpu-clock -F 1000 -g -- calltree
	build/host/bareperf flamegraph -o build/demo/flamegraph.svg build/demo/perf.data
	perf report --stdio --no-children -g none -i build/demo/perf.data | head -n 30
	@echo 'Written: build/demo/perf.data (for perf), build/demo/flamegraph.svg (for a browser)'

demo-uefi: deps-demo-uefi	## build, record a boot of OVMF in QEMU, print working and waiting times, draw a flame graph
	@$(MAKE) $(PARALLEL) ARCH=x86_64 firmware host
	boot/demo-uefi build/demo
	build/host/bareperf report --modules --symbols build/x86_64 --percent-limit 1 \
		build/demo/uefi.data
	build/host/bareperf report --phases --symbols build/x86_64 --percent-limit 1 \
		build/demo/uefi.data
	build/host/bareperf flamegraph -o build/demo/uefi.svg build/demo/uefi.data
	@echo 'Written: build/demo/uefi.data (for perf), build/demo/uefi.svg (for a browser)'

.PHONY: demo demo-uefi
