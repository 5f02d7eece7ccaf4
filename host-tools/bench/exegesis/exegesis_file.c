/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/exegesis/exegesis_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "abi/machine.h"
#include "host-tools/util/array.h"

struct exegesis_document {
	yaml_document_t yaml;
	int root; /* node; 0: the emitter has taken the document */
};

/* ---- Nodes ---- */

static const char *text_of(const yaml_node_t *node)
{
	return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value
	                                              : NULL;
}

/* The pair of this key in a mapping; NULL: there is none. */
static yaml_node_pair_t *pair_of(yaml_document_t *yaml, yaml_node_t *map, const char *key)
{
	if (!map || map->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *pair = map->data.mapping.pairs.start;
	     pair < map->data.mapping.pairs.top; pair++) {
		const char *text = text_of(yaml_document_get_node(yaml, pair->key));

		if (text && !strcmp(text, key))
			return pair;
	}
	return NULL;
}

static yaml_node_t *value_of(yaml_document_t *yaml, yaml_node_t *map, const char *key)
{
	yaml_node_pair_t *pair = pair_of(yaml, map, key);

	return pair ? yaml_document_get_node(yaml, pair->value) : NULL;
}

static yaml_node_t *root_of(struct exegesis_document *document)
{
	return yaml_document_get_node(&document->yaml, document->root);
}

/* ---- Reading ---- */

static int take_mode(struct exegesis_point *point, const char *text)
{
	static const char *const modes[] = { "latency", "uops", "inverse_throughput" };
	static const enum exegesis_mode values[] = { EXEGESIS_LATENCY, EXEGESIS_UOPS,
		                                     EXEGESIS_THROUGHPUT };

	for (unsigned i = 0; text && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(text, modes[i])) {
			point->mode = values[i];
			return 0;
		}
	}
	return -EINVAL;
}

static int take_machine(struct exegesis_point *point, const char *triple)
{
	if (triple && !strncmp(triple, "x86_64", 6))
		point->machine = EM_X86_64;
	else if (triple && (!strncmp(triple, "aarch64-", 8) || !strncmp(triple, "arm64-", 6)))
		point->machine = EM_AARCH64;
	return point->machine ? 0 : -EINVAL;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int take_code(struct exegesis_point *point, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	if (!length || length % 2 || length / 2 > EXEGESIS_CODE)
		return -EINVAL;
	for (size_t i = 0; i < length; i += 2) {
		int high = digit_of(text[i]), low = digit_of(text[i + 1]);
		uint8_t byte;

		if (high < 0 || low < 0)
			return -EINVAL;
		byte = (uint8_t)(high << 4 | low);
		blob_add(&point->code, &byte, 1);
	}
	return point->code.failed ? -ENOMEM : 0;
}

static int take_instructions(struct exegesis_point *point, yaml_document_t *yaml,
                             const yaml_node_t *list)
{
	if (!list || list->type != YAML_SEQUENCE_NODE ||
	    list->data.sequence.items.start == list->data.sequence.items.top)
		return -EINVAL;
	point->instructions =
	    (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
	point->first = text_of(yaml_document_get_node(yaml, *list->data.sequence.items.start));
	return point->first ? 0 : -EINVAL;
}

/* Which of the needed keys is missing or wrong; NULL: none. */
static const char *take_point(struct exegesis_point *point)
{
	yaml_document_t *yaml = &point->document->yaml;
	yaml_node_t *root = root_of(point->document);

	if (take_mode(point, text_of(value_of(yaml, root, "mode"))))
		return "mode (latency, uops or inverse_throughput)";
	if (take_machine(point, text_of(value_of(yaml, root, "llvm_triple"))))
		return "llvm_triple (x86_64 or aarch64)";
	if (take_instructions(point, yaml,
	                      value_of(yaml, value_of(yaml, root, "key"), "instructions")))
		return "key.instructions";
	if (take_code(point, text_of(value_of(yaml, root, "assembled_snippet"))))
		return "assembled_snippet (hexadecimal, at most 64 KiB; run llvm-exegesis with "
		       "--benchmark-phase=assemble-measured-code)";
	if (!pair_of(yaml, root, "measurements"))
		return "measurements";
	return pair_of(yaml, root, "error") ? NULL : "error";
}

static int parser_error(const yaml_parser_t *parser, const char *name, struct error *error)
{
	if (parser->error == YAML_MEMORY_ERROR)
		return error_set(error, -ENOMEM, "%s: no memory", name);
	return error_set(error, -EINVAL, "%s, line %zu: no YAML: %s", name,
	                 parser->problem_mark.line + 1,
	                 parser->problem ? parser->problem : "unreadable");
}

/* Read one document. *ended: there was none. */
static int read_point(struct exegesis_file *file, yaml_parser_t *parser, const char *name,
                      bool *ended, struct error *error)
{
	struct exegesis_document *document = calloc(1, sizeof(*document));
	struct exegesis_point *point;
	const char *wrong;

	if (!document || !ARRAY_ROOM(file->points, file->count)) {
		free(document);
		return error_set(error, -ENOMEM, "%s: no memory", name);
	}
	if (!yaml_parser_load(parser, &document->yaml)) {
		free(document);
		return parser_error(parser, name, error);
	}
	*ended = !yaml_document_get_root_node(&document->yaml);
	if (*ended) {
		yaml_document_delete(&document->yaml);
		free(document);
		return 0;
	}
	document->root = 1; /* libyaml's first node */
	point = &file->points[file->count++];
	*point = (struct exegesis_point){ .document = document };
	wrong = take_point(point);
	if (wrong)
		return error_set(error, -EINVAL, "%s, document %zu: want the key %s", name,
		                 file->count, wrong);
	return 0;
}

int exegesis_file_parse(struct exegesis_file *file, const uint8_t *text, size_t size,
                        const char *name, struct error *error)
{
	yaml_parser_t parser;
	bool ended = false;
	int code = 0;

	*file = (struct exegesis_file){ 0 };
	if (!yaml_parser_initialize(&parser))
		return error_set(error, -ENOMEM, "%s: no memory", name);
	yaml_parser_set_input_string(&parser, text, size);
	while (!code && !ended)
		code = read_point(file, &parser, name, &ended, error);
	yaml_parser_delete(&parser);
	if (!code && !file->count)
		return error_set(error, -EINVAL, "%s: it has no benchmark", name);
	return code;
}

int exegesis_file_read(struct exegesis_file *file, const char *name, struct error *error)
{
	struct blob text = { 0 };
	FILE *in = fopen(name, "re");
	uint8_t piece[65536];
	size_t size;
	int code;

	*file = (struct exegesis_file){ 0 };
	if (!in)
		return error_errno(error, "%s", name);
	while ((size = fread(piece, 1, sizeof(piece), in)) && !text.failed)
		blob_add(&text, piece, size);
	if (ferror(in))
		code = error_errno(error, "%s", name);
	else if (text.failed)
		code = error_set(error, -ENOMEM, "%s: no memory", name);
	else
		code = exegesis_file_parse(file, text.bytes, text.size, name, error);
	fclose(in);
	blob_free(&text);
	return code;
}

/* ---- Changing ---- */

static int add_text(yaml_document_t *yaml, const char *text, yaml_scalar_style_t style)
{
	return yaml_document_add_scalar(yaml, NULL, (const yaml_char_t *)text, -1, style);
}

int exegesis_set_error(struct exegesis_point *point, const char *text)
{
	yaml_document_t *yaml = &point->document->yaml;
	int node = add_text(yaml, text, YAML_SINGLE_QUOTED_SCALAR_STYLE);

	if (!node) /* adding moves nodes, so the pair is looked up afterwards */
		return -ENOMEM;
	pair_of(yaml, root_of(point->document), "error")->value = node;
	return 0;
}

static int add_pair(yaml_document_t *yaml, int map, const char *key, int value)
{
	int node = add_text(yaml, key, YAML_PLAIN_SCALAR_STYLE);

	return node && value && yaml_document_append_mapping_pair(yaml, map, node, value) ? 0
	                                                                                  : -ENOMEM;
}

static int add_number(yaml_document_t *yaml, int map, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", value);
	return add_pair(yaml, map, key, add_text(yaml, text, YAML_PLAIN_SCALAR_STYLE));
}

/* The list of measurements: the file's, if it is empty or ours. 0: no memory. */
static int list_of(struct exegesis_point *point)
{
	yaml_document_t *yaml = &point->document->yaml;
	int list;

	if (!point->measured) {
		list = yaml_document_add_sequence(yaml, NULL, YAML_BLOCK_SEQUENCE_STYLE);
		if (list)
			pair_of(yaml, root_of(point->document), "measurements")->value = list;
		point->measured = list;
	}
	return point->measured;
}

int exegesis_add_value(struct exegesis_point *point, const char *key, double instruction,
                       double snippet)
{
	yaml_document_t *yaml = &point->document->yaml;
	int list = list_of(point);
	int map = yaml_document_add_mapping(yaml, NULL, YAML_FLOW_MAPPING_STYLE);

	if (!list || !map ||
	    add_pair(yaml, map, "key", add_text(yaml, key, YAML_ANY_SCALAR_STYLE)) ||
	    add_number(yaml, map, "value", instruction) ||
	    add_number(yaml, map, "per_snippet_value", snippet) ||
	    !yaml_document_append_sequence_item(yaml, list, map))
		return -ENOMEM;
	return 0;
}

/* ---- Writing ---- */

static int write_piece(void *out, unsigned char *bytes, size_t size)
{
	return fwrite(bytes, 1, size, out) == size;
}

int exegesis_file_write(struct exegesis_file *file, FILE *out, struct error *error)
{
	yaml_emitter_t emitter;
	bool good = yaml_emitter_initialize(&emitter);

	if (!good)
		return error_set(error, -ENOMEM, "no memory for the results");
	yaml_emitter_set_output(&emitter, write_piece, out);
	yaml_emitter_set_width(&emitter, -1);
	yaml_emitter_set_unicode(&emitter, 1);
	good = yaml_emitter_open(&emitter);
	for (size_t i = 0; i < file->count && good; i++) {
		struct exegesis_document *document = file->points[i].document;

		document->yaml.start_implicit = 0;
		document->yaml.end_implicit = 0;
		document->root = 0;
		good = yaml_emitter_dump(&emitter, &document->yaml);
	}
	good = good && yaml_emitter_close(&emitter) && yaml_emitter_flush(&emitter);
	yaml_emitter_delete(&emitter);
	if (!good || fflush(out))
		return error_set(error, -EIO, "the results cannot be written");
	return 0;
}

void exegesis_file_free(struct exegesis_file *file)
{
	for (size_t i = 0; i < file->count; i++) {
		struct exegesis_document *document = file->points[i].document;

		if (document->root)
			yaml_document_delete(&document->yaml);
		free(document);
		blob_free(&file->points[i].code);
	}
	free(file->points);
	*file = (struct exegesis_file){ 0 };
}
