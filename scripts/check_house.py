#!/usr/bin/env python3
"""Checks sizes, leftovers, paths of somebody's machine, and the names of test cases."""

import re

import source_text

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
GENERATED = re.compile(r"// Written by `scripts/\w")  # the first line of data that a script embeds
CPP = {".h", ".cpp"}
CODE = CPP | {".py", ".cmake"}
TEXT = CODE | {"", ".md", ".json", ".txt", ".in", ".supp", ".yml", ".html", ".js"}

LEFTOVER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
# A comment that ends like a statement and looks like one; prose seldom does both. An example in a
# comment is set in by two spaces or more.
DEAD_CODE = re.compile(
    r"^[ \t]*//+ ?(?:[\w:<>.\->\[\]]+\(.*\);|[\w:<>.\->\[\]]+ [+\-*/|&]?= [^.]*;|return\b[^.]*;"
    r"|\}|(?:if|for|while) \(.*\) \{?|#include .*)[ \t]*$", re.MULTILINE)
OWN_PATH = re.compile(r"(?<![\w.$}~*:/-])/(?:ho" r"me|ro" r"ot|wo" r"rk|tm" r"p|mnt|Users|opt)/\w")
TEST_NAME = re.compile(r'\bTEST_CASE\(\s*"((?:\\.|[^"\\])*)"')
GOOD_NAME = re.compile(r"[-A-Za-z0-9 :_]+")
NOT_A_FUNCTION = re.compile(r"\b(?:namespace|class|struct|union|enum)\b[^()]*$|\bextern\s*$|=\s*$")


def functions(code):
    """(first line, lines) of each function body: '{' after a parameter list, outside any other body."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m.group().count("\n"), code,
                  flags=re.MULTILINE)
    offset = 0
    head_start = 0
    while offset < len(code):
        character = code[offset]
        if character == "{":
            head = code[head_start:offset]
            is_function = ")" in head and not NOT_A_FUNCTION.search(head)
            is_initializer = is_function and offset > 0 and not code[offset - 1].isspace()
            if is_function:
                end = end_of_braces(code, offset)
                if not is_initializer:
                    yield (source_text.line_of(code, offset),
                           code.count("\n", offset, end) + 1)
                    head_start = end
                offset = end
                continue
        if character in ";{}":
            head_start = offset + 1
        offset += 1


def end_of_braces(code, offset):
    depth = 0
    for position in range(offset, len(code)):
        depth += {"{": 1, "}": -1}.get(code[position], 0)
        if depth == 0:
            return position + 1
    return len(code)


def check_text(path, text):
    for match in LEFTOVER.finditer(text):
        yield f"{path}:{source_text.line_of(text, match.start())}: {match.group()}: finish it or drop it"
    for match in OWN_PATH.finditer(text):
        yield f"{path}:{source_text.line_of(text, match.start())}: a path of one machine"


def check_cpp(path, text):
    for match in DEAD_CODE.finditer(text):
        yield f"{path}:{source_text.line_of(text, match.start())}: looks like code in a comment"
    for line, length in functions(source_text.code_of(text)):
        if not GENERATED.match(text) and length > MAX_FUNCTION_LINES:
            yield f"{path}:{line}: a function of {length} lines; {MAX_FUNCTION_LINES} at most"
    if path.suffix == ".h" and "#pragma once" not in text:
        yield f"{path}:1: no #pragma once"


def check_test_names(path, text, seen):
    for match in TEST_NAME.finditer(source_text.code_of(text, keep_strings=True)):
        name = match.group(1)
        where = f"{path}:{source_text.line_of(text, match.start())}"
        if not GOOD_NAME.fullmatch(name):
            yield f"{where}: test name '{name}': letters, digits, spaces and :-_ only"
        key = (path.parts[:2], name)
        if key in seen:
            yield f"{where}: test name '{name}' is taken by {seen[key]}"
        seen[key] = where


def check(root):
    test_names = {}
    for path in source_text.files(root, TEXT):
        try:
            text = (root / path).read_text()
        except UnicodeDecodeError:
            continue
        if path.name != "LICENSE":
            yield from check_text(path, text)
        is_code = path.suffix in CODE or text.startswith("#!")
        lines = text.count("\n")
        if is_code and not GENERATED.match(text) and lines > MAX_FILE_LINES:
            yield f"{path}:1: {lines} lines; {MAX_FILE_LINES} at most"
        if path.suffix in CPP:
            yield from check_cpp(path, text)
            yield from check_test_names(path, text, test_names)


def _function_of(lines):
    return "#pragma once\n#include <a>\nA::A(int b) : b_{b}, c_(1) {\n" + "  f();\n" * (lines - 2) + "}\n"


SAMPLES = [
    ("models/a/a.h", _function_of(51), True),
    ("models/a/a.h", _function_of(50), False),
    ("models/a/a.h", "#pragma once\nstruct A {\n" + "  int f();\n" * 60 + "};\n", False),
    ("models/a/a.h", "#pragma once\nconst int a[] = {\n" + "  f(1),\n" * 60 + "};\n", False),
    ("models/a/a.h", "int no_guard;\n", True),
    ("models/a/a.cpp", "int a;\n" * 401, True),
    ("models/a/a.cpp", "int a;\n" * 400, False),
    ("models/a/a.cpp", "// Written by `scripts/x`.\n" + "int a;\n" * 401, False),
    ("models/a/a.cpp", "// TO" "DO later\n", True),
    ("models/a/a.cpp", "// count_ = 3;\n", True),
    ("models/a/a.cpp", "// ring_doorbell(3);\n", True),
    ("models/a/a.cpp", "// Use it so:\n//   ring_doorbell(3);\n", False),
    ("models/a/a.cpp", "// The ring wraps at size; the tail follows (2.1).\n", False),
    ("scenarios/x/a.json", '{"out": "/ho' 'me/me/run"}\n', True),
    ("docs/x/a.md", "scripts/build, models/top and `build/tmp/x`, http://a.b/home/x\n", False),
    ("tb/unit/a.cpp", 'TEST_CASE("one; two", "[a]") {}\n', True),
    ("tb/unit/a.cpp", 'TEST_CASE("one") {}\nTEST_CASE("one") {}\n', True),
    ("tb/unit/a.cpp", 'TEST_CASE("one: a-b_c 2", "[a]") {}\n', False),
]

if __name__ == "__main__":
    source_text.main(check, SAMPLES)
