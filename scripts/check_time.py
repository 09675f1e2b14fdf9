#!/usr/bin/env python3
"""Checks that time passes through Steps only: no bare wait, notify or next_trigger elsewhere."""

import re

import source_text

# The driver is not among the folders: it cannot include SystemC (check_includes.py), so a notify() of
# its own is another thing.
FOLDERS = ("models", "tb")

# Steps itself, the doubles of the tests, and the floor that benchmarks compare with.
EXEMPT = ("models/common/", "tb/support/", "tb/bench/", "tb/package")

# A declaration or definition has its return type or class before the name; a call has not.
CALL = re.compile(
    r"(?:(?:sc_core::|sc_module::|this->)|(?P<type>\b[\w>&*]+[ \t]+)|(?<![\w.:>~]))"
    r"(?P<name>wait|next_trigger|notify)[ \t]*\(")
MEMBER = re.compile(r"(?:\.|->)(?P<name>notify|notify_delayed|next_trigger)[ \t]*\(")
NOT_A_TYPE = {"return", "else", "do", "co_return", "throw"}


def calls(code):
    for match in CALL.finditer(code):
        before = (match.group("type") or "").strip()
        if not before or before in NOT_A_TYPE:
            yield match
    yield from MEMBER.finditer(code)


def check(root):
    for path in source_text.files(root, {".h", ".cpp"}, FOLDERS):
        if str(path).startswith(EXEMPT):
            continue
        code = source_text.code_of((root / path).read_text())
        for call in calls(code):
            yield (f"{path}:{source_text.line_of(code, call.start('name'))}: bare "
                   f"{call.group('name')}(): time passes through Steps only")


SAMPLES = [
    ("models/cmp/a.cpp", "void A::run() { wait(now); }\n", True),
    ("models/cmp/a.cpp", "void A::run() {\n  sc_core::wait(1, SC_NS);\n}\n", True),
    ("models/cmp/a.cpp", "void A::run() { changed_.notify(SC_ZERO_TIME); }\n", True),
    ("models/cmp/a.cpp", "void A::run() { event->notify(); }\n", True),
    ("models/cmp/a.cpp", "void A::run() { this->next_trigger(e); }\n", True),
    ("models/cmp/a.cpp", "int f() { return wait (1), 0; }\n", True),
    ("models/cmp/a.cpp", "// we wait(here)\nconst char* text = \"wait(now)\";\n", False),
    ("models/cmp/a.cpp", "void wait(int);\nStatus User::wait(int) {}\nuser.wait(3);\n", False),
    ("models/cmp/a.cpp", "await(x); wait_for(x); notify_os(x); steps.wait(x);\n", False),
    ("models/common/a.cpp", "void A::run() { wait(now); }\n", False),
    ("kmd_stub/core/a.cpp", "void A::run() { notify(argument); }\n", False),
    ("tb/os/a.cpp", "void A::run() { wait(now); }\n", True),
]

if __name__ == "__main__":
    source_text.main(check, SAMPLES)
