/* SPDX-License-Identifier: MIT */
/* Draws a flame graph: frames are rectangles, callers are below callees. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host-tools/report/flame/flame.h"
#include "host-tools/util/put_text.h"

#define WIDTH     1200
#define MARGIN    10
#define ROW       17
#define TOP       64   /* room for title and buttons */
#define BOTTOM    40   /* room for the details */
#define LEAST     0.02 /* pixels; narrower frames are left out */
#define CHARACTER 7.1  /* width of a character, pixels */

/* The script that runs in the SVG viewer: zoom by click, search by regular expression, details at
 * the bottom. Each frame has its position and width in the whole picture as data-x and data-w. */
static const char script[] =
    "var boxes, details, matched, searching = null, W = 1200, M = 10;\n"
    "function num(f, k) { return parseFloat(f.getAttribute(k)); }\n"
    "function place(f, x, w, shown) {\n"
    "  f.style.display = shown ? '' : 'none';\n"
    "  if (!shown) return;\n"
    "  var r = f.querySelector('rect'), t = f.querySelector('text'), n = f.dataset.n;\n"
    "  r.setAttribute('x', x); r.setAttribute('width', w); t.setAttribute('x', x + 3);\n"
    "  var c = Math.floor((w - 6) / 7.1);\n"
    "  t.textContent = c < 3 ? '' : n.length <= c ? n : n.slice(0, c - 2) + '..';\n"
    "}\n"
    "function zoom(z) {\n"
    "  var zx = num(z, 'data-x'), zw = num(z, 'data-w'), zd = num(z, 'data-d');\n"
    "  var scale = (W - 2 * M) / zw, end = zx + zw;\n"
    "  boxes.forEach(function (f) {\n"
    "    var x = num(f, 'data-x'), w = num(f, 'data-w'), d = num(f, 'data-d');\n"
    "    var above = d >= zd && x >= zx - 1e-6 && x + w <= end + 1e-6;\n"
    "    var below = d < zd && x <= zx + 1e-6 && x + w >= end - 1e-6;\n"
    "    f.classList.toggle('faded', below);\n"
    "    if (below) place(f, M, W - 2 * M, true);\n"
    "    else place(f, M + (x - zx) * scale, w * scale, above);\n"
    "  });\n"
    "  document.getElementById('reset').style.display = zd > 0 ? '' : 'none';\n"
    "}\n"
    "function search(text) {\n"
    "  var expression = null, spans = [], sum = 0, end = -1;\n"
    "  if (text) try { expression = new RegExp(text); } catch (e) { alert(e.message); return; }\n"
    "  searching = text;\n"
    "  boxes.forEach(function (f) {\n"
    "    var hit = expression !== null && num(f, 'data-d') > 0 && expression.test(f.dataset.n);\n"
    "    f.classList.toggle('hit', hit);\n"
    "    if (hit) spans.push([num(f, 'data-x'), num(f, 'data-w')]);\n"
    "  });\n"
    "  spans.sort(function (a, b) { return a[0] - b[0] || b[1] - a[1]; });\n"
    "  spans.forEach(function (s) {\n"
    "    if (s[0] >= end - 1e-6) { sum += s[1]; end = s[0] + s[1]; }\n"
    "  });\n"
    "  matched.textContent = expression === null ? '' :\n"
    "    'Matched: ' + (100 * sum / (W - 2 * M)).toFixed(1) + '%';\n"
    "}\n"
    "function ask() {\n"
    "  if (searching) { search(''); return; }\n"
    "  var text = prompt('Function names to look for (a regular expression)', '');\n"
    "  if (text) search(text);\n"
    "}\n"
    "function init() {\n"
    "  boxes = Array.prototype.slice.call(document.querySelectorAll('g.f'));\n"
    "  details = document.getElementById('details');\n"
    "  matched = document.getElementById('matched');\n"
    "  boxes.forEach(function (f) {\n"
    "    f.addEventListener('click', function () { zoom(f); });\n"
    "    f.addEventListener('mouseover', function () {\n"
    "      details.textContent = f.querySelector('title').textContent; });\n"
    "    f.addEventListener('mouseout', function () { details.textContent = ''; });\n"
    "  });\n"
    "  document.getElementById('reset').addEventListener('click',\n"
    "    function () { zoom(boxes[0]); });\n"
    "  document.getElementById('search').addEventListener('click', ask);\n"
    "  window.addEventListener('keydown', function (e) {\n"
    "    if (e.key === 'F3' || (e.ctrlKey && e.key === 'f')) { e.preventDefault(); ask(); }\n"
    "    if (e.key === 'Escape') { search(''); zoom(boxes[0]); }\n"
    "  });\n"
    "}\n"
    "window.addEventListener('load', init);\n";

static const char style[] =
    "text { font-family: monospace; font-size: 12px; fill: #000; }\n"
    ".title { font-size: 17px; text-anchor: middle; }\n"
    ".subtitle { text-anchor: middle; fill: #555; }\n"
    ".button { cursor: pointer; fill: #06c; }\n"
    "g.f { cursor: pointer; }\n"
    "g.f text { pointer-events: none; }\n"
    "g.f:hover rect { stroke: #000; stroke-width: 0.7; }\n"
    "g.faded { opacity: 0.45; }\n"
    "g.hit rect { fill: #c6c; }\n";

struct drawing {
	const struct flame *flame;
	const char *unit;
	FILE *out;
	double scale; /* pixels per unit of weight */
	uint32_t rows;
};

/* Write at most `most` bytes of a text, escaped for XML. */
static void put_xml(FILE *out, const char *text, size_t most)
{
	static const char marks[] = "<>&\"";
	static const char *const names[] = { "lt", "gt", "amp", "quot" };

	for (size_t part, left = strnlen(text, most); left; text += part, left -= part) {
		part = strcspn(text, marks);
		part = part < left ? part : left;
		put_text(out, text, part, '?', "");
		if (part < left)
			fprintf(out, "&%s;", names[strchr(marks, text[part++]) - marks]);
	}
}

/* Get a warm colour that depends only on the name, so that two graphs can be compared. */
static uint32_t colour(const char *name)
{
	uint32_t hash = 2166136261U;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619U;
	return (205 + hash % 50) << 16 | (60 + (hash >> 8) % 150) << 8 | (hash >> 16) % 55;
}

static void draw_label(const struct drawing *d, const char *name, double x, double y, double width)
{
	size_t fits = width < 6 ? 0 : (size_t)((width - 6) / CHARACTER);
	size_t length = 0;

	while (length <= fits && name[length])
		length++;
	fprintf(d->out, "<text x=\"%.2f\" y=\"%.0f\">", x + 3, y + ROW - 5);
	if (fits >= 3) {
		put_xml(d->out, name, length <= fits ? length : fits - 2);
		if (length > fits)
			fputs("..", d->out);
	}
	fputs("</text>", d->out);
}

static void draw_frame(const struct drawing *d, const struct flame_node *node, const char *name,
                       double x, uint32_t depth)
{
	double width = (double)node->weight * d->scale;
	double y = TOP + (double)(d->rows - 1 - depth) * ROW;
	double share = 100.0 * (double)node->weight / (double)d->flame->root.weight;

	fprintf(d->out, "<g class=\"f\" data-x=\"%.4f\" data-w=\"%.4f\" data-d=\"%u\" data-n=\"",
	        x - MARGIN, width, depth);
	put_xml(d->out, name, SIZE_MAX);
	fputs("\"><title>", d->out);
	put_xml(d->out, name, SIZE_MAX);
	fprintf(d->out, " (%" PRIu64 " %s, %.2f%%)</title>", node->weight, d->unit, share);
	fprintf(d->out,
	        "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" rx=\"1\" "
	        "fill=\"#%06x\"/>",
	        x, y, width, ROW - 1, depth ? colour(name) : 0xdddddd);
	draw_label(d, name, x, y, width);
	fputs("</g>\n", d->out);
}

/* Recursive; the depth is at most FLAME_MAX_DEPTH. */
static void draw_node(const struct drawing *d, const struct flame_node *node, double x,
                      uint32_t depth)
{
	draw_frame(d, node, depth ? node->name : "all", x, depth);
	for (const struct flame_node *c = node->children; c; c = c->next) {
		double width = (double)c->weight * d->scale;

		if (width >= LEAST)
			draw_node(d, c, x, depth + 1);
		x += width;
	}
}

static void draw_head(const struct drawing *d, const char *title, int height)
{
	fprintf(d->out,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
	        "viewBox=\"0 0 %d %d\">\n"
	        "<style>\n%s</style>\n"
	        "<script><![CDATA[\n%s]]></script>\n"
	        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fffdf7\"/>\n",
	        WIDTH, height, WIDTH, height, style, script);
	fprintf(d->out, "<text class=\"title\" x=\"%d\" y=\"24\">", WIDTH / 2);
	put_xml(d->out, title, SIZE_MAX);
	fprintf(d->out,
	        "</text>\n<text class=\"subtitle\" x=\"%d\" y=\"42\">%" PRIu64 " samples, %" PRIu64
	        " %s</text>\n",
	        WIDTH / 2, d->flame->samples, d->flame->root.weight, d->unit);
	fprintf(d->out,
	        "<text id=\"reset\" class=\"button\" x=\"%d\" y=\"24\" style=\"display:none\">"
	        "Reset zoom</text>\n"
	        "<text id=\"search\" class=\"button\" x=\"%d\" y=\"24\">Search</text>\n",
	        MARGIN, WIDTH - MARGIN - 50);
	fprintf(d->out,
	        "<text id=\"details\" x=\"%d\" y=\"%d\"></text>\n"
	        "<text id=\"matched\" x=\"%d\" y=\"%d\"></text>\n",
	        MARGIN, height - 14, WIDTH - MARGIN - 130, height - 14);
}

void flame_draw(const struct flame *flame, const char *title, const char *unit, FILE *out)
{
	struct drawing d = {
		.flame = flame,
		.unit = unit,
		.out = out,
		.rows = flame->depth + 1,
	};

	d.scale = flame->root.weight ? (WIDTH - 2.0 * MARGIN) / (double)flame->root.weight : 0;
	draw_head(&d, title, TOP + (int)d.rows * ROW + BOTTOM);
	if (flame->root.weight)
		draw_node(&d, &flame->root, MARGIN, 0);
	fputs("</svg>\n", out);
}
