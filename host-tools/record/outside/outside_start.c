/* SPDX-License-Identifier: MIT */
#include "host-tools/record/outside/outside_start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host-tools/record/outside/outside_kernel.h"
#include "host-tools/session/images.h"
#include "host-tools/session/session_host.h"
#include "host-tools/util/signals.h"

static int find_plugin(const struct outside_options *options, char path[PATH_MAX],
                       struct error *error)
{
	static const char *const places[] = { "", "/../libexec/bareperf" };
	const char *name = "bareperf-outside.so";
	char directory[PATH_MAX / 2];
	char tool[PATH_MAX];

	if (options->plugin) {
		snprintf(path, PATH_MAX, "%s", options->plugin);
		return access(path, R_OK) ? error_errno(error, "--plugin %s", path) : 0;
	}
	tool_directory(tool);
	snprintf(directory, sizeof(directory), "%.*s", (int)sizeof(directory) - 1, tool);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, PATH_MAX, "%s%s/%s", directory, places[i], name);
		if (!access(path, R_OK))
			return 0;
	}
	return error_set(error, -ENOENT,
	                 "no %s near %s: build it with `make host`, or name it with --plugin", name,
	                 directory);
}

/* QEMU's option: a comma in a value is written twice. */
static char *plugin_option(const char *path, int config_fd)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("file=", out);
	for (; *path; path++)
		fprintf(out, *path == ',' ? ",%c" : "%c", *path);
	fprintf(out, ",config=%d", config_fd);
	fclose(out);
	return text;
}

static int make_memory(const char *name, uint64_t size, struct error *error)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	int code;

	if (fd < 0)
		return error_errno(error, "making the file %s", name);
	/* All of it now: a full memory would later end the tool or QEMU. */
	code = posix_fallocate(fd, 0, (off_t)size);
	if (!code)
		return fd;
	close(fd);
	errno = code;
	return error_errno(error, "reserving %llu bytes for the file %s", (unsigned long long)size,
	                   name);
}

static int make_files(struct outside_machine *machine, struct error *error)
{
	struct outside_config *config = &machine->config;

	machine->region_fd = make_memory("bareperf-region", machine->options->region_size, error);
	if (machine->region_fd < 0)
		return machine->region_fd;
	machine->config_fd = make_memory("bareperf-outside", sizeof(*config), error);
	if (machine->config_fd < 0)
		return machine->config_fd;
	config->region_fd = machine->region_fd;
	if (pwrite(machine->config_fd, config, sizeof(*config), 0) != (ssize_t)sizeof(*config))
		return error_errno(error, "writing the plugin's configuration");
	return 0;
}

static void fill_config(struct outside_machine *machine)
{
	const struct outside_options *options = machine->options;
	struct outside_config *config = &machine->config;

	config->magic = OUTSIDE_MAGIC;
	config->version = OUTSIDE_VERSION;
	config->size = sizeof(*config);
	config->period = options->period;
	config->region_size = options->region_size;
	config->levels = options->levels;
	config->callers = options->callers;
	config->one_thread = outside_has_one_thread(options->arch, options->qemu_options,
	                                            options->qemu_option_count);
	snprintf(config->event, sizeof(config->event), "%s", options->event);
	/* Threads get their names from it; the file has the tool's own command line. */
	snprintf(config->command, sizeof(config->command), "run --outside -- guest");
}

static int open_channel(struct outside_machine *machine, struct error *error)
{
	int code = channel_open_shared(&machine->channel, machine->region_fd,
	                               machine->options->region_size, NULL, error);

	return code ? code : region_lease_take(&machine->lease, &machine->channel, error);
}

/* Never returns. QEMU keeps the terminal: the guest's console may be there. */
static _Noreturn void become_qemu(const struct outside_machine *machine, char **words, pid_t parent)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127); /* the parent died before prctl() */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	fcntl(machine->region_fd, F_SETFD, 0);
	fcntl(machine->config_fd, F_SETFD, 0);
	if (output_is_stream(&machine->options->output))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(words[0], words);
	dprintf(STDERR_FILENO, "bareperf: starting %s: %s%s\n", words[0], strerror(errno),
	        errno == ENOENT ? ": install qemu-system-x86 or qemu-system-arm, or name it with "
	                          "--qemu"
	                        : "");
	_exit(127);
}

static int spawn(struct outside_machine *machine, char *plugin, struct error *error)
{
	const struct outside_options *options = machine->options;
	static char plugin_word[] = "-plugin";
	char **words = calloc((size_t)options->qemu_option_count + 4, sizeof(*words));
	pid_t parent = getpid();
	int count = 0;

	if (!words || !plugin) {
		free(words);
		return error_set(error, -ENOMEM, "no memory for QEMU's command line");
	}
	words[count++] = (char *)(uintptr_t)options->program;
	for (int i = 0; i < options->qemu_option_count; i++)
		words[count++] = options->qemu_options[i];
	words[count++] = plugin_word;
	words[count++] = plugin;
	machine->pid = fork();
	if (machine->pid == 0)
		become_qemu(machine, words, parent);
	free(words);
	if (machine->pid < 0) {
		machine->pid = 0;
		return error_errno(error, "starting %s", options->program);
	}
	machine->pidfd = (int)syscall(SYS_pidfd_open, machine->pid, 0);
	return 0;
}

static int load_kernel(struct outside_machine *machine, struct error *error)
{
	const struct outside_options *options = machine->options;
	uint16_t isa = strcmp(options->arch, "aarch64") ? EM_X86_64 : EM_AARCH64;

	return outside_kernel_load(&machine->config, options->output.symbols, isa,
	                           &machine->symbols, error);
}

int outside_start(struct outside_machine *machine, struct error *error)
{
	const struct outside_options *options = machine->options;
	char path[PATH_MAX];
	char *plugin;
	int code = find_plugin(options, path, error);

	fill_config(machine);
	if (!code && options->output.symbols)
		code = load_kernel(machine, error);
	if (!code)
		code = signals_open(&machine->signals, error);
	if (!code)
		code = perf_writer_open(&machine->drive.output, session_host.output,
		                        options->output.path, options->output.preallocate, error);
	if (!code)
		code = make_files(machine, error);
	if (!code)
		code = open_channel(machine, error);
	if (code)
		return code;
	plugin = plugin_option(path, machine->config_fd);
	code = spawn(machine, plugin, error);
	free(plugin);
	return code;
}
