# SPDX-License-Identifier: MIT
"""The part of libc_payload.py that tests files."""

SOURCE = r"""
/* argv[2] is a file of 5000 bytes that count up; what follows came out of another one. */
static void files(int argc, char **argv)
{
	char line[64] = "", text[16] = "";
	struct stat status;
	FILE *file, *other;
	struct flock lock = { .l_type = F_WRLCK };
	struct rusage used;
	unsigned wrong = 0;

	CHECK(fgets(line, sizeof(line), stdin) && !strcmp(line, "first line\n"));
	CHECK(fgets(line, sizeof(line), stdin) && !strcmp(line, "second") && !fgets(line, 9, stdin));
	CHECK(argc == 6 && !strcmp(argv[3], "alpha") && !strcmp(argv[4], "two words"));
	CHECK(!strcmp(argv[5], "q\"@"));
	CHECK(!stat(argv[2], &status) && status.st_size == 5000 && S_ISREG(status.st_mode));
	CHECK((file = fopen(argv[2], "r+")));
	for (int i = 0; file && i < 5000; i++)
		wrong += getc(file) != (i & 0xff);
	CHECK(!wrong && getc(file) == EOF && !fseek(file, 4998, SEEK_SET));
	CHECK(fputs("tail", file) >= 0 && !fclose(file) && !stat(argv[2], &status));
	CHECK(status.st_size == 5002 && labs((long)(status.st_mtime - time(NULL))) < 2);
	CHECK((file = fopen("/new", "w+x")) && !fopen("new", "wx") && errno == EEXIST);
	CHECK(fprintf(file, "%05d", 42) == 5 && fseek(file, 2, SEEK_CUR) == 0 && putc('x', file));
	rewind(file);
	CHECK(fread(text, 1, 16, file) == 8 && !memcmp(text, "00042\0\0x", 8) && !fclose(file));
	CHECK((other = fopen("other", "a")) && fputs("abc", other) >= 0 && !fclose(other));
	CHECK(!rename("new", "other") && stat("new", &status) == -1 && errno == ENOENT);
	CHECK(!stat("./other", &status) && status.st_size == 8 && !access("other", R_OK));
	CHECK((file = fopen("other", "r")) && !remove("other") && !fopen("other", "r"));
	CHECK(getc(file) == '0' && !fclose(file));
	CHECK((file = tmpfile()) && fputs("temporary", file) >= 0 && !fflush(file));
	CHECK(!ftruncate(fileno(file), 4) && !fstat(fileno(file), &status) && status.st_size == 4);
	CHECK(ftruncate(fileno(file), LONG_MAX) == -1 && errno == ENOSPC);
	CHECK(lseek(fileno(file), LONG_MAX - 1, SEEK_SET) == LONG_MAX - 1);
	CHECK(write(fileno(file), "far", 3) == -1 && errno == ENOSPC);
	fclose(file);
	CHECK(open("nowhere", O_RDONLY) == -1 && errno == ENOENT && close(77) == -1 && errno == EBADF);
	CHECK(isatty(1) && !isatty(0) && lseek(1, 0, SEEK_SET) == -1 && errno == ESPIPE);
	for (int i = 0; i < 200; i++)
		CHECK((file = fopen("again", "w")) && !fclose(file));
	CHECK(mkdir("again", 0755) == -1 && errno == EEXIST && geteuid() == 0);
	CHECK(!lstat("again", &status) && S_ISREG(status.st_mode) && !chmod("again", 0600));
	CHECK(readlink("again", text, 9) == -1 && errno == EINVAL && readlink("none", text, 9) == -1);
	CHECK((file = fopen("again", "r")) && !fcntl(fileno(file), F_SETLK, &lock) && !fclose(file));
	CHECK(!fcntl(0, F_GETLK, &lock) && lock.l_type == F_UNLCK && fcntl(0, 77, 0) == -1);
	CHECK(fcntl(77, F_GETFD) == -1 && errno == EBADF && system(NULL) == 0 && system("x") == -1);
	CHECK(fork() == -1 && errno == ENOSYS && !popen("x", "r") && symlink("again", "s") == -1);
	CHECK(!getrusage(RUSAGE_SELF, &used) && used.ru_utime.tv_sec < 600 && !getpwuid(1));
	CHECK(!strcmp(getpwuid(getuid())->pw_dir, "/") && getpwnam("root")->pw_uid == getuid());
}

/* Two descriptors of one place, and a place that is none. */
static void descriptors(void)
{
	char text[32] = "", *line = NULL;
	size_t size = 0;
	int fd = creat("doubled", 0644), other, out;
	FILE *file = NULL;

	CHECK(fd >= 3 && write(fd, "0123456789", 10) == 10 && read(fd, text, 1) == -1 && errno == EBADF);
	CHECK(pwrite(fd, "AB", 2, 3) == 2 && pwrite(fd, "!", 1, -1) == -1 && errno == EINVAL);
	CHECK(pwrite(1, "!", 1, 0) == -1 && errno == ESPIPE && lseek(fd, 0, SEEK_CUR) == 10);
	CHECK((other = dup(fd)) > fd && write(other, "x", 1) == 1 && lseek(fd, 0, SEEK_CUR) == 11);
	CHECK(!close(fd) && write(other, "y", 1) == 1 && close(fd) == -1 && errno == EBADF);
	CHECK(!fdatasync(other) && (fcntl(other, F_GETFL) & O_ACCMODE) == O_WRONLY);
	CHECK(dup2(other, 20) == 20 && dup2(20, 20) == 20 && !close(other) && write(20, "z", 1) == 1);
	CHECK(dup2(77, 3) == -1 && errno == EBADF && dup2(20, 64) == -1 && errno == EBADF);
	CHECK(fcntl(20, F_DUPFD, 30) == 30 && !close(30) && fcntl(20, F_DUPFD, 64) == -1);
	CHECK(!close(20) && (fd = open("doubled", O_RDONLY)) >= 0 && read(fd, text, 3) == 3);
	CHECK(pread(fd, text, 20, 2) == 11 && !memcmp(text, "2AB56789xyz", 11));
	CHECK(pread(fd, text, 20, 99) == 0 && read(fd, text, 1) == 1 && text[0] == 'A');
	CHECK(write(fd, "", 1) == -1 && errno == EBADF && !close(fd));
	CHECK(!truncate("doubled", 4) && (file = fopen("doubled", "a+")) && fputs("x\nlast", file) >= 0);
	rewind(file);
	flockfile(file);
	CHECK(ftrylockfile(file) == 0);
	funlockfile(file);
	funlockfile(file);
	CHECK(getline(&line, &size, file) == 6 && !strcmp(line, "012Ax\n") && size >= 7);
	CHECK(getdelim(&line, &size, 's', file) == 3 && !strcmp(line, "las") && !fclose(file));
	free(line);
	CHECK(truncate("none", 4) == -1 && errno == ENOENT && truncate("/", 0) == -1 && errno == EISDIR);
	fflush(stdout); /* what is printed goes to a file, and back */
	CHECK((out = dup(1)) >= 3 && (fd = creat("printed", 0644)) >= 3 && dup2(fd, 1) == 1);
	printf("not on the console\n");
	fflush(stdout);
	CHECK(dup2(out, 1) == 1 && isatty(1) && !close(out) && !close(fd));
	CHECK((file = fopen("printed", "r")) && fgets(text, 32, file) && !fclose(file));
	CHECK(!strcmp(text, "not on the console\n") && !unlink("printed") && !unlink("doubled"));
	for (fd = 0; dup(1) >= 0; fd++)
		continue;
	CHECK(errno == EMFILE && fd == 61);
	while (fd--)
		close(fd + 3);
	CHECK(getpagesize() == 4096 && !gethostname(text, 32) && text[0] && gethostname(text, 2) == -1);
	CHECK(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
}

/* How paths lead, or do not. */
static void paths(void)
{
	char longer[300] = "", text[8];
	struct stat status;
	int fd = creat("plain", 0644);

	CHECK(fd >= 3 && !link("plain", "again here") && !fstat(fd, &status) && status.st_nlink == 2);
	CHECK(!unlink("again here") && !stat("plain", &status) && status.st_nlink == 1);
	CHECK(stat("plain/x", &status) == -1 && errno == ENOTDIR && access("plain/..", 0) == -1);
	CHECK(errno == ENOTDIR && stat("plain/", &status) == -1 && errno == ENOTDIR);
	CHECK(open("plain/", O_RDONLY) == -1 && errno == ENOTDIR && open("new/", O_CREAT | O_WRONLY) == -1);
	CHECK(errno == EISDIR && stat("none/../plain", &status) == -1 && errno == ENOENT);
	CHECK(open("none/../new", O_CREAT | O_WRONLY) == -1 && errno == ENOENT);
	CHECK(access("none", 0) == -1 && access("new", 0) == -1 && rename("plain", "new/") == -1);
	CHECK(errno == ENOTDIR && link("plain", "new/") == -1 && errno == ENOTDIR);
	CHECK(!mkdir("new/", 0755) && !stat("new/", &status) && !stat("new/../plain", &status));
	CHECK(rename("plain", "new") == -1 && errno == EISDIR && !rmdir("new/") && !unlink("plain"));
	memset(longer, 'n', 256);
	CHECK(stat(longer, &status) == -1 && errno == ENAMETOOLONG && unlink(longer) == -1);
	CHECK(errno == ENAMETOOLONG && open(longer, O_RDONLY) == -1 && errno == ENAMETOOLONG);
	CHECK(stat("", &status) == -1 && errno == ENOENT && !close(fd));
	CHECK((fd = open("/dev/null", O_RDWR | O_CREAT | O_TRUNC, 0644)) >= 3 && write(fd, "x", 1) == 1);
	CHECK(!lseek(fd, 0, SEEK_SET) && read(fd, text, 1) == 0 && !fstat(fd, &status) && !close(fd));
	CHECK(S_ISCHR(status.st_mode) && status.st_size == 0 && !isatty(fd) && errno == EBADF);
	CHECK(unlink("/dev/null") == -1 && errno == EBUSY && rmdir("/dev") == -1 && errno == ENOTEMPTY);
	CHECK(rename("/dev/null", "new") == -1 && errno == EBUSY && link("dev/null", "new") == -1);
}

#define MIB (1U << 20)

/* A file takes what is left, even if twice its size is not. */
static void room(void)
{
	char **all = NULL, **more, *block = malloc(MIB);
	int fd = creat("large", 0644);
	unsigned wrong = 0;

	for (int i = 0; i < 16; i++)
		wrong += write(fd, block, MIB) != MIB;
	CHECK(!wrong && !ftruncate(fd, 16 * MIB));
	while ((more = malloc(MIB))) {
		*more = (char *)all;
		all = more;
	}
	for (int i = 0; i < 20 && all; i++) {
		more = (char **)*all;
		free(all);
		all = more;
	}
	CHECK(lseek(fd, 0, SEEK_END) == 16 * MIB && write(fd, "more", 4) == 4);
	CHECK(lseek(fd, 0, SEEK_END) == 16 * MIB + 4);
	for (; all; all = more) {
		more = (char **)*all;
		free(all);
	}
	free(block);
	CHECK(!close(fd) && !unlink("large"));
}

/* What a directory has, sorted, each with its type's letter. */
static const char *listing(const char *path)
{
	static char text[256];
	char names[16][32];
	unsigned count = 0;
	DIR *dir = opendir(path);

	if (!dir)
		return strerror(errno);
	for (const struct dirent *entry; count < 16 && (entry = readdir(dir));)
		snprintf(names[count++], 32, "%.29s%c", entry->d_name,
		         entry->d_type == DT_DIR ? '/' : entry->d_type == DT_REG ? ' ' : '?');
	rewinddir(dir);
	CHECK(readdir(dir) && telldir(dir) == 1 && !closedir(dir));
	qsort(names, count, 32, (int (*)(const void *, const void *))strcmp);
	text[0] = 0;
	for (unsigned i = 0; i < count; i++)
		strcat(text, names[i]);
	return text;
}

static int is_no_dot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void directories(void)
{
	char text[32] = "", longer[300] = "", *path;
	struct dirent **list;
	struct stat status, inner;
	FILE *file;

	CHECK(!mkdir("made", 0750) && mkdir("/made/", 0755) == -1 && errno == EEXIST);
	CHECK(!stat("made", &status) && status.st_mode == (S_IFDIR | 0750));
	CHECK(!strcmp(listing("made"), ".././"));
	CHECK((file = fopen("made/deep/er/file", "w")) && fputs("x", file) >= 0 && !fclose(file));
	CHECK((file = fopen("made//./deep/../other", "w")) && !fclose(file));
	CHECK(!strcmp(listing("/made/."), ".././deep/other "));
	CHECK(!strcmp(listing("made/deep"), ".././er/") && !strcmp(listing("none"), strerror(ENOENT)));
	CHECK(!strcmp(listing("made/other"), strerror(ENOTDIR)) && strstr(listing("/"), "made/"));
	CHECK(scandir("made", &list, is_no_dot, alphasort) == 2 && !strcmp(list[0]->d_name, "deep"));
	CHECK(!strcmp(list[1]->d_name, "other") && scandir("none", &list, NULL, NULL) == -1);
	free(list[0]), free(list[1]), free(list);
	CHECK((path = realpath("made/./deep/../other", NULL)) && !strcmp(path, "/made/other"));
	free(path);
	CHECK(realpath("/", text) == text && !strcmp(text, "/") && !realpath("none", text) && errno == ENOENT);
	CHECK(!fopen("made/deep", "w") && errno == EISDIR && !fopen("made/other/x", "w"));
	CHECK(errno == ENOTDIR && (file = fopen("made", "r")) && getc(file) == EOF && errno == EISDIR);
	CHECK(!fclose(file) && getcwd(text, 32) && !strcmp(text, "/") && !chdir("made/deep"));
	CHECK(getcwd(text, 32) && !strcmp(text, "/made/deep") && !getcwd(text, 10) && errno == ERANGE);
	CHECK(!stat("er/file", &inner) && inner.st_size == 1 && !strcmp(listing("../.."), listing("/")));
	CHECK(!stat("..", &inner) && inner.st_ino == status.st_ino && chdir("er/file") == -1);
	CHECK(rmdir("er") == -1 && errno == ENOTEMPTY && !remove("er/file") && !remove("er"));
	CHECK(rmdir("/made/deep") == -1 && errno == EBUSY && rename("../other", "here") == 0);
	CHECK(!strcmp(listing("."), ".././here ") && unlink("/made") == -1 && errno == EISDIR);
	CHECK(rename("/made", "/maid") == -1 && errno == EBUSY && link("/made", "l") == -1);
	CHECK(!unlink("here") && !chdir("/") && !rmdir("made/deep") && !rmdir("made"));
	CHECK(!strcmp(listing("made"), strerror(ENOENT)) && rmdir("/") == -1 && errno == EBUSY);
	CHECK(pathconf("/", _PC_NAME_MAX) == NAME_MAX && pathconf("none", _PC_NAME_MAX) == -1);
	memset(longer, 'n', 256);
	CHECK(!fopen(longer, "w") && errno == ENAMETOOLONG && mkdir("", 0700) == -1 && errno == ENOENT);
}

static void times_of_files(void)
{
	const struct timespec some[2] = { { 5, 7 }, { -3, 999999999 } }, omit[2] = { { 0, UTIME_OMIT }, { 9, 1 } },
	                      nows[2] = { { 0, UTIME_NOW }, { 0, UTIME_OMIT } }, bad[2] = { { 1, -7 }, { 1, 0 } };
	const struct timeval micros[2] = { { 100, 250000 }, { 200, 999999 } }, wrong[2] = { { 1, 0 }, { 1, 1000000 } };
	struct stat status;
	int fd = creat("timed", 0644);

	CHECK(!utime("timed", &(struct utimbuf){ 1000000000, 5000000000 }) && !stat("timed", &status));
	CHECK(status.st_atime == 1000000000 && status.st_mtime == 5000000000);
	CHECK(labs((long)(status.st_ctime - time(NULL))) < 2);
	CHECK(!utimes("timed", micros) && !fstat(fd, &status) && status.st_atim.tv_nsec == 250000000);
	CHECK(status.st_atime == 100 && status.st_mtime == 200 && status.st_mtim.tv_nsec == 999999000);
	CHECK(!utimensat(AT_FDCWD, "timed", some, 0) && !stat("timed", &status));
	CHECK(status.st_atim.tv_nsec == 7 && status.st_mtime == -3 && status.st_mtim.tv_nsec == 999999999);
	CHECK(!futimens(fd, omit) && !stat("timed", &status) && status.st_atime == 5 && status.st_mtime == 9);
	CHECK(!futimens(fd, nows) && !stat("timed", &status) && status.st_mtime == 9);
	CHECK(labs((long)(status.st_atime - time(NULL))) < 2);
	CHECK(futimens(fd, bad) == -1 && errno == EINVAL && utimes("timed", wrong) == -1 && errno == EINVAL);
	CHECK(futimens(77, some) == -1 && errno == EBADF && utime("none", NULL) == -1 && errno == ENOENT);
	CHECK(utimensat(fd, "timed", some, 0) == -1 && utimensat(fd, "/timed", some, 77) == -1);
	CHECK(!futimes(fd, micros) && !lutimes("timed", NULL) && !stat("timed", &status));
	CHECK(labs((long)(status.st_mtime - time(NULL))) < 2 && write(fd, "x", 1) == 1 && !close(fd));
	CHECK(!getpriority(PRIO_PROCESS, 0) && !setpriority(PRIO_PROCESS, 0, -20));
	CHECK(getpriority(PRIO_PROCESS, 77) == -1 && errno == ESRCH);
	CHECK(setpriority(7, 0, 0) == -1 && errno == EINVAL && sysconf(_SC_VERSION) == _POSIX_VERSION);
}

static int feed(void *end)
{
	struct timespec span = { 0, 3000000 };

	for (int i = 0; i < 3; i++) {
		nanosleep(&span, NULL);
		CHECK(write(*(int *)end, "12345", 5) == 5);
	}
	CHECK(!close(*(int *)end));
	return 0;
}

static int pipes(void *unused)
{
	struct pollfd asked[3];
	struct stat status;
	char text[16] = "";
	int both[2], cpu, got = 0, size;

	CHECK(!unused && !pipe(both) && !fstat(both[0], &status) && S_ISFIFO(status.st_mode));
	asked[0] = (struct pollfd){ both[0], POLLIN, 77 };
	asked[1] = (struct pollfd){ both[1], POLLIN, 77 };
	asked[2] = (struct pollfd){ -1, POLLIN, 77 };
	CHECK(poll(asked, 3, 0) == 0 && poll(asked, 3, 2) == 0 && !asked[0].revents && !asked[2].revents);
	CHECK(!fcntl(both[0], F_SETFL, O_NONBLOCK) && read(both[0], text, 9) == -1 && errno == EAGAIN);
	CHECK(write(both[1], "abcdef", 6) == 6 && poll(asked, 3, -1) == 1 && asked[0].revents == POLLIN);
	CHECK(read(both[0], text, 4) == 4 && read(both[0], text + 4, 9) == 2 && !strcmp(text, "abcdef"));
	CHECK(lseek(both[0], 0, SEEK_SET) == -1 && errno == ESPIPE && pread(both[0], text, 1, 0) == -1);
	CHECK(read(both[1], text, 1) == -1 && errno == EBADF && ftruncate(both[1], 0) == -1);
	asked[1] = (struct pollfd){ 1, POLLIN | POLLOUT, 0 };
	asked[2] = (struct pollfd){ 63, POLLIN, 0 };
	CHECK(poll(asked, 3, -1) == 2 && asked[1].revents & POLLOUT && asked[2].revents == POLLNVAL);
	CHECK(!fcntl(both[0], F_SETFL, 0));
	cpu = bareperf_cpu() ? -1 : bareperf_thread_start(BAREPERF_ANY_CPU, feed, &both[1]);
	if (cpu < 0)
		CHECK(write(both[1], "0123456789abcde", 15) == 15 && !close(both[1]));
	while ((size = read(both[0], text, sizeof(text))) > 0)
		got += size;
	CHECK(size == 0 && got == 15 && poll(asked, 1, -1) == 1 && asked[0].revents == POLLHUP);
	if (cpu >= 0)
		CHECK(!bareperf_thread_join(cpu, NULL));
	CHECK(!close(both[0]) && !pipe(both) && !close(both[0]) && signal(SIGPIPE, SIG_IGN) != SIG_ERR);
	asked[0] = (struct pollfd){ both[1], POLLOUT, 0 };
	CHECK(poll(asked, 1, 0) == 1 && asked[0].revents == POLLERR);
	CHECK(write(both[1], "x", 1) == -1 && errno == EPIPE && !close(both[1]));
	return 0;
}
"""
