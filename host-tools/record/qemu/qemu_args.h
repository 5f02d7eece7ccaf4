/* SPDX-License-Identifier: MIT */
/* QEMU's command line, and the places of its parts on this host. */
#ifndef HOST_TOOLS_RECORD_QEMU_QEMU_ARGS_H
#define HOST_TOOLS_RECORD_QEMU_QEMU_ARGS_H

#include "host-tools/record/qemu/qemu.h"

/* UEFI for the machine: one file (-bios), or flash with variables. */
struct qemu_firmware {
	const char *code;
	const char *vars; /* NULL: none, the code is given to -bios */
};

/* The first known place that exists, or config->firmware. -ENOENT with advice. */
int qemu_find_firmware(struct qemu_firmware *firmware, const struct qemu_config *config,
                       struct error *error);

struct qemu_args {
	char *program; /* a path with a slash */
	char **words;  /* NULL-terminated, words[0] is the program */
	size_t count;
	bool failed; /* an allocation failed */
};

/* Build the command line; vars_fd is -1 without variables. -ENOENT if there is no QEMU. */
int qemu_args_build(struct qemu_args *args, const struct qemu_config *config,
                    const struct qemu_firmware *firmware, int serial_fd, int vars_fd,
                    struct error *error);

void qemu_args_free(struct qemu_args *args);

#endif
