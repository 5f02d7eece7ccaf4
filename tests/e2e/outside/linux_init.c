/* SPDX-License-Identifier: MIT */
/* /init of the Linux guests of outside_linux_test.py, without libc. With -DNAMES it prints the
 * kernel's functions, else it executes LINUX_LOOPS loops of spin() (x86_64.h, aarch64.h). Then it
 * switches the machine off. */
#include <stddef.h>

#define AT_FDCWD  (-100)
#define MAGIC1    0xfee1dead /* reboot(2) */
#define MAGIC2    0x28121969
#define POWER_OFF 0x4321fedc

#define LINUX_LOOPS 20000000UL

void start(void);

static void put(const char *text, size_t size)
{
	while (size) {
		long done = system_call(SYS_WRITE, 1, (long)text, (long)size, 0);

		if (done <= 0)
			return;
		text += done;
		size -= (size_t)done;
	}
}

#ifdef NAMES
static char text[65536];

/* "ffffffff81000000 t name": without modules' functions, and without the first 7 digits. */
static int is_function(const char *line, size_t size)
{
	char type = size > 19 ? line[17] : 0;

	return (type == 't' || type == 'T' || type == 'w' || type == 'W') && line[size - 2] != ']';
}

static void work(void)
{
	long file, got;
	size_t kept = 0;

	system_call(SYS_MOUNT, (long)"proc", (long)"/proc", (long)"proc", 0);
	file = system_call(SYS_OPENAT, AT_FDCWD, (long)"/proc/kallsyms", 0, 0);
	while ((got = system_call(SYS_READ, file, (long)(text + kept), (long)(sizeof(text) - kept),
	                          0)) > 0) {
		size_t start = 0;

		kept += (size_t)got;
		for (size_t i = 0; i < kept; i++) {
			if (text[i] != '\n')
				continue;
			if (is_function(text + start, i + 1 - start))
				put(text + start + 7, i + 1 - start - 7);
			start = i + 1;
		}
		for (size_t i = start; i < kept; i++)
			text[i - start] = text[i];
		kept -= start;
	}
}
#else
__attribute__((noinline)) static void work(void)
{
	spin(LINUX_LOOPS);
}
#endif

void start(void)
{
	put("init: begin\n", 12);
	work();
	put("init: done\n", 11);
	system_call(SYS_REBOOT, MAGIC1, MAGIC2, POWER_OFF, 0);
}
