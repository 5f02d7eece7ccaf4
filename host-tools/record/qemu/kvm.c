/* SPDX-License-Identifier: MIT */
#include "host-tools/record/qemu/kvm.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

struct kvm_host kvm_this_host(const char *device)
{
	static struct utsname name;

	uname(&name);
	return (struct kvm_host){ device ? device : "/dev/kvm", "/proc/cpuinfo", name.machine,
		                  ioctl };
}

/* ---- QEMU's options ---- */

/* Whether a word is this option of QEMU, with one dash or two. */
static bool kvm_is_option(const char *word, const char *name)
{
	return *word == '-' && !strcmp(word + 1 + (word[1] == '-'), name);
}

static bool kvm_is_machine_option(const char *word)
{
	return kvm_is_option(word, "machine") || kvm_is_option(word, "M");
}

/* The value of key=VALUE in a list with commas, and its length; NULL: it has none. */
static const char *kvm_value(const char *list, const char *key, size_t *length)
{
	size_t size = strlen(key);

	for (const char *at = list; *at; at += *at == ',') {
		size_t whole = strcspn(at, ",");

		if (whole > size && !strncmp(at, key, size) && at[size] == '=') {
			*length = whole - size - 1;
			return at + size + 1;
		}
		at += whole;
	}
	return NULL;
}

/* Whether the value of -accel is kvm. */
static bool kvm_is_kvm(const char *accel)
{
	size_t length = strcspn(accel, ",");

	return (length == 3 && !strncmp(accel, "kvm", 3)) ||
	       (length == 9 && !strncmp(accel, "accel=kvm", 9));
}

bool kvm_by_options(char *const *options, int count)
{
	bool kvm = false;

	for (int i = 0; i < count; i++) {
		const char *next = i + 1 < count ? options[i + 1] : "";
		size_t length = 0;
		const char *accel =
		    kvm_is_machine_option(options[i]) ? kvm_value(next, "accel", &length) : NULL;

		if (kvm_is_option(options[i], "accel") && !kvm_is_kvm(next))
			return false; /* QEMU falls back on it */
		if (accel && (length != 3 || strncmp(accel, "kvm", 3) != 0))
			return false;
		kvm |= accel || kvm_is_option(options[i], "accel") ||
		       kvm_is_option(options[i], "enable-kvm");
	}
	return kvm;
}

char *kvm_device_option(char *const *options, int count)
{
	for (int i = 0; i + 1 < count; i++) {
		size_t length;
		const char *device = kvm_is_option(options[i], "accel")
		                         ? kvm_value(options[i + 1], "device", &length)
		                         : NULL;

		if (device)
			return strndup(device, length);
	}
	return NULL;
}

int kvm_check_request(const struct kvm_host *host, const char *arch, char *const *options,
                      int count, struct error *error)
{
	if (strcmp(host->machine, arch) != 0)
		return error_set(error, -EINVAL,
		                 "KVM executes the machine on this host's own CPU, which is %s: "
		                 "--arch %s needs emulation",
		                 host->machine, arch);
	for (int i = 0; i < count; i++) {
		if (kvm_is_option(options[i], "icount"))
			return error_set(error, -EINVAL,
			                 "-icount lets the number of instructions be the clock, "
			                 "which only emulation can do: leave out KVM or -icount");
	}
	return 0;
}

/* ---- The host ---- */

/* Whether the first line of flags in /proc/cpuinfo has this word. */
static bool kvm_cpu_has(const char *cpuinfo, const char *word)
{
	FILE *file = fopen(cpuinfo, "re");
	size_t room = 0, length = strlen(word);
	char *line = NULL;
	bool has = false;

	while (file && getline(&line, &room, file) > 0) {
		if (strncmp(line, "flags", 5) != 0)
			continue;
		for (const char *at = line; (at = strstr(at, word)) && !has; at += length)
			has = at > line && at[-1] == ' ' && strchr(" \n", at[length]);
		break;
	}
	free(line);
	if (file)
		fclose(file);
	return has;
}

/* The reason why there is no device, and a remedy. */
static const char *kvm_why_none(const struct kvm_host *host)
{
	if (strcmp(host->machine, "x86_64") != 0)
		return "the kernel has no KVM, or was not started at EL2 (`sudo dmesg | grep -i "
		       "kvm` has its reason); a virtual machine needs a hypervisor that gives it "
		       "EL2, and a container --device /dev/kvm";
	if (kvm_cpu_has(host->cpuinfo, "vmx"))
		return "load the kernel's module, `sudo modprobe kvm_intel`; in a container, pass "
		       "--device /dev/kvm";
	if (kvm_cpu_has(host->cpuinfo, "svm"))
		return "load the kernel's module, `sudo modprobe kvm_amd`; in a container, pass "
		       "--device /dev/kvm";
	if (kvm_cpu_has(host->cpuinfo, "hypervisor"))
		return "this host is a virtual machine, and its hypervisor gives it neither vmx "
		       "nor svm: it needs nested virtualization (for KVM: the parameter nested of "
		       "kvm_intel or kvm_amd, and -cpu host), or a machine without a hypervisor";
	return "the CPU has neither vmx nor svm: virtualization is missing, or switched off in "
	       "the firmware's setup";
}

static int kvm_no_rights(const struct kvm_host *host, struct error *error)
{
	struct stat status;
	const struct group *group = NULL;

	if (!stat(host->device, &status) && status.st_mode & S_IWGRP)
		group = getgrgid(status.st_gid);
	if (!group)
		return error_set(error, -EACCES,
		                 "KVM: you may not open %s, nor may a group: run the command with "
		                 "sudo",
		                 host->device);
	return error_set(error, -EACCES,
	                 "KVM: you may not open %s, but the group %s may: run `sudo usermod -aG %s "
	                 "\"$USER\"` and log in again, or run the command with sudo",
	                 host->device, group->gr_name, group->gr_name);
}

int kvm_check_host(const struct kvm_host *host, struct error *error)
{
	int fd = open(host->device, O_RDWR | O_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno == EACCES || errno == EPERM)
		return kvm_no_rights(host, error);
	if (errno == ENOENT || errno == ENXIO || errno == ENODEV)
		return error_set(error, -ENODEV, "KVM: there is no %s: %s", host->device,
		                 kvm_why_none(host));
	return error_errno(error, "KVM: opening %s", host->device);
}

/* A register whose value tells what KVM can give a guest (Linux, Documentation/virt/kvm/api.rst,
 * KVM_GET_MSRS on the device). <linux/kvm.h> has these types on x86 only. */
struct kvm_one_msr {
	uint32_t count, pad;
	uint32_t index, reserved;
	uint64_t value;
};
_Static_assert(sizeof(struct kvm_one_msr) == 24, "struct kvm_msrs with one entry");

#define KVM_GET_ONE_MSR _IOC(_IOC_READ | _IOC_WRITE, 0xae, 0x88, 8) /* 8: without entries */

#define IA32_PERF_CAPABILITIES 0x345U
#define LBR_FORMAT             0x3fU

unsigned kvm_lbr_format(const struct kvm_host *host)
{
	struct kvm_one_msr msr = { .count = 1, .index = IA32_PERF_CAPABILITIES };
	int fd, got;

	if (strcmp(host->machine, "x86_64") != 0)
		return 0;
	fd = open(host->device, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 0;
	got = host->control(fd, KVM_GET_ONE_MSR, &msr);
	close(fd);
	return got == 1 ? msr.value & LBR_FORMAT : 0;
}

/* ---- The guest ---- */

char *kvm_failure(int log_fd)
{
	static const char *const signs[] = { "KVM internal error", "kvm run failed" };
	char text[4096];
	ssize_t got = pread(log_fd, text, sizeof(text) - 1, 0);

	if (got <= 0)
		return NULL;
	text[got] = 0;
	for (unsigned i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		char *line = strstr(text, signs[i]);

		if (line)
			return strndup(line, strcspn(line, "\r\n"));
	}
	return NULL;
}

/* ---- The command with emulation ---- */

static void kvm_put_word(FILE *out, const char *word)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "_@%+=:,./-";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, out);
		return;
	}
	putc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\'", out);
		putc(*word, out);
	}
	putc('\'', out);
}

/* Write -machine without accel=kvm, and with a substitute for gic-version=host. Writes nothing if
 * nothing is left. */
static void kvm_put_machine(FILE *out, const char *option, const char *value)
{
	char *copy = strdup(value), *rest = copy, *list = NULL;
	size_t size = 0;
	FILE *kept = open_memstream(&list, &size);

	while (copy && kept && rest) {
		const char *one = strsep(&rest, ",");

		if (strncmp(one, "accel=", 6) != 0)
			fprintf(kept, "%s%s", ftell(kept) ? "," : "",
			        strcmp(one, "gic-version=host") ? one : "gic-version=3");
	}
	if (kept)
		fclose(kept);
	if (list && *list) {
		fprintf(out, " %s ", option);
		kvm_put_word(out, list);
	}
	free(list);
	free(copy);
}

/* Write the option at words[0], unless it is one of KVM's. Returns the number of words that it
 * took. */
static int kvm_put_option(FILE *out, const char *const *words, int left)
{
	const char *next = left > 1 ? words[1] : NULL;

	if (!strcmp(words[0], "--kvm") || kvm_is_option(words[0], "enable-kvm"))
		return 1;
	if (next && kvm_is_option(words[0], "accel") && kvm_is_kvm(next))
		return 2;
	if (next && kvm_is_option(words[0], "cpu") && !strncmp(next, "host", 4))
		return 2;
	if (next && kvm_is_machine_option(words[0])) {
		kvm_put_machine(out, words[0], next);
		return 2;
	}
	putc(' ', out);
	kvm_put_word(out, words[0]);
	return 1;
}

char *kvm_emulated(const char *const *words, int count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int i = 1;

	if (!out)
		return NULL;
	kvm_put_word(out, words[0]);
	while (i < count && strcmp(words[i], "--") != 0)
		i += kvm_put_option(out, words + i, count - i);
	for (; i < count; i++) {
		putc(' ', out);
		kvm_put_word(out, words[i]);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
