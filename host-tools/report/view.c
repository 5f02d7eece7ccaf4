/* SPDX-License-Identifier: MIT */
#include "host-tools/report/view.h"

#include <errno.h>

#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"

error_t view_parse(int key, char *arg, struct argp_state *state, struct view_options *options)
{
	switch (key) {
	case 'o':
		options->output = arg;
		return 0;
	case 'e':
		options->event = arg;
		return 0;
	case PE_SEARCH_KEY:
		pe_search_add(&options->search, arg);
		return 0;
	case VIEW_KEY_NO_INLINE:
		options->no_inline = true;
		return 0;
	case VIEW_KEY_ALL_FRAMES:
		options->all_frames = true;
		return 0;
	default:
		return one_file_parse(key, arg, state, "perf.data", &options->input);
	}
}

int view_recording(const char *path, struct pe_search *search,
                   int (*show)(void *context, struct recording_file *file, struct error *error),
                   void *context)
{
	struct recording_file file;
	struct error error = { "" };
	int code = recording_file_open(&file, path, search, &error);

	if (!code)
		code = show(context, &file, &error);
	/* If the file is damaged or cut off, this error is the reason that nothing is shown. */
	if (!code || *file.broken.text || !perf_reader_is_whole(&file.reader))
		code = recording_file_missing(&file, &error);
	recording_file_close(&file);
	pe_search_free(search);
	if (code)
		error_print(&error);
	return code ? EXIT_ERROR : EXIT_OK;
}

int view_write(const struct recording_file *file, const char *path,
               int (*put)(void *context, FILE *out, struct error *error), void *context,
               struct error *error)
{
	const char *name = path ? path : "standard output";
	FILE *out = stdout;
	int code;

	if (path && file && recording_file_is(file, path))
		return error_set(error, -EINVAL,
		                 "%s is the recording itself: name another file with -o", path);
	if (path)
		out = fopen(path, "w");
	if (!out)
		return error_errno(error, "creating %s", name);
	code = put(context, out, error);
	if ((fflush(out) || ferror(out)) && !code)
		code = error_errno(error, "writing %s", name);
	if (path && fclose(out) && !code)
		code = error_errno(error, "writing %s", name);
	return code;
}
