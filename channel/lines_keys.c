/* SPDX-License-Identifier: MIT */
/* Keys that are pressed on any of the lines. */
#include "channel/lines.h"

void lines_listen(struct lines *lines, bool listens)
{
	for (unsigned i = 0; i < lines->nr_ports; i++)
		line_listen(&lines->ports[i].line, listens);
}

bool lines_are_pressed(const struct lines *lines)
{
	for (unsigned i = 0; i < lines->nr_ports; i++) {
		if (line_is_pressed(&lines->ports[i].line))
			return true;
	}
	return false;
}
