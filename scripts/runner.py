"""What the scripts share: where things are, how a program is run and read, the generated blocks of a page, options.

A script in a folder below adds this folder to sys.path and imports `runner`. Its main function returns the exit
status: 0 all well, 1 something is not, 2 usage, 77 it cannot be done here.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build/release/bin"
DOCS = ROOT / "docs"
SCENARIOS = ROOT / "scenarios"
SCHEMA = SCENARIOS / "schema/scenario.schema.json"
PROFILES = SCENARIOS / "profiles"
LIMIT = 3000  # [s] of one call, by the clock: a busy machine is no failure
SKIPPED = 77  # ctest counts it as skipped
CANNOT_SEARCH = "does not run under a sanitizer"
# Two surroundings that no result may depend on.
SURROUNDINGS = ({"MALLOC_PERTURB_": "85", "TZ": "UTC", "LC_ALL": "C"},
                {"MALLOC_PERTURB_": "170", "TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8"})


class Problem(Exception):
    """What is wrong, for the user to read."""


# --- Running programs. -----------------------------------------------------------------------------

def call(command, ends=(0,), limit=LIMIT, **more):
    """Runs a command in the root folder; raises Problem if it takes too long or ends with another status."""
    command = list(map(str, command))
    try:
        done = subprocess.run(command, **{"cwd": ROOT, "capture_output": True, "text": True, "timeout": limit,
                                          "check": False, **more})
    except subprocess.TimeoutExpired:
        raise Problem(f"{' '.join(command)}: not done after {limit} s") from None
    if ends is not None and done.returncode not in ends:
        raise Problem(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}".rstrip())
    return done


def overridden(overrides):
    return [word for override in overrides for word in ("--set", override)]


def in_parallel(work, items, jobs=2):
    """Results of work(item) in the order of the items."""
    with concurrent.futures.ThreadPoolExecutor(max(1, min(jobs, os.cpu_count() or 1))) as pool:
        return list(pool.map(work, items))


class Run:
    """What one run of a scenario has written. `events`: rows of events.csv, if they were traced."""

    def __init__(self, folder):
        self.stats = json.loads((folder / "stats.json").read_text())
        self.counters = {name: entry["value"] for name, entry in self.stats["counters"].items()}
        self.latencies = self.stats["latencies"]
        self.events = []
        if (folder / "events.csv").is_file():
            with (folder / "events.csv").open(newline="") as file:
                self.events = list(csv.DictReader(file))


def run(program, scenario, overrides=(), trace="none", keep=None, limit=LIMIT):
    """Runs a scenario, a path or its content, which has to pass. `keep`: a folder that is left there."""
    with tempfile.TemporaryDirectory(prefix="fenceline.") as temporary:
        folder = pathlib.Path(keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if isinstance(scenario, dict):
            path = folder / f"{scenario['name']}.json"
            path.write_text(json.dumps(scenario, indent=2) + "\n")
            scenario = path
        call([program, "run", scenario, "--quiet", "--no-progress", "--trace", trace, "--out", folder / "run",
              *overridden(overrides)], limit=limit)
        return Run(folder / "run")


def results_of(done):
    """The results that --json has printed, as a list; raises ValueError if there are none."""
    results = json.loads(done.stdout)
    return results if isinstance(results, list) else [results]


def first_reason(result):
    """In a few words why a run did not pass."""
    broken = [f"{item['invariant']} {item['message']}" for item in result.get("violations", [])]
    return (broken or result.get("reasons") or [result.get("error") or result.get("verdict") or
                                                f"exit code {result.get('exit_code')}"])[0]


def explore(program, scenario, *options, ends=(0, 1, 3, 5)):
    """The result of a search. Ends the script with status 77 where the program cannot search."""
    done = call([program, "explore", f"scenarios/{scenario}.json", "--json", "--no-progress", *options], ends=None)
    if CANNOT_SEARCH in done.stderr:
        sys.exit(SKIPPED)
    if done.returncode not in ends:
        raise Problem(f"{scenario} {' '.join(options)}: ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


class Simulator:
    """Has a program measure jobs, JSON in and JSON out: each job once, several at a time."""

    def __init__(self, program):
        self.program = program
        self.done = {}

    def run(self, jobs):
        texts = sorted({json.dumps(job, sort_keys=True) for job in jobs} - self.done.keys())
        self.done.update(zip(texts, in_parallel(self.measure, texts, os.cpu_count() or 1)))

    def measure(self, text):
        environment = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
        return json.loads(call([self.program], input=text, env=environment).stdout)

    def result(self, job):
        self.run([job])
        return self.done[json.dumps(job, sort_keys=True)]


# --- Scenarios. ------------------------------------------------------------------------------------

def scenario_files():
    """Every scenario: all JSON under scenarios/ but schema and profiles."""
    return [path for path in sorted(SCENARIOS.rglob("*.json"))
            if path.relative_to(SCENARIOS).parts[0] not in ("schema", "profiles")]


def name_of(path):
    """litmus/P01_sb_full for scenarios/litmus/P01_sb_full.json."""
    return path.relative_to(SCENARIOS).with_suffix("").as_posix()


def link(name, folder=DOCS / "reference"):
    """A link to a scenario, from a page in a folder."""
    target = os.path.relpath(SCENARIOS / f"{name}.json", folder)
    return f"[{pathlib.PurePosixPath(name).name}]({target})"


def is_hold(scenario):
    """Whether nothing may break in a scenario."""
    expect = scenario["expect"]
    return not expect.get("violations") and expect.get("outcome", "completes") == "completes"


# --- Pages: prose by hand, and blocks between marks that a script fills. ----------------------------

def table(head, rows):
    lines = ["".join("| " if cell == "" else f"| {cell} " for cell in cells) + "|" for cells in [head, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]]) + "\n"


def block(name):
    """The pattern of a block: its marks, and between them what is generated."""
    return re.compile(rf"(<!-- begin generated: {re.escape(name)} -->\n).*?(<!-- end -->\n)", re.DOTALL)


def fill(page, blocks):
    """Puts texts into the blocks of a page, by name. Returns whether that changes the page."""
    old = text = page.read_text(encoding="utf-8")
    for name, inside in blocks.items():
        text, count = block(name).subn(lambda mark, it=inside: f"{mark[1]}\n{it.strip(chr(10))}\n\n{mark[2]}", text)
        if count != 1:
            raise Problem(f"{page.relative_to(ROOT)}: {count} blocks {name}")
    return text, text != old


def page_path(name):
    """The page of this name in docs or in one of its parts."""
    return next(DOCS.rglob(f"{name}.md"))


def settle(name, blocks, check, command):
    """Writes the blocks of a page, or with `check` raises Problem if they are others than it has."""
    page = page_path(name)
    text, changed = fill(page, blocks)
    if changed and check:
        raise Problem(f"{page.relative_to(ROOT)} is out of date: run {command}")
    if changed:
        page.write_text(text, encoding="utf-8")


# --- Options. --------------------------------------------------------------------------------------

def positive(text):
    value = int(text.replace(",", ""))
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def parser(doc, program="fenceline"):
    """A parser whose help is the docstring of the script; with --program, unless `program` is None."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if program:
        made.add_argument("--program", type=pathlib.Path, default=BIN / program, metavar="FILE",
                          help=f"default: build/release/bin/{program}")
    return made


def parse(made, *paths):
    """The options; files that they name have to be there, --program and those of the options `paths`."""
    options = made.parse_intermixed_args()
    for name in ("program", *paths):
        value = getattr(options, name, None)
        for path in value if isinstance(value, list) else [value] if value else []:
            if not path.is_file():
                made.error(f"there is no {path}; scripts/build makes programs")
        if isinstance(value, list):
            setattr(options, name, [path.absolute() for path in value])
        elif value:
            setattr(options, name, value.absolute())
    return options


def report(problems):
    """Prints problems to standard error. Returns the exit status."""
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def start(main):
    """Runs the main function of a script."""
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(report([problem]))
