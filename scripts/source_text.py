"""What the checkers share: finding the sources, reading them without comments, reporting."""

import re
import sys
import tempfile
from pathlib import Path

SKIPPED_FOLDERS = {".git", ".cache", "build", "runs", "out", "__pycache__"}

_TOKENS = re.compile(
    r'//[^\n]*|/\*.*?\*/'
    r'|R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


def files(root, suffixes, folders=(".",)):
    """Paths under the folders of root, relative to it, with one of the suffixes ('' for none)."""
    found = set()
    for folder in folders:
        for path in (root / folder).rglob("*"):
            relative = path.relative_to(root)
            if path.suffix in suffixes and not SKIPPED_FOLDERS & set(relative.parts) and path.is_file():
                found.add(relative)
    return sorted(found)


def code_of(text, keep_strings=False):
    """C++ text with comments blanked (and strings, unless kept); lines keep their numbers."""
    def blank(match):
        token = match.group()
        if keep_strings and not token.startswith("/"):
            return token
        quotes = '""' if not token.startswith("/") else ""
        return quotes + "\n" * token.count("\n")
    return _TOKENS.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def main(check, samples):
    """Runs `check(root)`, which yields 'file:line: message', on the tree, or tests it with --self-test.

    samples: (file name, text, whether the check must complain) each.
    """
    if "--self-test" in sys.argv[1:]:
        sys.exit(_self_test(check, samples))
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    complaints = list(check(root))
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)


def _self_test(check, samples):
    failed = 0
    for name, text, is_bad in samples:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
            complaints = list(check(Path(folder)))
        if bool(complaints) != is_bad:
            failed += 1
            print(f"{name}: expected {'a complaint' if is_bad else 'none'}, got {complaints}:\n{text}")
    print(f"{len(samples) - failed} of {len(samples)} samples judged right")
    return 1 if failed else 0
