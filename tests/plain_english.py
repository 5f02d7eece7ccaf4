# SPDX-License-Identifier: MIT
"""The part of the Plain English rules that a machine can check, for tests/style.

Two habits are breaches. A sentence begins with "What", "Who", "Whose" or "Whoever" and is no question:
its reader must guess the noun. An option's help text is longer than 60 characters: it wraps.

Sentences are read from pages, manual pages, comments and string literals (messages, help texts, names
of tests). The first word of a comment, a list item, a table's cell or a literal counts in lower case too.
"""

import ast
import io
import itertools
import re
import tokenize

LONGEST_HELP = 60
WORDS = "What|Who|Whose|Whoever"
# the begin of a piece of prose, or the place after a sentence's end
BEGIN = re.compile(rf"(?:^[\s(\"'“*_`>#|-]*(?i:{WORDS})|(?<=[.!?])\s+[(\"“*_]*(?:{WORDS}))(?![\w'’-])")
END = re.compile(r"[.!](?=[\s\"”)*_]|$)|\?|$")
NOT_CODE = re.compile(r"```.*?```|^(?: {4}|\t).*?$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
MD_PIECE = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*>#|]|\d+\.)[ \t])|\|")
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
OPTION = re.compile(rf"\{{\s*(?:{LITERAL}|NULL|0),\s*[^,{{}}\"]+,\s*(?:{LITERAL}|NULL|0),\s*[^,{{}}\"]+,"
                    rf"\s*((?:{LITERAL}\s*)+)(?:,\s*[^,{{}}]+)?\}}")
# the image's own options: short or long name, long name, argument, help
IMAGE_OPTION = re.compile(rf"\{{\s*\"-(?:[^\"\\\n]|\\.)*\",\s*(?:{LITERAL}|NULL),\s*(?:{LITERAL}|NULL),\s*"
                          rf"((?:{LITERAL}\s*)+),")
ADJACENT = re.compile(rf"{LITERAL}(?:\s*{LITERAL})*")
FEW_WORDS = 3  # a literal with fewer words is a key or a name


def blank(match):
    """The match as spaces, so that the lines of a text keep their numbers."""
    return re.sub(r"[^\n]", " ", match.group(0))


def split(text, at, pattern):
    """The pieces of a text between the matches of a pattern: (offset, piece)."""
    begin = 0
    for match in pattern.finditer(text):
        yield at + begin, text[begin:match.start()]
        begin = match.end()
    yield at + begin, text[begin:]


def page_pieces(text):
    text = NOT_CODE.sub(lambda code: code.group(0)[0] + "x" * (len(code.group(0)) - 2) + code.group(0)[-1]
                        if code.group(0)[0] == "`" and "\n" not in code.group(0) else blank(code), text)
    yield from split(text, 0, MD_PIECE)


def manual_pieces(text):
    """Paragraphs of a manual page. Each macro's line is a separate piece, except for fonts in a
    sentence."""
    text = re.sub(r"^\.(?:nf|EX)\n.*?^\.(?:fi|EE)$", blank, text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^\.(?:B|I|BR|RB|IR|RI|BI|IB) ", blank, text, flags=re.MULTILINE)
    text = re.sub(r"\\f[BIRP]", blank, text)
    yield from split(text, 0, re.compile(r"^\.[^\n]*$", re.MULTILINE))


def c_pieces(text):
    """Each paragraph of a comment, and each string literal; adjacent literals are joined."""
    comments = re.sub(ADJACENT, blank, text)
    code = re.sub(r"/\*.*?\*/|//[^\n]*", blank, text, flags=re.DOTALL)
    for comment in re.finditer(r"/\*.*?\*/|//[^\n]*", comments, re.DOTALL):
        bare = re.sub(r"^/[*/]+|\*/$|^[ \t]*\*", blank, text[comment.start():comment.end()],
                      flags=re.MULTILINE)
        yield from split(bare, comment.start(), re.compile(r"\n[ \t]*\n"))
    for literal in ADJACENT.finditer(code):
        said = re.sub(r'"\s*"', blank, literal.group(0)).replace("\\n", "  ")
        if len(said.split()) >= FEW_WORDS:
            yield literal.start() + 1, said[1:-1]


def hash_pieces(text):
    """Comments behind #: of Python, shell and make. Lines that follow each other are one piece."""
    for block in re.finditer(r"(?:^[ \t]*#(?!!)[^\n]*\n?)+|[ \t]#[ \t][^\n]*", text, re.MULTILINE):
        bare = re.sub(r"^[ \t]*#+", blank, block.group(0), flags=re.MULTILINE)
        yield from split(bare, block.start(), re.compile(r"\n[ \t]*\n"))


def python_pieces(text):
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.STRING:
            continue
        at = starts[token.start[0] - 1] + token.start[1]
        said = re.sub(r"^\w*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$", blank, token.string)
        if len(said.split()) >= FEW_WORDS:
            yield from split(said, at, re.compile(r"\n[ \t]*\n"))
    yield from hash_pieces(text)


def pieces(path, text):
    """The places where a file has prose: (offset, piece)."""
    if path.suffix == ".md":
        return page_pieces(text)
    if re.fullmatch(r"\.[1-9]", path.suffix):
        return manual_pieces(text)
    if path.suffix in {".c", ".h", ".S", ".js", ".css", ".ld", ".pml"}:
        return c_pieces(text)
    if path.suffix == ".py" or re.match(r"#!.*python", text):
        return python_pieces(text)
    if path.suffix in {".mk", ".sh", ".yml"} or path.name == "Makefile" or text.startswith("#!"):
        return hash_pieces(text)
    return ()


def guesses(path, text):
    """Sentences whose reader must guess the noun: (line, breach)."""
    for at, piece in pieces(path, text):
        for begin in BEGIN.finditer(piece):
            end = END.search(piece, begin.end())
            if end.group(0) != "?":
                word = re.search(rf"(?i:{WORDS})$", begin.group(0))
                yield (text.count("\n", 0, at + word.start() + begin.start()) + 1,
                       f"a sentence that begins with «{word.group(0)}» is no question")


def help_texts(path, text):
    """Each option's help text: (line, help). argp's in C, argparse's in Python."""
    if path.suffix in {".c", ".h"}:
        flat = text.replace("\\\n", " \n")  # also lines of macros
        for option in itertools.chain(OPTION.finditer(flat), IMAGE_OPTION.finditer(flat)):
            said = "".join(re.findall(LITERAL, option.group(1))).replace('""', "")
            yield text.count("\n", 0, option.start()) + 1, said[1:-1].replace('\\"', '"')
    elif path.suffix == ".py" or re.match(r"#!.*python", text):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.keyword) and node.arg == "help" and isinstance(node.value, ast.Constant):
                yield node.value.lineno, str(node.value.value)


def breaches(path, text):
    """Each breach in a file: (line, breach)."""
    yield from guesses(path, text)
    for number, said in help_texts(path, text):
        if len(said) > LONGEST_HELP:
            yield number, f"an option's help of more than {LONGEST_HELP} characters"
