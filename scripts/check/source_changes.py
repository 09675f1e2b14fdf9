"""Changes of one condition in C++ text, for scripts/check/mutations: what can be changed, and the text after it."""
import collections
import functools
import re

import runner

Change = collections.namedtuple("Change", "start end text")
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
SWAPPED = re.compile(r"(?<=\s)(?:<=|>=|<|>|==|!=|&&|\|\|)(?=\s)")
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|'
                     r"^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
NO_CONDITION = re.compile(r"\b(?:static_assert|assert|noexcept|alignas|operator)\s*\(|\btemplate\s*<")
DECLARATION = re.compile(r"\s*(?:const\s+)?[\w:]+(?:<.*>)?[\s*&]+(\w+)\s*=(?!=)", re.DOTALL)
LEAVES = re.compile(r"\s*(?:\{\s*(?:return|continue|break)\b(?:[^;{}]|\{[^{}]*\})*;\s*\}|"
                    r"(?:return|continue|break)\b(?:[^;{}]|\{[^{}]*\})*;)")
BRACKETS = {"(": ")", "<": ">", "{": "}", "[": "]"}


def closing(code, start):
    """Position of the bracket that closes the one at `start`."""
    opens, closes, depth = code[start], BRACKETS[code[start]], 0
    for place in range(start, len(code)):
        depth += (code[place] == opens) - (code[place] == closes)
        if depth == 0:
            return place
    raise runner.Problem(f"bracket at {start} is never closed")


def code_of(source):
    """The source with blanks for all that is no code to change."""
    blank = functools.partial(re.sub, r"[^\n]", " ")
    code = NO_CODE.sub(lambda found: blank(found[0]), source)
    for found in list(NO_CONDITION.finditer(code)):
        end = closing(code, found.end() - 1) + 1
        code = code[:found.start()] + blank(code[found.start():end]) + code[end:]
    return code


def negated(source, code, start, end):
    """The condition in source[start:end], negated; it may follow an initialiser or declare a variable."""
    depth, first = 0, start
    for place in range(start, end):
        depth += (code[place] in "({[") - (code[place] in ")}]")
        if code[place] == ";" and depth == 0:
            first = place + 1
    condition = source[first:end].strip()
    declared = DECLARATION.match(code[first:end])
    if declared:
        return Change(start, end, f"{source[start:end]}; !{declared[1]}")
    return Change(start, end, f"{source[start:first]}{' ' if first != start else ''}!({condition})")


def start_of_condition(code, place):
    """Where the condition begins whose question mark is at `place`."""
    depth, at = 0, place - 1
    while at >= 0:
        letter = code[at]
        depth += (letter in ")}]") - (letter in "({[")
        if depth < 0 or depth == 0 and letter in ";,?}":
            return at + 1
        if depth == 0 and letter == ":" and ":" not in (code[at - 1], code[at + 1]):
            return at + 1
        if depth == 0 and letter == "=" and code[at + 1] != "=" and code[at - 1] not in "=<>!":
            return at + 1
        if depth == 0 and re.match(r"return\b", code[at:]) and not re.match(r"\w", code[at - 1]):
            return at + len("return")
        at -= 1
    return 0


def conditions(source, code):
    for found in re.finditer(r"\b(if|while)\s*\(", code):
        start, end = found.end(), closing(code, found.end() - 1)
        if [word[0] for word in SWAPPED.finditer(code, start, end)] not in (["=="], ["!="]):  # these are swapped
            yield negated(source, code, start, end)
        left = LEAVES.match(code, end + 1)
        if found[1] == "if" and left and not re.match(r"\s*else\b", code[left.end():]):
            yield Change(found.start(), left.end(), ";")
    for found in re.finditer(r"\?", code):
        start = start_of_condition(code, found.start())
        text = source[start:found.start()]
        yield Change(start + len(text) - len(text.lstrip()), found.start(), f"!({text.strip()}) ")


def words(code):
    for found in SWAPPED.finditer(code):
        yield Change(*found.span(), SWAPS[found[0]])
    for found in re.finditer(r"(?<=\s)[+-](?=\s1(?:[uU]?[lL]{0,2})\b(?!['.]))", code):
        yield Change(*found.span(), {"+": "-", "-": "+"}[found[0]])
    for found in re.finditer(r"\b(?:true|false)\b", code):
        yield Change(*found.span(), {"true": "false", "false": "true"}[found[0]])
    for found in re.finditer(r"(?<![\w.'])(?:0[xX][0-9a-fA-F']+|\d[\d']*)([uUlL]*)(?![\w.']|>)", code):
        before = code[:found.start()]
        if before.endswith("<") or (found[0].rstrip("uUlL") == "1" and re.search(r"\s[+-]\s$", before)):
            continue  # a template argument, or what + 1 with - 1 changes
        number = int(found[0][:len(found[0]) - len(found[1])].replace("'", ""), 0)
        yield Change(*found.span(), f"{number + 1}{found[1]}")


def changes_of(source):
    """The changes in order of place."""
    code = code_of(source)
    return sorted({*conditions(source, code), *words(code)})


def apply(source, change):
    return source[:change.start] + change.text + source[change.end:]


def line_of(source, change):
    return source.count("\n", 0, change.start) + 1


def shown(source, change):
    """Before and after: the lines of the change, as one."""
    start = source.rfind("\n", 0, change.start) + 1
    end = (source + "\n").index("\n", change.end)
    lines = (source[start:end], source[start:change.start] + change.text + source[change.end:end])
    return " => ".join(" ".join(line.split()) for line in lines)


def named(source, changes):
    """The text of each change; a number tells those apart that read the same."""
    seen = collections.Counter()
    for change in changes:
        text = shown(source, change)
        seen[text] += 1
        yield text if seen[text] == 1 else f"{text} #{seen[text]}"
