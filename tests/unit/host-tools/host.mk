# SPDX-License-Identifier: MIT
# Tests of the host's tools that need a region.
HOST_CHECK := check_test check_lines_test
HOST_AUX := aux_drain_test aux_refused_test auxtrace_info_test
HOST_SESSION := region_stream_test top_test guest_fetch_test guest_output_test session_stops_test session_stream_test mirror_test channel_gdb_test session_test session_resume_test copying_channel_test full_disk_test \
	reader_process_plain_test $(HOST_AUX)
HOST_FIXTURE := region_test region_check_test region_salvage_test region_salvage_ring_test memory_dump_test aux_tsan_test mirror_tsan_test mailbox_test remote_link_test $(HOST_CHECK) region_fuzz region_live_fuzz \
	perf_data_fuzz merge_fuzz journal_fuzz memory_dump_fuzz dump_test as_machine_test $(HOST_SESSION)
$(foreach test,$(HOST_FIXTURE),$(eval $(test)_SRCS += tests/unit/host-tools/region_fixture.c))
$(foreach test,region_test mailbox_test remote_link_test aux_tsan_test mirror_tsan_test $(HOST_SESSION),$(eval $(test)_SRCS += tests/unit/host-tools/region/channel_rig.c \
	tests/unit/host-tools/region/copying_channel.c))
$(foreach test,$(HOST_SESSION),$(eval $(test)_SRCS += tests/unit/writer/session/session_rig.c))
$(foreach test,$(HOST_CHECK),$(eval $(test)_SRCS += tests/unit/host-tools/ledger/check_rig.c))
$(foreach test,$(HOST_AUX),$(eval $(test)_SRCS += tests/unit/writer/session/aux_rig.c))
channel_gdb_test_SRCS += tests/unit/host-tools/region/gdb/gdb_stub.c
as_machine_test_SRCS += agent/volume/session_machine.c agent/volume/perf_output_volume.c
crc32_test_LIBS := -lz
