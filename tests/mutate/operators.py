# SPDX-License-Identifier: MIT
"""Small faults in C code, made from its tokens.

There is no parser: clang-format's spaces show the meaning of `*`, `&` and `-` (spaces on both
sides: an operator with two operands). Each Mutant replaces one span of the text. Only the compiler
decides whether it compiles."""

import dataclasses
import re

TOKEN = re.compile(
    r"""(?P<space>\s+|\\\n)
      | (?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<text>L?"(?:\\.|[^"\\])*"|L?'(?:\\.|[^'\\])*')
      | (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL,
)

BINARY = {
    "<": ("<=",), "<=": ("<",), ">": (">=",), ">=": (">",), "==": ("!=",), "!=": ("==",),
    "&&": ("||",), "||": ("&&",),
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("/",),
    "<<": (">>",), ">>": ("<<",), "&": ("|",), "|": ("&",), "^": ("|",),
    "+=": ("-=",), "-=": ("+=",), "*=": ("/=",), "/=": ("*=",), "|=": ("&=",), "&=": ("|=",),
    "<<=": (">>=",), ">>=": ("<<=",),
}
WORDS = {
    "true": "false", "false": "true",
    "__ATOMIC_ACQUIRE": "__ATOMIC_RELAXED", "__ATOMIC_RELEASE": "__ATOMIC_RELAXED",
    "__ATOMIC_SEQ_CST": "__ATOMIC_RELAXED", "__ATOMIC_ACQ_REL": "__ATOMIC_RELAXED",
    "memory_order_acquire": "memory_order_relaxed",
    "memory_order_release": "memory_order_relaxed",
    "memory_order_seq_cst": "memory_order_relaxed",
}
FENCES = {"ring_barrier", "arch_fence", "arch_reg_sync", "__atomic_thread_fence",
          "__atomic_signal_fence", "atomic_thread_fence"}
# Words that begin no statement that could be left out.
NO_STATEMENT = set("""if else for while do switch case default goto struct union enum static const
    extern typedef unsigned signed int long short char bool void volatile register inline sizeof
    _Static_assert static_assert __asm__ _Atomic""".split())
NO_CALL = NO_STATEMENT | {"return", "__attribute__", "__builtin_offsetof", "offsetof"}


@dataclasses.dataclass(frozen=True)
class Mutant:
    """text[start:end] of the file becomes new; function: the function that contains it, or the
    object that it initializes, such as a table; before and after are the changed lines, joined."""

    file: str
    start: int
    end: int
    new: str
    operator: str
    function: str
    line: int
    last_line: int
    before: str
    after: str
    in_object: bool = False

    def identity(self):
        """A key that stays the same when lines are added elsewhere."""
        return f"{self.file}\t{self.function}\t{self.before}\t{self.after}"

    def apply(self, text):
        return text[: self.start] + self.new + text[self.end:]


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int
    function: str = ""  # "" outside of functions and of objects' initializers
    directive: bool = False


def tokens(text):
    """All tokens except space and comments; tokens of a preprocessor directive are marked."""
    found, at, directive = [], 0, False
    while at < len(text):
        match = TOKEN.match(text, at)
        kind, word = match.lastgroup, match.group()
        if kind == "space" and "\n" in word and not word.startswith("\\"):
            directive = False
        elif kind == "comment" and word.startswith("//"):
            pass
        elif kind not in ("space", "comment"):
            line_start = text.rfind("\n", 0, at) + 1
            if word == "#" and not text[line_start:at].strip():
                directive = True
            found.append(Token(kind, word, at, match.end(), directive=directive))
        at = match.end()
    return found


def opener_of(toks, at):
    """Index of the bracket that closes at `at`."""
    depth = 0
    for i in range(at, -1, -1):
        if toks[i].text in ")]}":
            depth += 1
        elif toks[i].text in "([{":
            depth -= 1
            if not depth:
                return i
    return -1


def closer_of(toks, at):
    depth = 0
    for i in range(at, len(toks)):
        if toks[i].text in ("(", "[", "{"):
            depth += 1
        elif toks[i].text in (")", "]", "}"):
            depth -= 1
            if not depth:
                return i
    return len(toks) - 1


def owner_of(toks, brace):
    """The owner of a block at file level: the name of a function or an object, or ""."""
    before = brace - 1
    if before < 0:
        return ""
    if toks[before].text == ")":
        opened = opener_of(toks, before)
        while opened > 0 and toks[opened - 1].text in ("__attribute__", ")"):
            opened = opener_of(toks, opened - 2)
        return toks[opened - 1].text if opened > 0 else ""
    if toks[before].text == "=":
        while before > 0 and toks[before - 1].text == "]":
            before = opener_of(toks, before - 1)
        return toks[before - 1].text
    return ""


def name_functions(toks):
    """Fill in each token's function; returns the names that are objects."""
    objects = set()
    code = [t for t in toks if not t.directive]
    at = 0
    while at < len(code):
        if code[at].text != "{":
            at += 1
            continue
        end = closer_of(code, at)
        owner = owner_of(code, at)
        if code[at - 1].text == "=":
            objects.add(owner)
        for token in code[at: end + 1]:
            token.function = owner
        at = end + 1
    return objects


class Generator:
    """All mutants of one file."""

    def __init__(self, file, text):
        self.file, self.text = file, text
        every = tokens(text)
        self.objects = name_functions(every)
        self.code = [t for t in every if not t.directive]
        self.macros = [t for t in every if t.directive]
        self.line_starts = [0] + [m.end() for m in re.finditer("\n", text)]

    def line_of(self, offset):
        low, high = 0, len(self.line_starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.line_starts[middle] <= offset else (low, middle)
        return low + 1

    def mutant(self, start, end, new, operator, function):
        first = self.text.rfind("\n", 0, start) + 1
        last = self.text.find("\n", end)
        last = len(self.text) if last < 0 else last
        before = " ".join(self.text[first:last].split())
        after = " ".join((self.text[first:start] + new + self.text[end:last]).split())
        return Mutant(self.file, start, end, new, operator, function, self.line_of(start),
                      self.line_of(end - 1), before, after, function in self.objects)

    def all(self):
        found = []
        for at, token in enumerate(self.code):
            if token.function:
                found += self.of_token(self.code, at)
                found += self.of_statement(at)
                found += self.of_call(at)
        if self.file.endswith(".c"):
            found += self.of_macros()
        return [m for m in found if m.before != m.after]

    def spaced(self, token):
        return (self.text[token.start - 1: token.start].isspace() and
                self.text[token.end: token.end + 1].isspace())

    def of_token(self, toks, at):
        token = toks[at]

        def one(new, operator, end=token.end):
            return self.mutant(token.start, end, new, operator, token.function or "#define")

        if token.kind == "number":
            yield from (one(new, "constant") for new in neighbours(token.text))
        elif token.text in WORDS:
            kind = "order" if "emory" in token.text or "ATOMIC" in token.text else "constant"
            yield one(WORDS[token.text], kind)
        elif token.text in BINARY and self.spaced(token):
            kind = {"&&": "logic", "||": "logic"}.get(
                token.text, "relation" if token.text in ("<", "<=", ">", ">=", "==", "!=")
                else "arithmetic")
            yield from (one(new, kind) for new in BINARY[token.text])
        elif token.text in ("++", "--"):
            yield one("--" if token.text == "++" else "++", "arithmetic")
        elif token.text == "!" and not self.spaced(token):
            yield one("", "logic")
        elif token.text == "~":
            yield one("", "arithmetic")

    def of_macros(self):
        """Bodies of #define."""
        for at, token in enumerate(self.macros):
            start = self.text.rfind("\n", 0, token.start) + 1
            while self.text[start - 2: start - 1] == "\\":
                start = self.text.rfind("\n", 0, start - 1) + 1
            name = re.match(r"#\s*define\s+\w+(\([^)]*\))?", self.text[start:])
            if name and token.start >= start + name.end():
                yield from self.of_token(self.macros, at)

    # ---- Statements ----

    def begins_statement(self, at):
        before = self.code[at - 1]
        if before.text in ("{", "}", ";", "else", "do"):
            return True
        if before.text == ":":  # a label's colon, not a conditional's
            return self.code[at - 2].kind in ("word", "number") and self.code[at - 3].text in (
                "case", "default", ";", "{", "}")
        if before.text == ")":
            opened = opener_of(self.code, at - 1)
            return self.code[opened - 1].text in ("if", "for", "while", "switch")
        return False

    def end_of_statement(self, at):
        while at < len(self.code) and self.code[at].text != ";":
            at = closer_of(self.code, at) if self.code[at].text in "([{" else at
            at += 1
        return at

    def is_declaration(self, at, end):
        first, second = self.code[at], self.code[at + 1]
        if first.kind == "word" and second.kind == "word":
            return True
        return (first.kind == "word" and second.text == "*" and at + 2 < end and
                not self.text[second.end].isspace())

    def in_block(self, at):
        """Not in an initializer, where `{` and `,` have another meaning."""
        depth = 0
        for i in range(at - 1, -1, -1):
            if self.code[i].text in (")", "]", "}"):
                depth += 1
            elif self.code[i].text in ("(", "[", "{"):
                if not depth:
                    return self.code[i].text == "{" and self.code[i - 1].text not in (
                        "=", ",", "(", "{") and not self.is_literal(i)
                depth -= 1
        return False

    def is_literal(self, brace):
        """A compound literal's brace: `(struct x){`."""
        if self.code[brace - 1].text != ")":
            return False
        opened = opener_of(self.code, brace - 1)
        return self.code[opened - 1].text in ("=", "(", ",", "return", "&", "?", ":")

    def of_statement(self, at):
        token = self.code[at]
        if token.text in ("if", "while") and self.code[at + 1].text == "(":
            end = closer_of(self.code, at + 1)
            opened, closed = self.code[at + 1], self.code[end]
            inner = self.text[opened.end: closed.start]
            if "&&" in inner or "||" in inner or not re.search(r"^!|[!=]=", inner):
                yield self.mutant(opened.end, closed.start, f"!({inner})", "condition",
                                  # otherwise this is the other half of `==` or `!=`
                                  token.function)
            return
        if not self.begins_statement(at) or not self.in_block(at):
            return
        end = self.end_of_statement(at)
        if end >= len(self.code):
            return
        if token.text == "return":
            yield from self.of_return(at, end)
        elif token.text in ("break", "continue"):
            yield self.mutant(token.start, token.end, "", "statement", token.function)
        elif (token.kind == "word" and token.text not in NO_STATEMENT and
              self.code[at + 1].text != ":" and
              not self.is_declaration(at, end)) or token.text in ("*", "++", "--", "("):
            kind = "fence" if token.text in FENCES else "statement"
            yield self.mutant(token.start, self.code[end].start, "", kind, token.function)

    def of_return(self, at, end):
        value = self.text[self.code[at + 1].start: self.code[end].start]
        if end == at + 1:
            yield self.mutant(self.code[at].start, self.code[at].end, "", "statement",
                              self.code[at].function)
        elif value not in ("0", "NULL", "false", "1", "true"):
            yield self.mutant(self.code[at + 1].start, self.code[end].start, "0", "return",
                              self.code[at].function)

    # ---- Calls ----

    def of_call(self, at):
        token = self.code[at]
        if token.kind != "word" or token.text in NO_CALL or self.code[at + 1].text != "(":
            return
        spans, start, i = [], at + 2, at + 2
        end = closer_of(self.code, at + 1)
        while i <= end:
            if i == end or self.code[i].text == ",":
                if i > start:
                    spans.append((self.code[start].start, self.code[i - 1].end))
                start = i + 1
            elif self.code[i].text in ("(", "[", "{"):
                i = closer_of(self.code, i)
            i += 1
        for (a, b), (c, d) in zip(spans, spans[1:]):
            first, between, second = self.text[a:b], self.text[b:c], self.text[c:d]
            if first != second:
                yield self.mutant(a, d, second + between + first, "swap", token.function)


def neighbours(number):
    """The number plus one, and minus one unless that is negative."""
    digits = re.match(r"0[xX][0-9a-fA-F]+|\d+", number).group()
    suffix = number[len(digits):]
    try:
        value = int(digits, 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10)
    except ValueError:
        return
    for new in (value + 1, value - 1):
        if new >= 0:
            yield (hex(new) if digits[:2] in ("0x", "0X") else str(new)) + suffix


def mutants(file, text):
    """Every mutant of a file's text, in order, without duplicates."""
    unique = {}
    for mutant in Generator(file, text).all():
        unique.setdefault((mutant.start, mutant.end, mutant.new), mutant)
    return sorted(unique.values(), key=lambda m: (m.start, m.end, m.new))
