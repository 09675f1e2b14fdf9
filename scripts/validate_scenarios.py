#!/usr/bin/env python3
"""Validates scenario files against scenarios/schema/scenario.schema.json with an independent validator.

  validate_scenarios.py [FILE...]   validates the files; without any, every scenario under scenarios/
  validate_scenarios.py --embed     writes tb/scenario/profiles_builtin.cpp from scenarios/profiles/

Exit status: 0 all valid, 1 a file is not, 2 usage or python3-jsonschema is missing.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "scenarios/schema/scenario.schema.json"
PROFILES = ROOT / "scenarios/profiles"
EMBEDDED = ROOT / "tb/scenario/profiles_builtin.cpp"

HEAD = """// Written by `scripts/validate_scenarios.py --embed` from scenarios/profiles: edit those, not this.
// Without their descriptions and citations.
#include "tb/scenario/profiles.h"

#include <iterator>

namespace fenceline::scenario {

namespace {

constexpr BuiltinProfile kProfiles[]{
"""
TAIL = """};

}  // namespace

const std::vector<BuiltinProfile>& builtin_profiles() {
  static const std::vector<BuiltinProfile> profiles(std::begin(kProfiles), std::end(kProfiles));
  return profiles;
}

}  // namespace fenceline::scenario
"""


def without_citations(value):
    """A profile's values alone."""
    if isinstance(value, list):
        return [without_citations(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {k: without_citations(v) for k, v in value.items() if k not in ("source", "description")}


def compact(value, indent=0, before=0):
    """JSON in few lines of at most 96 columns; `before`: what stands on the line already."""
    line = json.dumps(value)
    if len(line) + indent + before <= 96 or not isinstance(value, (dict, list)):
        return line
    pad = "\n" + " " * (indent + 1)
    if isinstance(value, list):
        return "[" + ("," + pad).join(compact(element, indent + 1) for element in value) + "]"
    members = (json.dumps(k) + ": " + compact(v, indent + 1, len(k) + 4) for k, v in value.items())
    return "{" + ("," + pad).join(members) + "}"


def embedded_text():
    """The C++ source that holds every profile."""
    text = HEAD
    for path in sorted(PROFILES.glob("*/*.json")):
        profile = compact(without_citations(json.loads(path.read_text(encoding="utf-8"))))
        text += f'    {{"{path.parent.name}", "{path.stem}", R"json(\n{profile})json"}},\n'
    return text + TAIL


def scenario_files():
    """Every scenario: all JSON under scenarios/ but schema and profiles."""
    skipped = {"schema", "profiles"}
    base = ROOT / "scenarios"
    return [p for p in sorted(base.rglob("*.json")) if p.relative_to(base).parts[0] not in skipped]


def reject_duplicates(pairs):
    """Makes a dictionary; a key that is given twice is an error, as it is for fenceline."""
    result = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"duplicate key {key!r}")
        result[key] = value
    return result


def problem_of(path, validator):
    """What is wrong with a file, or None."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=reject_duplicates)
    except (OSError, ValueError, RecursionError) as error:
        return f"{path}: {error}"
    error = next(iter(sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path)))), None)
    if error is None:
        return None
    pointer = "".join(f"/{part}" for part in error.absolute_path)
    return f"{path}: {pointer}: {error.message}"


def main(arguments):
    if arguments == ["--embed"]:
        EMBEDDED.write_text(embedded_text(), encoding="utf-8")
        return 0
    if any(argument.startswith("-") for argument in arguments):
        print(__doc__.strip(), file=sys.stdout if arguments in (["-h"], ["--help"]) else sys.stderr)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        import jsonschema
    except ImportError:
        print("python3-jsonschema is missing", file=sys.stderr)
        return 2
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    files = [pathlib.Path(argument) for argument in arguments] or scenario_files()
    problems = [problem for problem in (problem_of(path, validator) for path in files) if problem]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(files) - len(problems)} of {len(files)} scenarios are valid")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
