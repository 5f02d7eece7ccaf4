/* SPDX-License-Identifier: MIT */
/*
 * KVM: `run --kvm`, and QEMU's own options that ask for it. The request, the reasons why a host
 * cannot fulfil it, and the same command with emulation.
 */
#ifndef HOST_TOOLS_RECORD_QEMU_KVM_H
#define HOST_TOOLS_RECORD_QEMU_KVM_H

#include <stdbool.h>

#include "writer/util/error.h"

#define KVM_SILENCE_S 20.0 /* s without a sign of the firmware until a machine has failed */

/* Where a host shows its abilities; a test has its own. */
struct kvm_host {
	const char *device;                                 /* "/dev/kvm" */
	const char *cpuinfo;                                /* "/proc/cpuinfo" */
	const char *machine;                                /* uname's: "x86_64", "aarch64" */
	int (*control)(int fd, unsigned long request, ...); /* ioctl() */
};

/* This host. device: the user's, NULL: the usual one. */
struct kvm_host kvm_this_host(const char *device);

/* Whether QEMU's options ask for KVM without another accelerator to fall back on: -accel kvm,
 * -machine accel=kvm, -enable-kvm. */
bool kvm_by_options(char *const *options, int count);

/* The device of -accel kvm,device=FILE, malloc()ed; NULL: none is given. */
char *kvm_device_option(char *const *options, int count);

/* Whether KVM can do this at all: arch ("x86_64", "aarch64") is the host's, and no option counts
 * instructions. 0, or -EINVAL with the reason. */
int kvm_check_request(const struct kvm_host *host, const char *arch, char *const *options,
                      int count, struct error *error);

/* Whether this host lets us use KVM: 0, or a negative errno with the reason and a remedy. */
int kvm_check_host(const struct kvm_host *host, struct error *error);

/* The format of Intel's last branch records that KVM gives a guest of this host, the value of
 * QEMU's property lbr-fmt: IA32_PERF_CAPABILITIES[5:0] (SDM volume 3, 17.4.8.1). 0: none, also if
 * KVM cannot be asked. */
unsigned kvm_lbr_format(const struct kvm_host *host);

/* QEMU's line about a guest that KVM could not execute, if its log has one, malloc()ed; NULL:
 * there is none. */
char *kvm_failure(int log_fd);

/* The same command with emulation, quoted for a shell, malloc()ed; NULL: no memory. words: the
 * tool's name and its arguments. */
char *kvm_emulated(const char *const *words, int count);

#endif
