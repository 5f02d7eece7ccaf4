/* SPDX-License-Identifier: MIT */
#include "host-tools/report/selftest/selftest_html.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "lib/survey/survey_shape.h"
#include "lib/survey/survey_text.h"

#define MAP    640.0 /* px: the map's side */
#define WIDTH  760.0 /* px: the ladder's axes */
#define HEIGHT 360.0
#define LEFT   56.0 /* px for an axis' numbers */
#define TOP    14.0
#define CELL   26.0 /* px: the smallest cell of the map with a number in it */

static FILE *page; /* the file that escaped() prints to */

/* Print text with HTML's characters escaped. */
__attribute__((format(printf, 1, 2))) static void escaped(const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	for (const char *at = text; *at; at++) {
		if (*at == '<')
			fputs("&lt;", page);
		else if (*at == '>')
			fputs("&gt;", page);
		else if (*at == '&')
			fputs("&amp;", page);
		else if (*at == '"')
			fputs("&quot;", page);
		else
			fputc(*at, page);
	}
}

static double ns(uint64_t ps)
{
	return (double)ps / 1000;
}

/* ---- The map ---- */

struct range {
	uint64_t least, most; /* ps */
};

static struct range range_of_map(const struct survey *s)
{
	struct range range = { UINT64_MAX, 0 };

	for (unsigned i = 0; i < survey_nr_pairs(s); i++) {
		uint64_t ps = s->pairs[i];

		if (!ps)
			continue;
		range.least = ps < range.least ? ps : range.least;
		range.most = ps > range.most ? ps : range.most;
	}
	return range;
}

/* From 0, the shortest, to 1, on a logarithmic scale. */
static double heat(struct range range, uint64_t ps)
{
	if (range.most <= range.least)
		return 0;
	return log((double)ps / (double)range.least) /
	       log((double)range.most / (double)range.least);
}

static void draw_cell(FILE *out, const struct survey *s, struct range range, unsigned a, unsigned b)
{
	double side = MAP / s->cpus, x = LEFT + b * side, y = TOP + a * side;
	uint64_t ps = s->pairs[survey_pair(a, b)];
	double h = ps ? heat(range, ps) : 0;

	fprintf(out,
	        "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s%.0f%s\">"
	        "<title>CPU %u and CPU %u: ",
	        x, y, side, side, ps ? "hsl(" : "hsl(0 0% ", ps ? 210 - 200 * h : 85,
	        ps ? " 75% 62%)" : "%)", a, b);
	if (ps)
		fprintf(out, "%.1f ns</title></rect>\n", ns(ps));
	else
		fputs("not measured</title></rect>\n", out);
	if (ps && side >= CELL)
		fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" class=\"cell\">%.0f</text>\n",
		        x + side / 2, y + side / 2 + 4, ns(ps));
}

static void draw_map(const struct survey *s, FILE *out)
{
	struct range range = range_of_map(s);
	unsigned step = s->cpus / 32 + 1;
	double side = s->cpus ? MAP / s->cpus : MAP;

	if (!range.most)
		return;
	fputs("<h2>Core to core: round trip of a cache line, ns</h2>\n", out);
	fprintf(out, "<svg id=\"map\" width=\"%.0f\" height=\"%.0f\">\n", MAP + LEFT + 10,
	        MAP + TOP + 30);
	for (unsigned a = 0; a < s->cpus; a++)
		for (unsigned b = 0; b < s->cpus; b++)
			if (a != b)
				draw_cell(out, s, range, a, b);
	for (unsigned i = 0; i < s->cpus; i += step)
		fprintf(out,
		        "<text x=\"%.2f\" y=\"%.2f\" class=\"row\">%u</text>"
		        "<text x=\"%.2f\" y=\"%.2f\" class=\"cell\">%u</text>\n",
		        LEFT - 8, TOP + (i + 0.5) * side + 4, i, LEFT + (i + 0.5) * side,
		        TOP + MAP + 16, i);
	fputs("</svg>\n", out);
	fprintf(out, "<p>%.1f ns (blue) to %.1f ns (red). Half of it is the one-way latency.</p>\n",
	        ns(range.least), ns(range.most));
}

/* ---- The ladder ---- */

static double ladder_x(const struct survey *s, uint64_t bytes)
{
	double first = log2((double)s->points[0].bytes);
	double last = log2((double)s->points[s->nr_points - 1].bytes);

	return LEFT + (last > first ? (log2((double)bytes) - first) / (last - first) : 0) * WIDTH;
}

struct scale {
	double low, high; /* ns: powers of two */
};

static struct scale ladder_scale(const struct survey *s)
{
	uint64_t least = UINT64_MAX, most = 1;

	for (unsigned i = 0; i < s->nr_points; i++) {
		uint64_t ps = s->points[i].ps;

		least = ps && ps < least ? ps : least;
		most = ps > most ? ps : most;
	}
	if (least > most)
		least = most;
	return (struct scale){ exp2(floor(log2(ns(least)))), exp2(ceil(log2(ns(most) * 1.01))) };
}

static double ladder_y(struct scale scale, uint64_t ps)
{
	double value = ps ? ns(ps) : scale.low;

	return TOP + HEIGHT - log(value / scale.low) / log(scale.high / scale.low) * HEIGHT;
}

static void draw_axes(const struct survey *s, struct scale scale, FILE *out)
{
	for (double value = scale.low; value <= scale.high * 1.001; value *= 2) {
		double y = ladder_y(scale, (uint64_t)(value * 1000));

		fprintf(out,
		        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
		        "<text x=\"%.1f\" y=\"%.1f\" class=\"row\">%g</text>\n",
		        LEFT, LEFT + WIDTH, y, y, LEFT - 6, y + 4, value);
	}
	for (unsigned i = 0; i < s->nr_points; i += 2) {
		uint64_t bytes = s->points[i].bytes;

		if (s->nr_points > 20 && i % 4)
			continue;
		fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"cell\">%" PRIu64 "%s</text>\n",
		        ladder_x(s, bytes), TOP + HEIGHT + 18,
		        bytes >> 20 ? bytes >> 20 : bytes >> 10, bytes >> 20 ? "M" : "K");
	}
}

static void draw_ladder(const struct survey *s, FILE *out)
{
	struct survey_point steps[SURVEY_STEPS];
	unsigned n = survey_steps(s, steps);
	struct scale scale = ladder_scale(s);

	if (s->nr_points < 2 || !s->points[0].bytes)
		return;
	fputs("<h2>Latency of dependent loads, ns by size</h2>\n", out);
	fprintf(out, "<svg id=\"ladder\" width=\"%.0f\" height=\"%.0f\">\n", WIDTH + LEFT + 30,
	        HEIGHT + TOP + 30);
	draw_axes(s, scale, out);
	fputs("<polyline points=\"", out);
	for (unsigned i = 0; i < s->nr_points; i++)
		fprintf(out, "%.1f,%.1f ", ladder_x(s, s->points[i].bytes),
		        ladder_y(scale, s->points[i].ps));
	fputs("\"/>\n", out);
	for (unsigned i = 0; i < s->nr_points; i++)
		fprintf(out,
		        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%" PRIu64
		        " KiB: %.1f ns</title></circle>\n",
		        ladder_x(s, s->points[i].bytes), ladder_y(scale, s->points[i].ps),
		        s->points[i].bytes >> 10, ns(s->points[i].ps));
	for (unsigned i = 0; i + 1 < n; i++)
		fprintf(
		    out, "<line class=\"step\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
		    ladder_x(s, steps[i].bytes), ladder_x(s, steps[i].bytes), TOP, TOP + HEIGHT);
	fputs("</svg>\n", out);
}

void selftest_html(const struct survey *s, FILE *out)
{
	page = out;
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>", out);
	escaped("%s: self-test", *s->model ? s->model : s->vendor);
	fputs(
	    "</title>\n<style>\n"
	    "body { font: 14px sans-serif; margin: 24px; color: #222; background: #fff }\n"
	    "svg text { font: 11px sans-serif; fill: #222 }\n"
	    "svg .cell { text-anchor: middle } svg .row { text-anchor: end }\n"
	    "line { stroke: #ccc } line.step { stroke: #c33; stroke-dasharray: 4 3 }\n"
	    "polyline { fill: none; stroke: #26c; stroke-width: 2 } circle { fill: #26c }\n"
	    "pre { background: #f4f4f4; padding: 12px; overflow-x: auto }\n"
	    ".warning { background: #fdd; padding: 8px }\n"
	    "</style></head><body>\n<h1>",
	    out);
	escaped("%u of %s%s%s", s->cpus, s->vendor, *s->model ? ", " : "", s->model);
	fputs("</h1>\n", out);
	if (*s->emulator) {
		fputs("<p class=\"warning\">", out);
		escaped("Emulated by %s: no figure here means anything for a real machine.",
		        s->emulator);
		fputs("</p>\n", out);
	}
	draw_map(s, out);
	draw_ladder(s, out);
	fputs("<h2>Everything</h2>\n<pre>", out);
	survey_text(s, escaped);
	fputs("</pre>\n</body></html>\n", out);
}
