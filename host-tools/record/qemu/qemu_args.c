/* SPDX-License-Identifier: MIT */
/* QEMU's command line. */
#include "host-tools/record/qemu/qemu_args.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host-tools/region/shm/ivshmem_server.h"

#define ANSWER_MS 10000 /* ms for the program to answer; it may be no QEMU */

/* The distributions' places of UEFI for virtual machines: Debian and Ubuntu, Fedora, Arch, SUSE,
 * and QEMU's own copy. */
static const struct {
	const char *arch;
	struct qemu_firmware firmware;
} places[] = {
	{ "x86_64", { "/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd" } },
	{ "x86_64", { "/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd" } },
	{ "x86_64", { "/usr/share/edk2/ovmf/OVMF_CODE.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd" } },
	{ "x86_64",
	  { "/usr/share/edk2/x64/OVMF_CODE.4m.fd", "/usr/share/edk2/x64/OVMF_VARS.4m.fd" } },
	{ "x86_64",
	  { "/usr/share/qemu/ovmf-x86_64-code.bin", "/usr/share/qemu/ovmf-x86_64-vars.bin" } },
	{ "x86_64",
	  { "/usr/share/qemu/edk2-x86_64-code.fd", "/usr/share/qemu/edk2-i386-vars.fd" } },
	{ "aarch64", { "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd", NULL } },
	{ "aarch64", { "/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/AAVMF/AAVMF_VARS.fd" } },
	{ "aarch64", { "/usr/share/edk2/aarch64/QEMU_EFI.fd", NULL } },
	{ "aarch64",
	  { "/usr/share/qemu/edk2-aarch64-code.fd", "/usr/share/qemu/edk2-arm-vars.fd" } },
};

int qemu_find_firmware(struct qemu_firmware *firmware, const struct qemu_config *config,
                       struct error *error)
{
	if (config->firmware) {
		*firmware = (struct qemu_firmware){ config->firmware, config->firmware_vars };
		if (access(config->firmware, R_OK))
			return error_errno(error, "UEFI firmware %s", config->firmware);
		if (config->firmware_vars && access(config->firmware_vars, R_OK))
			return error_errno(error, "UEFI variables %s", config->firmware_vars);
		return 0;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		*firmware = places[i].firmware;
		if (strcmp(places[i].arch, config->arch) != 0 || access(firmware->code, R_OK))
			continue;
		if (!firmware->vars || !access(firmware->vars, R_OK))
			return 0;
	}
	return error_set(error, -ENOENT,
	                 "no UEFI firmware for %s virtual machines was found: install the package "
	                 "%s, or name a file with --firmware",
	                 config->arch,
	                 strcmp(config->arch, "x86_64") ? "qemu-efi-aarch64" : "ovmf");
}

static void add(struct qemu_args *args, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct qemu_args *args, const char *format, ...)
{
	char **words = realloc(args->words, (args->count + 2) * sizeof(*words));
	char *word = NULL;
	va_list list;

	va_start(list, format);
	if (!words || vasprintf(&word, format, list) < 0)
		args->failed = true;
	va_end(list);
	if (words)
		args->words = words;
	if (args->failed)
		return;
	words[args->count++] = word;
	words[args->count] = NULL;
}

/* Whether the user gave one of QEMU's options, with one dash or two. */
static bool given(const struct qemu_config *config, const char *name)
{
	for (int i = 0; i < config->option_count; i++) {
		const char *word = config->options[i];

		if (*word == '-' && !strcmp(word + 1 + (word[1] == '-'), name))
			return true;
	}
	return false;
}

/* Add the tool's default unless the user gave this option. */
static void add_default(struct qemu_args *args, const struct qemu_config *config, const char *name,
                        const char *value)
{
	if (given(config, name))
		return;
	add(args, "-%s", name);
	add(args, "%s", value);
}

bool qemu_serial_is_ours(const struct qemu_config *config)
{
	return !given(config, "serial") && !given(config, "nographic");
}

/* The emulated machine's and CPU's defaults, and those of a machine on the host's own CPU. */
static const char *default_machine(const struct qemu_config *config, bool x86)
{
	if (x86)
		return "q35";
	return config->kvm ? "virt,gic-version=host" : "virt,gic-version=3,virtualization=on";
}

static const char *default_cpu(const struct qemu_config *config, bool x86)
{
	/* A CPU that need not migrate has an invariant TSC, whose frequency QEMU then reports. */
	if (config->kvm)
		return x86 ? "host,migratable=off,pmu=on" : "host";
	/* TCG busy-loops in MWAIT, where firmware parks the other CPUs. The architecture's own
	 * pointer authentication algorithm is slow to emulate. */
	return x86 ? "max,-monitor" : "max,pauth-impdef=on";
}

static void add_cpu(struct qemu_args *args, const struct qemu_config *config, bool x86)
{
	char cpu[64];
	int length = snprintf(cpu, sizeof(cpu), "%s", default_cpu(config, x86));

	if (config->kvm && config->lbr_format)
		snprintf(cpu + length, sizeof(cpu) - (size_t)length, ",lbr-fmt=0x%x",
		         config->lbr_format);
	add_default(args, config, "cpu", cpu);
}

static void add_machine(struct qemu_args *args, const struct qemu_config *config)
{
	bool x86 = !strcmp(config->arch, "x86_64");

	if (!given(config, "M"))
		add_default(args, config, "machine", default_machine(config, x86));
	if (config->kvm_option) {
		add(args, "-accel");
		add(args, "kvm");
	}
	add_cpu(args, config, x86);
	/* With room for a second CPU, TCG emits the guest's fences and atomics as real ones. The
	 * tool relies on them: it runs on another CPU of the host. */
	add_default(args, config, "smp", "1,maxcpus=2");
	add_default(args, config, "m", "512");
	add_default(args, config, "nic", "none");
	add_default(args, config, "display", "none");
	add_default(args, config, "monitor", "none");
	add(args, "-no-reboot");
}

static void add_region(struct qemu_args *args, const struct qemu_config *config)
{
	char rom[48] = "";

	if (config->rom_fd > 0)
		snprintf(rom, sizeof(rom), ",romfile=/dev/fd/%d", config->rom_fd);
	if (config->doorbell_fd >= 0) {
		add(args, "-chardev");
		add(args, "socket,id=bareperf-doorbell,fd=%d", config->doorbell_fd);
		add(args, "-device");
		add(args, "ivshmem-doorbell,chardev=bareperf-doorbell,vectors=%u%s",
		    IVSHMEM_VECTORS, rom);
		return;
	}
	add(args, "-object");
	add(args, "memory-backend-file,id=bareperf-region,share=on,mem-path=/dev/fd/%d,size=%llu",
	    config->region_fd, (unsigned long long)config->region_size);
	add(args, "-device");
	add(args, "ivshmem-plain,memdev=bareperf-region%s", rom);
}

static void add_files(struct qemu_args *args, const struct qemu_config *config,
                      const struct qemu_firmware *firmware, int serial_fd, int vars_fd)
{
	if (vars_fd < 0) {
		add(args, "-bios");
		add(args, "%s", firmware->code);
	} else {
		add(args, "-drive");
		add(args, "if=pflash,format=raw,unit=0,readonly=on,file=%s", firmware->code);
		add(args, "-drive");
		add(args, "if=pflash,format=raw,unit=1,file=/dev/fd/%d", vars_fd);
	}
	if (qemu_serial_is_ours(config)) {
		add(args, "-chardev");
		add(args, "file,id=bareperf-serial,append=on,path=/dev/fd/%d", serial_fd);
		add(args, "-serial");
		add(args, "chardev:bareperf-serial");
	}
	add_region(args, config);
	if (config->rom_fd > 0)
		return;
	add(args, "-kernel");
	add(args, "%s", config->image);
	add(args, "-append");
	add(args, "%s", config->append);
	if (config->initrd) {
		add(args, "-initrd");
		add(args, "%s", config->initrd);
	}
}

/* The program's path, malloc()ed: as given if it has a slash, else from $PATH. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");
	char *found = NULL;

	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : strdup(name);
	while (path && *path) {
		size_t length = strcspn(path, ":");

		if (asprintf(&found, "%.*s/%s", (int)length, length ? path : ".", name) < 0)
			return NULL;
		if (!access(found, X_OK))
			return found;
		free(found);
		path += length + (path[length] == ':');
	}
	return NULL;
}

static int find_qemu(struct qemu_args *args, const struct qemu_config *config, struct error *error)
{
	char name[64];

	snprintf(name, sizeof(name), "qemu-system-%s", config->arch);
	args->program = find_program(config->program ? config->program : name);
	if (args->program)
		return 0;
	if (config->program)
		return error_set(error, -ENOENT, "--qemu: there is no program %s", config->program);
	return error_set(error, -ENOENT,
	                 "no %s in $PATH: install the package %s, or name the program with --qemu",
	                 name,
	                 strcmp(config->arch, "x86_64") ? "qemu-system-arm" : "qemu-system-x86");
}

static _Noreturn void ask_for_help(const char *program, const char *device, int answer)
{
	const char *const words[] = { "qemu", "-machine", "none", "-device", device, NULL };
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(null, STDIN_FILENO);
	dup2(answer, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execv(program, (char *const *)(uintptr_t)words);
	_exit(127);
}

/* Whether QEMU's help about a device ("NAME,help") contains this text. */
static bool help_has(const struct qemu_config *config, const char *device, const char *wanted)
{
	struct qemu_args args = { 0 };
	struct error error = { "" };
	char text[16384];
	size_t size = 0;
	ssize_t got;
	struct pollfd more = { .events = POLLIN };
	int answer[2];
	pid_t child;

	if (find_qemu(&args, config, &error) || pipe2(answer, O_CLOEXEC)) {
		qemu_args_free(&args);
		return false;
	}
	child = fork();
	if (child == 0)
		ask_for_help(args.program, device, answer[1]);
	close(answer[1]);
	more.fd = answer[0];
	while (size < sizeof(text) - 1 && poll(&more, 1, ANSWER_MS) > 0 &&
	       (got = read(answer[0], text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)got;
	text[size] = 0;
	close(answer[0]);
	if (child > 0) {
		kill(child, SIGKILL); /* it has printed everything, or it hangs */
		waitpid(child, NULL, 0);
	}
	qemu_args_free(&args);
	return strstr(text, wanted);
}

bool qemu_has_doorbell(const struct qemu_config *config)
{
	return help_has(config, "ivshmem-doorbell,help", "vectors=");
}

bool qemu_has_lbr_format(const struct qemu_config *config)
{
	return help_has(config, "host-x86_64-cpu,help", "lbr-fmt=");
}

int qemu_args_build(struct qemu_args *args, const struct qemu_config *config,
                    const struct qemu_firmware *firmware, int serial_fd, int vars_fd,
                    struct error *error)
{
	int code = find_qemu(args, config, error);

	if (code)
		return code;
	add(args, "%s", args->program);
	add_machine(args, config);
	add_files(args, config, firmware, serial_fd, vars_fd);
	for (int i = 0; i < config->option_count; i++)
		add(args, "%s", config->options[i]);
	return args->failed ? error_set(error, -ENOMEM, "no memory for QEMU's command line") : 0;
}

void qemu_args_free(struct qemu_args *args)
{
	for (size_t i = 0; i < args->count; i++)
		free(args->words[i]);
	free(args->words);
	free(args->program);
	*args = (struct qemu_args){ 0 };
}
