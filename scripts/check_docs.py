#!/usr/bin/env python3
"""Runs the commands that the documentation shows, and compares what they print.

  check_docs.py [--program PATH] [FILE.md...]

Looked at are lines `$ fenceline ...` in fenced blocks, and what stands below them up to the next such line. That
has to be in the output, with any line breaks and spaces; `...` stands for anything. The commands of a page run one
after another in one folder. Default: README.md and all of docs.

Exit status: 0 all as shown, 1 something is not, 2 usage.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ fenceline ((?:.*\\\n)*.*)\n", re.MULTILINE)
BY_HAND = {"step"}  # asks for input
CANNOT_SEARCH = "does not run under a sanitizer"
LIMIT = 3000  # [s] of one command, by the clock: a busy machine is no failure


def shown(text):
    """(arguments, what is shown of the output) of each command of a page."""
    for block in BLOCK.findall(text):
        parts = COMMAND.split(block)
        for arguments, output in zip(parts[1::2], parts[2::2]):
            yield shlex.split(arguments.replace("\\\n", " ")), output


def missing(output, printed):
    """The first part of `output` that is not in `printed`, in order; None if all are."""
    printed = " ".join(printed.split())
    at = 0
    for part in output.split("..."):
        part = " ".join(part.split())
        found = printed.find(part, at)
        if found < 0:
            return part
        at = found + len(part)
    return None


def problems(page, program):
    with tempfile.TemporaryDirectory(prefix="check_docs.") as folder:
        (pathlib.Path(folder) / "scenarios").symlink_to(ROOT / "scenarios")
        left_out = []  # folders that a search would have written
        for arguments, output in shown(page.read_text()):
            if arguments[0] in BY_HAND or any(word.startswith(tuple(left_out)) for word in arguments):
                continue
            done = subprocess.run([str(program), *arguments], cwd=folder, capture_output=True, text=True,
                                  timeout=LIMIT, check=False)
            if CANNOT_SEARCH in done.stderr:
                left_out += [after for word, after in zip(arguments, arguments[1:]) if word == "--out"]
                continue
            part = missing(output, done.stdout + done.stderr)
            if part is not None:
                yield f"{page.relative_to(ROOT)}: fenceline {shlex.join(arguments)} does not print\n    {part}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/fenceline")
    parser.add_argument("pages", nargs="*", type=pathlib.Path, metavar="FILE.md")
    options = parser.parse_args()
    pages = [page.resolve() for page in options.pages] or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    found = [problem for page in pages for problem in problems(page, options.program.resolve())]
    print("\n".join(found) or f"{sum(len(list(shown(page.read_text()))) for page in pages)} commands print what is shown")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
