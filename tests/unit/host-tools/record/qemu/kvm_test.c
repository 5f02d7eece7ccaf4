/* SPDX-License-Identifier: MIT */
/* KVM is requested, refused with the host's reason, or replaced by emulation. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "host-tools/record/qemu/kvm.h"

#define ASKS(...) asks((const char *const[]){ __VA_ARGS__, NULL })

static struct error error;

static int count(const char *const *words)
{
	int n = 0;

	while (words[n])
		n++;
	return n;
}

static bool asks(const char *const *words)
{
	return kvm_by_options((char *const *)(uintptr_t)words, count(words));
}

static void each_way_to_ask_qemu_for_kvm_is_known(void **state)
{
	(void)state;
	assert_true(ASKS("-accel", "kvm"));
	assert_true(ASKS("--accel", "kvm,dirty-ring-size=4096"));
	assert_true(ASKS("-accel", "accel=kvm,device=/dev/kvm"));
	assert_true(ASKS("-enable-kvm"));
	assert_true(ASKS("-m", "1G", "--enable-kvm", "-smp", "2"));
	assert_true(ASKS("-machine", "q35,accel=kvm"));
	assert_true(ASKS("-M", "accel=kvm,vmport=off"));
}

static void emulation_and_a_fallback_on_it_are_not_kvm(void **state)
{
	(void)state;
	assert_false(ASKS("-accel", "tcg"));
	assert_false(ASKS("-accel", "kvmx"));
	assert_false(ASKS("-accel", "kvm", "-accel", "tcg"));
	assert_false(ASKS("-accel", "tcg", "-accel", "kvm"));
	assert_false(ASKS("-machine", "q35,accel=kvm:tcg"));
	assert_false(ASKS("-machine", "q35"));
	assert_false(ASKS("-machine", "xaccel=kvm"));
	assert_false(ASKS("-name", "kvm"));
	assert_false(ASKS("-accel"));
	assert_false(ASKS("-machine"));
	assert_false(kvm_by_options(NULL, 0));
}

static void the_device_is_the_users(void **state)
{
	static const char *const words[] = { "-accel", "kvm,device=/tmp/kvm,thread=single" };
	char *device = kvm_device_option((char *const *)(uintptr_t)words, 2);

	(void)state;
	assert_string_equal(device, "/tmp/kvm");
	free(device);
	assert_null(kvm_device_option((char *const *)(uintptr_t)words, 1));
	assert_string_equal(kvm_this_host(NULL).device, "/dev/kvm");
}

static void only_the_hosts_own_cpu_without_icount_is_possible(void **state)
{
	static const char *const words[] = { "-smp", "2", "--icount", "shift=0" };
	const struct kvm_host host = { .machine = "x86_64" };

	(void)state;
	assert_int_equal(
	    kvm_check_request(&host, "x86_64", (char *const *)(uintptr_t)words, 2, &error), 0);
	assert_int_equal(
	    kvm_check_request(&host, "x86_64", (char *const *)(uintptr_t)words, 4, &error),
	    -EINVAL);
	assert_non_null(strstr(error.text, "-icount"));
	assert_int_equal(
	    kvm_check_request(&host, "aarch64", (char *const *)(uintptr_t)words, 2, &error),
	    -EINVAL);
	assert_non_null(strstr(error.text, "x86_64: --arch aarch64 needs emulation"));
}

/* The reason on such a host, whose /proc/cpuinfo is text and that has no device. */
static const char *reason(const char *machine, const char *text)
{
	char path[] = "/tmp/bareperf-kvm-XXXXXX";
	int fd = mkstemp(path);
	const struct kvm_host host = { "/nowhere/kvm", path, machine, NULL };

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(kvm_check_host(&host, &error), -ENODEV);
	unlink(path);
	assert_non_null(strstr(error.text, "there is no /nowhere/kvm: "));
	return error.text;
}

static void a_host_without_the_device_gives_the_reason(void **state)
{
	(void)state;
	assert_non_null(strstr(reason("x86_64", "processor : 0\nflags : fpu vmx sse\n"),
	                       "sudo modprobe kvm_intel"));
	assert_non_null(
	    strstr(reason("x86_64", "flags\t: fpu hypervisor svm\n"), "sudo modprobe kvm_amd"));
	assert_non_null(strstr(reason("x86_64", "flags\t: fpu hypervisor xvmx vmxx\n"),
	                       "this host is a virtual machine"));
	assert_non_null(strstr(reason("x86_64", "flags\t: fpu\n"), "neither vmx nor svm: virt"));
	assert_non_null(strstr(reason("x86_64", "name : svm vmx\n"), "neither vmx nor svm: virt"));
	assert_non_null(strstr(reason("aarch64", "flags\t: vmx\n"), "EL2"));
}

static void a_device_that_opens_is_enough(void **state)
{
	const struct kvm_host good = { "/dev/null", "/nowhere", "x86_64", NULL };
	const struct kvm_host bad = { "/proc/self", "/nowhere", "x86_64", NULL };

	(void)state;
	assert_int_equal(kvm_check_host(&good, &error), 0);
	assert_int_equal(kvm_check_host(&bad, &error), -EISDIR);
	assert_non_null(strstr(error.text, "KVM: opening /proc/self: "));
}

/* KVM's answer to one question for an MSR, and the question. */
static struct {
	int result;
	uint64_t value;
	uint32_t index;
	unsigned long request;
} kernel;

static int answer(int fd, unsigned long request, ...)
{
	uint32_t *words;
	va_list list;

	assert_true(fd >= 0);
	va_start(list, request);
	words = va_arg(list, uint32_t *);
	va_end(list);
	kernel.request = request;
	kernel.index = words[2];
	assert_int_equal(words[0], 1);
	memcpy(words + 4, &kernel.value, sizeof(kernel.value));
	return kernel.result;
}

static unsigned format_of(const char *device, const char *machine, int result, uint64_t value)
{
	const struct kvm_host host = { device, "/nowhere", machine, answer };

	kernel.result = result;
	kernel.value = value;
	return kvm_lbr_format(&host);
}

static void kvm_is_asked_for_the_format_of_branch_records(void **state)
{
	(void)state;
	assert_int_equal(format_of("/dev/null", "x86_64", 1, 0x32c5), 5);
	assert_int_equal(kernel.index, 0x345);
	assert_int_equal(kernel.request, 0xc008ae88); /* KVM_GET_MSRS */
	assert_int_equal(format_of("/dev/null", "x86_64", 1, 0x2000), 0);
	assert_int_equal(format_of("/dev/null", "x86_64", 0, 5), 0);
	assert_int_equal(format_of("/dev/null", "x86_64", -1, 5), 0);
	assert_int_equal(format_of("/nowhere/kvm", "x86_64", 1, 5), 0);
	assert_int_equal(format_of("/dev/null", "aarch64", 1, 5), 0);
}

/* A log with this text means this failure; "": none. */
static void expect_failure(const char *text, const char *expected)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	char *line;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	line = kvm_failure(fd);
	assert_string_equal(line ? line : "", expected);
	free(line);
	close(fd);
}

static void qemus_complaint_about_a_guest_is_found(void **state)
{
	(void)state;
	expect_failure("", "");
	expect_failure("qemu: warning: host doesn't support\n", "");
	expect_failure("a\nKVM internal error. Suberror: 1\r\nemulation failure\n",
	               "KVM internal error. Suberror: 1");
	expect_failure("error: kvm run failed Bad address", "kvm run failed Bad address");
	assert_null(kvm_failure(-1));
}

static void expect_emulated(const char *const *words, const char *expected)
{
	char *text = kvm_emulated(words, count(words));

	assert_string_equal(text, expected);
	free(text);
}
#define EMULATED(expected, ...) \
	expect_emulated((const char *const[]){ __VA_ARGS__, NULL }, expected)

static void the_same_command_with_emulation_has_none_of_kvms_options(void **state)
{
	(void)state;
	EMULATED("bareperf run -- record -- noploop", "bareperf", "run", "--kvm", "--", "record",
	         "--", "noploop");
	EMULATED("bareperf run -smp 2 -- list", "bareperf", "run", "-accel", "kvm,device=/x",
	         "-smp", "2", "--enable-kvm", "-cpu", "host,pmu=on", "--", "list");
	EMULATED("bareperf run -machine q35,vmport=off -- list", "bareperf", "run", "-machine",
	         "q35,accel=kvm,vmport=off", "--", "list");
	EMULATED("bareperf run -M virt,gic-version=3 -- list", "bareperf", "run", "-M",
	         "virt,gic-version=host", "--", "list");
	EMULATED("bareperf run -- list", "bareperf", "run", "-M", "accel=kvm", "--", "list");
	EMULATED("bareperf run -cpu max -accel tcg -- list", "bareperf", "run", "-cpu", "max",
	         "-accel", "tcg", "--", "list");
	EMULATED("bareperf run -accel", "bareperf", "run", "-accel");
	EMULATED("bareperf run -- record -- payload --kvm -cpu host '' 'a b' 'it'\\''s' '$x'",
	         "bareperf", "run", "--", "record", "--", "payload", "--kvm", "-cpu", "host", "",
	         "a b", "it's", "$x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_way_to_ask_qemu_for_kvm_is_known),
		cmocka_unit_test(emulation_and_a_fallback_on_it_are_not_kvm),
		cmocka_unit_test(the_device_is_the_users),
		cmocka_unit_test(only_the_hosts_own_cpu_without_icount_is_possible),
		cmocka_unit_test(a_host_without_the_device_gives_the_reason),
		cmocka_unit_test(a_device_that_opens_is_enough),
		cmocka_unit_test(qemus_complaint_about_a_guest_is_found),
		cmocka_unit_test(kvm_is_asked_for_the_format_of_branch_records),
		cmocka_unit_test(the_same_command_with_emulation_has_none_of_kvms_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
