/* SPDX-License-Identifier: MIT */
/*
 * A QEMU that runs the image: found, started, watched and reaped. All its files but QEMU's own are
 * anonymous memory, so nothing is left behind; QEMU dies with the tool, whatever kills the tool.
 */
#ifndef HOST_TOOLS_RECORD_QEMU_QEMU_H
#define HOST_TOOLS_RECORD_QEMU_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/util/error.h"

struct qemu_config {
	const char *arch;          /* "x86_64" or "aarch64" */
	const char *program;       /* --qemu, or NULL to search $PATH */
	const char *firmware;      /* --firmware, or NULL to search */
	const char *firmware_vars; /* --firmware-vars, or NULL: none */
	const char *image;         /* the EFI application */
	const char *append;        /* its command line */
	const char *initrd;        /* NULL: none */
	int initrd_fd;             /* the descriptor that it is a path to; -1: none */
	int rom_fd;                /* > 0: a PCI ROM to boot instead of the image (option_rom.h) */
	int region_fd;             /* the shared memory */
	uint64_t region_size;
	bool kvm;             /* KVM is asked for: the host's CPU instead of an emulated one */
	bool kvm_option;      /* by --kvm, so QEMU's command line needs the options for it */
	unsigned lbr_format;  /* of KVM's guests; 0: none, or QEMU lacks the property */
	int doorbell_fd;      /* QEMU's half of an ivshmem_server's socket; -1: no doorbells */
	char *const *options; /* the user's QEMU options */
	int option_count;
};

struct qemu {
	pid_t pid; /* 0: not running */
	int pidfd;
	int serial_fd; /* the serial line's text, a file to pread() */
	int log_fd;    /* QEMU's own messages */
	int vars_fd;   /* the machine's copy of the UEFI variables; -1: none */
	int status;    /* of wait(), once it has ended */
};

/* Start it. -ENOENT: QEMU or the UEFI firmware is not installed; the message names the package. */
int qemu_start(struct qemu *qemu, const struct qemu_config *config, struct error *error);

/* Whether this QEMU has the device ivshmem-doorbell: ask it with `-device help`. */
bool qemu_has_doorbell(const struct qemu_config *config);

/* Whether this QEMU's host CPU has the property lbr-fmt (7.1 and later). */
bool qemu_has_lbr_format(const struct qemu_config *config);

/* Whether the serial line's text goes to serial_fd: the user's options have not redirected it. */
bool qemu_serial_is_ours(const struct qemu_config *config);

/* Whether it has ended; qemu->status is then set. */
bool qemu_has_ended(struct qemu *qemu);

/* Wait at most ms for QEMU to end by itself, then kill it. Frees everything but the logs. */
void qemu_stop(struct qemu *qemu, int ms);

/* Close the logs. */
void qemu_free(struct qemu *qemu);

/* The text of a log from *from on, made printable, malloc()ed; *from is moved behind it. */
char *qemu_read_log(int fd, uint64_t *from);

/* "exit status 1", "signal 11 (Segmentation fault)". */
void qemu_describe_status(const struct qemu *qemu, char *text, size_t size);

#endif
