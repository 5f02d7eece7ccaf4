/* SPDX-License-Identifier: MIT */
/* QEMU's command line: our part, and the changes that the user's own options make. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host-tools/record/qemu/qemu_args.h"
#include "writer/util/blob.h"

static struct error error;
static const struct qemu_firmware flash = { "/code.fd", "/vars.fd" };

/* QEMU's options after its name, separated by blanks. */
static void expect(const struct qemu_config *config, const struct qemu_firmware *firmware,
                   int vars_fd, const char *expected)
{
	struct qemu_args args = { 0 };
	struct blob text = { 0 };

	assert_int_equal(qemu_args_build(&args, config, firmware, 7, vars_fd, &error), 0);
	assert_string_equal(args.words[0], args.program);
	for (size_t i = 1; i < args.count; i++)
		blob_printf(&text, "%s%s", i > 1 ? " " : "", args.words[i]);
	assert_null(args.words[args.count]);
	blob_add(&text, "", 1);
	assert_string_equal((const char *)text.bytes, expected);
	blob_free(&text);
	qemu_args_free(&args);
	assert_null(args.words);
}

static void each_architecture_has_its_machine(void **state)
{
	struct qemu_config config = {
		.arch = "x86_64",
		.program = "/bin/true",
		.image = "/100%s.efi",
		.append = "record -- noploop",
		.region_fd = 5,
		.region_size = 64 << 20,
		.doorbell_fd = -1,
	};

	(void)state;
	expect(
	    &config, &flash, 9,
	    "-machine q35 -cpu max,-monitor -smp 1,maxcpus=2 -m 512 -nic none -display none -monitor none "
	    "-no-reboot -drive if=pflash,format=raw,unit=0,readonly=on,file=/code.fd "
	    "-drive if=pflash,format=raw,unit=1,file=/dev/fd/9 "
	    "-chardev file,id=bareperf-serial,append=on,path=/dev/fd/7 "
	    "-serial chardev:bareperf-serial -object memory-backend-file,id=bareperf-region,"
	    "share=on,mem-path=/dev/fd/5,size=67108864 "
	    "-device ivshmem-plain,memdev=bareperf-region -kernel /100%s.efi "
	    "-append record -- noploop");
	config.arch = "aarch64";
	config.doorbell_fd = 6;
	config.initrd = "/payload.elf";
	expect(&config, &flash, -1,
	       "-machine virt,gic-version=3,virtualization=on -cpu max,pauth-impdef=on "
	       "-smp 1,maxcpus=2 -m 512 -nic none -display none -monitor none -no-reboot "
	       "-bios /code.fd -chardev file,id=bareperf-serial,append=on,path=/dev/fd/7 "
	       "-serial chardev:bareperf-serial -chardev socket,id=bareperf-doorbell,fd=6 "
	       "-device ivshmem-doorbell,chardev=bareperf-doorbell,vectors=32 -kernel /100%s.efi "
	       "-append record -- noploop -initrd /payload.elf");
}

/* The driver in the ROM records the boot; the user's own -kernel can be booted. */
static void a_boots_driver_is_the_shared_memorys_rom(void **state)
{
	struct qemu_config config = {
		.arch = "x86_64",
		.program = "/bin/true",
		.image = "i",
		.append = "record --boot",
		.initrd = "/payload.elf",
		.region_fd = 5,
		.region_size = 64 << 20,
		.doorbell_fd = -1,
		.rom_fd = 4,
	};
	static const char machine[] =
	    "-machine q35 -cpu max,-monitor -smp 1,maxcpus=2 -m 512 -nic none "
	    "-display none -monitor none -no-reboot -bios /code.fd "
	    "-chardev file,id=bareperf-serial,append=on,path=/dev/fd/7 "
	    "-serial chardev:bareperf-serial ";
	char text[1024];

	(void)state;
	snprintf(text, sizeof(text),
	         "%s-object memory-backend-file,id=bareperf-region,share=on,mem-path=/dev/fd/5,"
	         "size=67108864 -device ivshmem-plain,memdev=bareperf-region,romfile=/dev/fd/4",
	         machine);
	expect(&config, &flash, -1, text);
	config.doorbell_fd = 6;
	snprintf(text, sizeof(text),
	         "%s-chardev socket,id=bareperf-doorbell,fd=6 -device ivshmem-doorbell,"
	         "chardev=bareperf-doorbell,vectors=32,romfile=/dev/fd/4",
	         machine);
	expect(&config, &flash, -1, text);
}

static void with_kvm_the_machine_has_the_hosts_cpu(void **state)
{
	struct qemu_config config = {
		.arch = "x86_64",
		.program = "/bin/true",
		.image = "i",
		.append = "",
		.doorbell_fd = -1,
		.kvm = true,
		.kvm_option = true,
	};
	struct qemu_args args = { 0 };

	(void)state;
	expect(&config, &flash, -1,
	       "-machine q35 -accel kvm -cpu host,migratable=off,pmu=on -smp 1,maxcpus=2 -m 512 "
	       "-nic none -display none -monitor none -no-reboot -bios /code.fd "
	       "-chardev file,id=bareperf-serial,append=on,path=/dev/fd/7 "
	       "-serial chardev:bareperf-serial "
	       "-object memory-backend-file,id=bareperf-region,share=on,mem-path=/dev/fd/0,size=0 "
	       "-device ivshmem-plain,memdev=bareperf-region -kernel i -append ");
	config.lbr_format = 5;
	assert_int_equal(qemu_args_build(&args, &config, &flash, 7, -1, &error), 0);
	assert_string_equal(args.words[6], "host,migratable=off,pmu=on,lbr-fmt=0x5");
	qemu_args_free(&args);
	config.kvm = config.kvm_option = false;
	assert_int_equal(qemu_args_build(&args, &config, &flash, 7, -1, &error), 0);
	assert_string_equal(args.words[4], "max,-monitor");
	qemu_args_free(&args);
	config.kvm = true;
	config.lbr_format = 0;
	config.arch = "aarch64";
	assert_int_equal(qemu_args_build(&args, &config, &flash, 7, -1, &error), 0);
	assert_string_equal(args.words[2], "virt,gic-version=host");
	assert_string_equal(args.words[3], "-cpu");
	assert_string_equal(args.words[4], "host");
	qemu_args_free(&args);
}

static void the_users_option_replaces_the_default(void **state)
{
	static const char *const words[] = { "-M", "pc",      "--cpu", "Nehalem", "-smp",
		                             "4",  "-serial", "stdio", "m" };
	const struct qemu_config config = {
		.arch = "x86_64",
		.program = "/bin/true",
		.image = "i",
		.append = "",
		.doorbell_fd = -1,
		.options = (char *const *)(uintptr_t)words,
		.option_count = 9,
	};

	(void)state;
	expect(&config, &flash, -1,
	       "-m 512 -nic none -display none -monitor none -no-reboot -bios /code.fd "
	       "-object memory-backend-file,id=bareperf-region,share=on,mem-path=/dev/fd/0,size=0 "
	       "-device ivshmem-plain,memdev=bareperf-region -kernel i -append  "
	       "-M pc --cpu Nehalem -smp 4 -serial stdio m");
}

static void the_program_is_found_in_the_path(void **state)
{
	struct qemu_config config = {
		.arch = "x86_64", .program = "true", .doorbell_fd = -1, .rom_fd = -1
	};
	const char *path = getenv("PATH");
	char *before = strdup(path ? path : "");
	struct qemu_args args = { 0 };

	(void)state;
	assert_int_equal(setenv("PATH", "/nowhere::/bin:/usr/bin", 1), 0);
	assert_int_equal(qemu_args_build(&args, &config, &flash, 7, -1, &error), 0);
	assert_string_equal(args.program, "/bin/true");
	qemu_args_free(&args);
	config.program = "no-such-program";
	assert_int_equal(qemu_args_build(&args, &config, &flash, 7, -1, &error), -ENOENT);
	assert_non_null(strstr(error.text, "--qemu: there is no program no-such-program"));
	config.program = "/nowhere/qemu";
	assert_int_equal(qemu_args_build(&args, &config, &flash, 7, -1, &error), -ENOENT);
	assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
	config.program = NULL;
	assert_int_equal(qemu_args_build(&args, &config, &flash, 7, -1, &error), -ENOENT);
	assert_non_null(strstr(error.text,
	                       "no qemu-system-x86_64 in $PATH: install the package "
	                       "qemu-system-x86,"));
	config.arch = "aarch64";
	assert_int_equal(qemu_args_build(&args, &config, &flash, 7, -1, &error), -ENOENT);
	assert_non_null(strstr(error.text, "qemu-system-arm,"));
	assert_int_equal(setenv("PATH", before, 1), 0);
	free(before);
}

static void firmware_is_found_at_the_users_path_or_advice_is_given(void **state)
{
	struct qemu_config config = { .arch = "x86_64", .firmware = "/proc/self/exe" };
	struct qemu_firmware found;

	(void)state;
	assert_int_equal(qemu_find_firmware(&found, &config, &error), 0);
	assert_string_equal(found.code, "/proc/self/exe");
	assert_null(found.vars);
	config.firmware_vars = "/proc/self/maps";
	assert_int_equal(qemu_find_firmware(&found, &config, &error), 0);
	assert_string_equal(found.code, "/proc/self/exe");
	assert_string_equal(found.vars, "/proc/self/maps");
	config.firmware_vars = "/nowhere/vars.fd";
	assert_int_equal(qemu_find_firmware(&found, &config, &error), -ENOENT);
	assert_non_null(strstr(error.text, "UEFI variables /nowhere/vars.fd"));
	config.firmware = "/nowhere/code.fd";
	assert_int_equal(qemu_find_firmware(&found, &config, &error), -ENOENT);
	assert_non_null(strstr(error.text, "UEFI firmware /nowhere/code.fd"));
	config.firmware = NULL;
	config.arch = "vax";
	assert_int_equal(qemu_find_firmware(&found, &config, &error), -ENOENT);
	assert_non_null(strstr(error.text, "no UEFI firmware for vax"));
}

/* A QEMU whose help does not mention doorbells has none. */
static void a_program_is_asked_whether_it_has_doorbells(void **state)
{
	struct qemu_config config = { .arch = "x86_64", .program = "/bin/true" };

	(void)state;
	assert_false(qemu_has_doorbell(&config));
	config.program = "/bin/echo"; /* it prints the question instead of an answer */
	assert_false(qemu_has_doorbell(&config));
	config.program = "/nowhere/qemu";
	assert_false(qemu_has_doorbell(&config));
}

/* QEMU 7.1 and later list the property; an older one would refuse it. */
static void a_program_is_asked_whether_it_has_branch_records(void **state)
{
	struct qemu_config config = { .arch = "x86_64", .program = "/bin/echo" };
	char path[] = "/tmp/bareperf-qemu-XXXXXX";
	static const char script[] = "#!/bin/sh\necho \"$4\"; echo '  lbr-fmt=<uint64>'\n";
	int fd = mkstemp(path);

	(void)state;
	assert_false(qemu_has_lbr_format(&config));
	assert_int_equal(write(fd, script, sizeof(script) - 1), sizeof(script) - 1);
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
	config.program = path;
	assert_true(qemu_has_lbr_format(&config));
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_architecture_has_its_machine),
		cmocka_unit_test(a_boots_driver_is_the_shared_memorys_rom),
		cmocka_unit_test(with_kvm_the_machine_has_the_hosts_cpu),
		cmocka_unit_test(the_users_option_replaces_the_default),
		cmocka_unit_test(the_program_is_found_in_the_path),
		cmocka_unit_test(firmware_is_found_at_the_users_path_or_advice_is_given),
		cmocka_unit_test(a_program_is_asked_whether_it_has_doorbells),
		cmocka_unit_test(a_program_is_asked_whether_it_has_branch_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
