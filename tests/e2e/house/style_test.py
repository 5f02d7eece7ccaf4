#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The house rules (tests/style) are kept, and each can fail: a small tree that keeps all rules is
changed to break each one once, and the only message is the one for that rule.

check-spare: files are read
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
LATER = "TO" "DO"  # not here
C = "/* SPDX-License-Identifier: MIT */\n"
WHOSE, WHOEVER = "Whose", "whoever"  # spelled so that tests/style does not complain about this file
MD = "# A page\n\n"
MAKEFILE = "# SPDX-License-Identifier: MIT\n"
LINES = "int number;\n"

# file, a content that keeps the rule, one that breaks it, the line of the breach, the message
RULES = [
    ("Makefile", MAKEFILE + "#\n" * 199, MAKEFILE + "#\n" * 200, 201, "more than 200 lines"),
    ("lib/licence.c", C, "/* A file */\n", 1, "no line «SPDX-License-Identifier: MIT» at the top"),
    ("tests/qemu/licence.c", C.replace("MIT", "GPL-2.0-or-later"), C, 1,
     "no line «SPDX-License-Identifier: GPL-2.0-or-later» at the top"),
    ("lib/licence_line.c", C, C.replace("/*", "//").replace(" */", ""), 1,
     "the first line is not «/* SPDX-License-Identifier: MIT */»"),
    ("lib/long.c", C + LINES * 399, C + LINES * 400, 401, "more than 400 lines"),
    ("tests/long.c", C + LINES * 599, C + LINES * 600, 601, "more than 600 lines"),
    ("lib/later.c", C + "/* later */\n", C + f"/* {LATER}: later */\n", 2,
     "something left for later"),
    ("lib/comment.c", C + "/*\n * word\n */\n", C + "/*\n *word\n */\n", 3,
     "a comment's line without a space behind its *"),
    ("arch/x86_64/wide.S", C + "\tnop".ljust(93) + "\n", C + "\tnop".ljust(94) + "\n", 2,
     "more than 100 columns"),
    ("lib/isa.c", C + "#ifdef __LP64__\n#endif\n", C + "#ifdef __x86_64__\n#endif\n", 2,
     "an ISA is asked for outside arch/"),
    ("host-tools/session/shared.c", C + "int s = a->share;\n", C + "int s = a->shared;\n", 2,
     "shared memory is read outside of the region's rooms"),
    ("host-tools/region/region_atomic.c", C + "u = __atomic_load_n(&a);\n",
     C + "__atomic_store_n(&a, u);\n", 2, "a word is stored past the channel"),
    ("host-tools/region/region_plain.c", C + "to->data_tail = __atomic_load_n(&from);\n",
     C + "page->data_tail = from;\n", 2, "a word is stored past the channel"),
    ("host-tools/region/region_flag.c", C + "if (a->salvaged == 1)\n", C + "a->salvaged |= 1;\n", 2,
     "a word is stored past the channel"),
    # the declared exception; no other file may store here
    ("writer/region/region_salvage.c", C + "page->aux_head = 0;\n", None, None, None),
    ("host-tools/record/past.c", C + "a = channel_bytes;\n", C + "a = channel->bytes;\n", 2,
     "a machine is reached past the channel"),
    ("lib/includes.c", C + '#include <stdint.h>\n\n#include "abi/a.h"\n#include "abi/b.h"\n',
     C + '#include <stdint.h>\n\n#include "abi/b.h"\n#include "abi/a.h"\n', 2,
     "includes: own header, <system>, ours sorted"),
    ("lib/null.c", C + "if (!a)\n", C + "if (a == NULL)\n", 2,
     "a pointer is compared to NULL: test it as itself"),
    ("lib/errno.c", C + "int code;\n", C + "int ret;\n", 2, "an errno that is not called `code`"),
    ("lib/unit.c", C + "static int unit_take(void)\n{\n}\n", C + "static int take(void)\n{\n}\n", 2,
     "a static function without its unit"),
    ("lib/unit_inline.h", C + "static inline int unit_take(void)\n{\n}\n",
     C + "static inline int take(void)\n{\n}\n", 2, "a static function without its unit"),
    ("workload/sdk/threads/wait.c", C + "static __attribute__((noinline)) void cpu_idle(void)\n{\n}\n",
     C + "static __attribute__((noinline)) void idle(void)\n{\n}\n", 2,
     "a static function without its unit"),
    ("writer/linked.c", C + "static int\nlinked_take(void)\n{\n}\n",
     C + "static int __attribute__((format(printf, 1, 2)))\ntake(const char *f, ...)\n{\n}\n", 2,
     "a static function without its unit"),
    # the image does not link this file
    ("host-tools/util/unlinked.c", C + "static int take(void)\n{\n}\n", None, None, None),
    ("channel/wire/frame.c", C + "int contents;\n", C + "int payload;\n", 2,
     "a payload that is no program"),
    ("lib/names.c", C + "/* as null.c has it, and unit_take() */\n", C + "/* as nil.c has it */\n", 2,
     "nil.c is named, which is not there"),
    ("lib/calls.c", C + "/* unit_take() is there */\n", C + "/* unit_give() is there */\n", 2,
     "unit_give() is named, which is not there"),
    ("docs/files.md", MD + "See `lib/null.c`.\n", MD + "See `lib/nil.c`.\n", 3,
     "lib/nil.c is named, which is not there"),
    ("lib/macro.c", C + "#define MACRO 1\nint macro = MACRO;\n", C + "#define MACRO 1\n", 2,
     "MACRO is defined, and nothing uses it"),
    ("lib/last.c", C + "enum { FIRST, LAST };\nint last = LAST;\n", C + "enum { FIRST, LAST };\n", 2,
     "LAST is defined, and nothing uses it"),
    ("lib/value.c", C + "enum { VALUE_A = 1, VALUE_B = 2 };\nint v = VALUE_A + VALUE_B;\n",
     C + "enum { VALUE_A = 1, VALUE_B = 2 };\nint v = VALUE_B;\n", 2,
     "VALUE_A is defined, and nothing uses it"),
    ("lib/twice.c", C + "#ifdef __LP64__\n#define TWICE 8\n#else\n#define TWICE 4\n#endif\nTWICE;\n",
     C + "#ifdef __LP64__\n#define TWICE 8\n#endif\n", 3, "TWICE is defined, and nothing uses it"),
    # a name that the preprocessor composes
    ("lib/pasted.c", C + "#define IS(name) PASTED_##name\n#define PASTED_HERE 1\nIS(HERE);\n", None,
     None, None),
    # words in pages and comments are not code
    ("docs/calls.md", MD + "It calls `unit_take()`.\n", MD + "It calls `page_take()`.\n", 3,
     "page_take() is named, which is not there"),
    ("docs/words.md", MD + "It has `unit_take` and `null`.\n", MD + "It has `unit_give`.\n", 3,
     "unit_give is named, which is not there"),
    ("tests/words.py", "# SPDX-License-Identifier: MIT\n# page_take unit_give\n", None, None, None),
    ("README.md", MD + "Line\n" * 88, MD + "Line\n" * 89, 91, "more than 90 lines"),
    ("CAVEATS.md", "word " * 1200, "word " * 1201, 1, "more than 1200 words"),
    # plain English: questions are allowed, and so are code and words inside a sentence
    ("docs/man/plain.1", ".SH NAME\n.TP\n.B \\-a\nIt runs. What is run?\n.nf\nWhat runs.\n.fi\n",
     ".SH NAME\n.TP\n.B \\-a\nIt runs.\nWhat is run stays.\n", 5,
     "a sentence that begins with «What» is no question"),
    ("docs/plain.md", MD + "See what runs. Whatever. `What runs.`\n\n- Who? A reader.\n",
     MD + "It runs.\n\n| who reads it | a tool |\n", 5,
     "a sentence that begins with «who» is no question"),
    ("lib/plain.c", C + "/* A reader (who is it? v1.2 says). */\nint a = f(\"what\");\n",
     C + f"/*\n * A reader. {WHOSE}\n * it was is kept. */\n", 3,
     "a sentence that begins with «Whose» is no question"),
    ("lib/plain_text.c", C + "int a = f(\"read \"\n\"what it has\");\n",
     C + "int a = f(\"what it \"\n\"has read\");\n", 2,
     "a sentence that begins with «what» is no question"),
    ("tests/plain.py", "# SPDX-License-Identifier: MIT\nA = 'whoever reads it, why?'\n",
     f"# SPDX-License-Identifier: MIT\nA = 'it runs'  # {WHOEVER} reads it\n", 2,
     "a sentence that begins with «whoever» is no question"),
    ("tests/plain.sh", "# SPDX-License-Identifier: MIT\n# Ask: who reads it?\n",
     "# SPDX-License-Identifier: MIT\n# It runs.\n# Who reads it is known.\n", 3,
     "a sentence that begins with «Who» is no question"),
    ("lib/help.c", C + f"a = {{ \"a\", KEY_A, \"N\", 0, \"{'a' * 30}\"\n\"{'b' * 30}\", 0 }};\n",
     C + f"a = {{ NULL, 'a', NULL, 0, \"{'a' * 30}\"\n\"{'b' * 31}\", 0 }};\n", 2,
     "an option's help of more than 60 characters"),
    ("lib/help_image.c", C + f"a = {{ \"-a\", NULL, \"N\", \"{'a' * 60}\", f }};\n",
     C + f"#define A \\\n{{ \"--a\", NULL, NULL, \\\n\"{'a' * 61}\", f }}\n", 3,
     "an option's help of more than 60 characters"),
    ("tests/help.py", f"# SPDX-License-Identifier: MIT\nadd('--a', help='{'a' * 60}')\n",
     f"# SPDX-License-Identifier: MIT\nadd('--a', help='{'a' * 61}')\n", 2,
     "an option's help of more than 60 characters"),
]


def style(*options):
    done = subprocess.run([TOP / "tests/style", *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def write(root, broken):
    for name, kept, breach, _, _ in RULES:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(breach if broken and breach else kept)


tap.equal(style(), (0, ""), "the house rules are kept")
with tempfile.TemporaryDirectory() as directory:
    ROOT = pathlib.Path(directory)
    subprocess.run(["git", "init", "--quiet", ROOT], check=True)
    write(ROOT, False)
    tap.equal(style("--root", ROOT), (0, ""), "a small tree that keeps them is found to")
    write(ROOT, True)
    status, text = style("--root", ROOT)
    said = text.splitlines()
    tap.equal(status, 1, "one that does not is not")
    for name, _, breach, line, what in RULES:
        own = [one for one in said if one.startswith(f"{name}:")]
        tap.equal(own, [f"{name}:{line}: {what}"] if breach else [],
                  f"{name}: {what or 'no breach'}")
    tap.equal(len(said), sum(bool(breach) for _, _, breach, _, _ in RULES), "and that is all")
tap.finish()
