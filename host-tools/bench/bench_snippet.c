/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/bench_snippet.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/machine.h"

#define MOST_COPIES 1000000UL
#define MOST_TEXT   (64UL << 20) /* bytes of an expanded text */

extern char **environ;

/* ---- Extensions ---- */

/* NOPs of the lengths that the SDM recommends (volume 2, NOP), with prefixes up to 15 bytes. */
static void put_nop(struct blob *to, unsigned size, uint16_t machine)
{
	static const char *const nops[] = {
		"0x90",
		"0x66,0x90",
		"0x0f,0x1f,0x00",
		"0x0f,0x1f,0x40,0x00",
		"0x0f,0x1f,0x44,0x00,0x00",
		"0x66,0x0f,0x1f,0x44,0x00,0x00",
		"0x0f,0x1f,0x80,0x00,0x00,0x00,0x00",
		"0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00",
		"0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00",
	};

	if (machine == EM_AARCH64) {
		blob_printf(to, "nop;");
		return;
	}
	blob_printf(to, ".byte ");
	for (; size > 10; size--)
		blob_printf(to, "0x66,");
	if (size == 10) {
		blob_printf(to, "0x66,0x2e,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00;");
		return;
	}
	blob_printf(to, "%s;", nops[size - 1]);
}

/* Read nanoBench's |n, a NOP of n bytes. Returns n and the text's length; 0: not at this text. */
static unsigned nop_at(const char *text, size_t *length)
{
	unsigned n = (unsigned)(text[1] - '0');

	*length = 2;
	if (*text != '|' || n < 1 || n > 9)
		return 0;
	if (n == 1 && text[2] >= '0' && text[2] <= '5') {
		*length = 3;
		return 10 + (unsigned)(text[2] - '0');
	}
	return n;
}

static int put_nops(const char *text, uint16_t machine, struct blob *to, struct error *error)
{
	while (*text) {
		size_t length;
		unsigned n = nop_at(text, &length);

		if (n && machine == EM_AARCH64 && n != 4)
			return error_set(error, -EINVAL,
			                 "|%u: on aarch64 a NOP has 4 bytes: write |4", n);
		if (n)
			put_nop(to, n, machine);
		else
			blob_add(to, text, 1);
		text += n ? length : 1;
	}
	blob_add(to, "", 1);
	return 0;
}

/* The digits that end at text[at] begin here. */
static size_t digits_before(const char *text, size_t at)
{
	while (at && isdigit((unsigned char)text[at - 1]))
		at--;
	return at;
}

static int put_repeated(const char *count, const char *body, size_t length, struct blob *to,
                        struct error *error)
{
	unsigned long times = strtoul(count, NULL, 10);

	if (times > MOST_COPIES || times * (length + 1) > MOST_TEXT)
		return error_set(error, -E2BIG, "%lu*|...|: at most %lu copies and 64 MiB of text",
		                 times, MOST_COPIES);
	for (unsigned long i = 0; i < times; i++) {
		blob_add(to, body, length);
		blob_add(to, ";", 1);
	}
	return 0;
}

static int put_copies(const char *text, struct blob *to, struct error *error)
{
	size_t from = 0;
	const char *star;
	int code = 0;

	while (!code && (star = strstr(text + from, "*|"))) {
		size_t at = (size_t)(star - text), begin = digits_before(text, at);
		const char *end = strchr(star + 2, '|');

		if (begin == at || begin < from || !end)
			return error_set(error, -EINVAL,
			                 "%.60s: want N*|CODE|, which is N times CODE", star);
		blob_add(to, text + from, begin - from);
		code = put_repeated(text + begin, star + 2, (size_t)(end - star - 2), to, error);
		from = (size_t)(end + 1 - text);
	}
	blob_add(to, text + from, strlen(text + from) + 1);
	return code;
}

int bench_snippet_expand(const char *text, uint16_t machine, struct blob *to, struct error *error)
{
	struct blob plain = { 0 };
	int code = put_nops(text, machine, &plain, error);

	if (!code && plain.failed)
		code = error_set(error, -ENOMEM, "no memory for the snippet");
	if (!code)
		code = put_copies((const char *)plain.bytes, to, error);
	blob_free(&plain);
	return !code && to->failed ? error_set(error, -ENOMEM, "no memory for the snippet") : code;
}

/* ---- The assembler ---- */

struct files {
	char directory[64];
	char source[80], object[80], messages[80];
};

static int make_files(struct files *files, struct error *error)
{
	const char *parent = getenv("TMPDIR");

	snprintf(files->directory, sizeof(files->directory), "%.40s/bareperf-bench-XXXXXX",
	         parent && *parent && strlen(parent) < 40 ? parent : "/tmp");
	if (!mkdtemp(files->directory))
		return error_errno(error, "making a directory for the assembler, %s",
		                   files->directory);
	snprintf(files->source, sizeof(files->source), "%s/a.s", files->directory);
	snprintf(files->object, sizeof(files->object), "%s/a.o", files->directory);
	snprintf(files->messages, sizeof(files->messages), "%s/a.err", files->directory);
	return 0;
}

static void remove_files(const struct files *files)
{
	unlink(files->source);
	unlink(files->object);
	unlink(files->messages);
	rmdir(files->directory);
}

static int write_source(const struct files *files, const char *text, uint16_t machine,
                        struct error *error)
{
	FILE *out = fopen(files->source, "w");
	bool wrong;

	if (!out)
		return error_errno(error, "writing %s", files->source);
	if (machine == EM_X86_64)
		fputs(".intel_syntax noprefix\n", out);
	fprintf(out, "%s\n", text);
	wrong = ferror(out);
	return fclose(out) || wrong ? error_errno(error, "writing %s", files->source) : 0;
}

static const char *assembler(uint16_t machine)
{
	const char *isa = machine == EM_AARCH64 ? "aarch64" : "x86_64";
	struct utsname host;

	if (!uname(&host) && !strcmp(host.machine, isa))
		return "as";
	return machine == EM_AARCH64 ? "aarch64-linux-gnu-as" : "x86_64-linux-gnu-as";
}

/* The assembler's first complaint about a line. */
static void first_message(const struct files *files, char *text, size_t size)
{
	FILE *in = fopen(files->messages, "r");
	char line[300];

	snprintf(text, size, "it gave no reason");
	while (in && fgets(line, sizeof(line), in)) {
		const char *found = strstr(line, "Error: ");

		line[strcspn(line, "\n")] = 0;
		if (!found)
			continue;
		snprintf(text, size, "%s", found + strlen("Error: "));
		break;
	}
	if (in)
		fclose(in);
}

/* The wait status of the assembler, or a negative errno. */
static int spawn_assembler(const struct files *files, const char *program, uint16_t machine)
{
	const char *words[] = { program, "-o", files->object, files->source,
		                /* instructions of all extensions */
		                machine == EM_AARCH64 ? "-mcpu=all" : NULL, NULL };
	posix_spawn_file_actions_t actions;
	int code, status = 0;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, files->messages,
	                                 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	code =
	    posix_spawnp(&pid, program, &actions, NULL, (char *const *)(uintptr_t)words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (code)
		return -code;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int run_assembler(const struct files *files, const char *option, uint16_t machine,
                         struct error *error)
{
	const char *program = assembler(machine);
	int status = spawn_assembler(files, program, machine);
	char message[300];

	if (status < 0)
		return error_set(error, status,
		                 "%s: the assembler %s cannot be started: install the package "
		                 "binutils%s",
		                 option, program,
		                 machine == EM_AARCH64 ? "-aarch64-linux-gnu" : "");
	if (!status)
		return 0;
	first_message(files, message, sizeof(message));
	return error_set(error, -EINVAL, "%s: the assembler refuses it: %s", option, message);
}

/* ---- The object file ---- */

static int take_section(Elf *elf, const char *option, struct blob *code, struct error *error)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return error_set(error, -EIO, "%s: the assembler's file cannot be read", option);
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, ".rela.text"))
			return error_set(error, -EINVAL,
			                 "%s: it refers to a symbol that it does not define",
			                 option);
		data = name && !strcmp(name, ".text") ? elf_getdata(section, NULL) : NULL;
		if (data && data->d_size)
			blob_add(code, data->d_buf, data->d_size);
	}
	return code->failed ? error_set(error, -ENOMEM, "%s: no memory", option) : 0;
}

static int take_code(const struct files *files, const char *option, struct blob *code,
                     struct error *error)
{
	int fd = open(files->object, O_RDONLY | O_CLOEXEC), result;
	Elf *elf;

	if (fd < 0)
		return error_errno(error, "%s: %s", option, files->object);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	result = elf ? take_section(elf, option, code, error)
	             : error_set(error, -EIO, "%s: the assembler's file is no ELF file", option);
	elf_end(elf);
	close(fd);
	return result;
}

int bench_snippet_assemble(const char *text, const char *option, uint16_t machine,
                           struct blob *code, struct error *error)
{
	struct blob expanded = { 0 };
	struct files files;
	int result = bench_snippet_expand(text, machine, &expanded, error);

	if (result)
		error_prefix(error, result, "%s", option);
	if (!result)
		result = make_files(&files, error);
	if (result) {
		blob_free(&expanded);
		return result;
	}
	result = write_source(&files, (const char *)expanded.bytes, machine, error);
	if (!result)
		result = run_assembler(&files, option, machine, error);
	if (!result)
		result = take_code(&files, option, code, error);
	remove_files(&files);
	blob_free(&expanded);
	return result;
}

int bench_snippet_read(const char *file, struct blob *code, struct error *error)
{
	FILE *in = fopen(file, "r");
	uint8_t bytes[4096];
	size_t size;
	bool wrong;

	if (!in)
		return error_errno(error, "code file %s", file);
	while ((size = fread(bytes, 1, sizeof(bytes), in)))
		blob_add(code, bytes, size);
	wrong = ferror(in);
	fclose(in);
	if (wrong)
		return error_errno(error, "reading %s", file);
	return code->failed ? error_set(error, -ENOMEM, "no memory for %s", file) : 0;
}
