# SPDX-License-Identifier: MIT
# Both ends of a line in one program: the target's own engine is the other side.
wire_host_test_SRCS := tests/unit/host-tools/region/serial/wire_rig.c channel/line.c channel/line_answers.c \
	channel/line_requests.c channel/line_text.c
