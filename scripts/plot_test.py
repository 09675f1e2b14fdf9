"""What scripts/plot --self-test does."""
import math
import pathlib
import subprocess
import sys
import tempfile

from sweep_table import front, mean_and_interval, quantity, read_table, shared_words, short

SAMPLE = """point,seed,{x},verdict,exit_code,reason,broken,events,{columns}
0,1,none,pass,0,,,5,8000000000,9000000000,9500000000,2000000000,0,1,0
0,2,none,pass,0,,,5,8200000000,9100000000,9500000000,2200000000,0,2,0
1,1,thread_boundary,pass,0,,,5,3000000,4000000,5000000,0,6291456,0,0
1,2,thread_boundary,crash,4,SIGSEGV,,,,,,,,,
2,1,none,pass,0,"a, b",,5,9000000000,9500000000,9600000000,2500000000,0,1,0
"""


def check(what, holds):
    if not holds:
        sys.exit(f"plot: self-test failed: {what}")


def self_test_numbers():
    check("quantities", quantity("1.5us") == (1.5e6, "time") and quantity("4KiB") == (4096, "size")
          and quantity("7", "ns") == (7000, "time") and quantity("7", "count") == (7, "") and quantity("word") is None)
    mean, half = mean_and_interval([1, 2, 3])
    check("the interval of three values", mean == 2 and abs(half - 4.303 / math.sqrt(3)) < 1e-9)
    check("the interval of one value", mean_and_interval([5]) == (5, 0))
    check("the interval of many values", abs(mean_and_interval([0, 1] * 50)[1] - 1.96 * 0.0502519) < 1e-5)
    check("the front", front([(3, 1), (1, 3), (2, 2), (2, 4), (3, 2), (4, 1)]) == [(1, 3), (2, 2), (3, 1)])
    check("names", short("/platform/host/cores") == "host cores" and short("a.latency_ns.p50") == "a.latency.p50"
          and shared_words(["a.p50", "a.p99"]) == "a" and shared_words(["a.p50", "b.p50"]) == "")


def self_test_table(plot, folder):
    names = [column for panel in plot.PREEMPTION for column, _ in panel[3]]
    (folder / "sweep.csv").write_text(SAMPLE.format(x=plot.PREEMPTION_X, columns=",".join(names)))
    table = read_table(folder)
    check("the columns", table.columns[2] == plot.PREEMPTION_X and len(table.rows) == 5)
    check("a quoted text", table.rows[4]["reason"] == "a, b")
    times = plot.Axis(table, names[:3])
    check("the unit of an axis", times.suffix == "ms" and times.number(table.rows[0], names[0]) == 8)
    words = plot.Axis(table, [plot.PREEMPTION_X])
    check("words side by side", words.words and words.number(table.rows[2], plot.PREEMPTION_X) == 1)
    check("rows that failed", len(plot.pick(table, [], False).rows) == 4 and len(plot.pick(table, [], True).rows) == 5)
    check("rows picked", len(plot.pick(table, ["seed=2"], False).rows) == 1)
    means = [figures for figures, _ in plot.points_of(plot.pick(table, [], False), [names[1]], None)]
    check("means of points", means == [[9.05], [0.004], [9.5]])
    means = [figures for figures, _ in plot.points_of(plot.pick(table, [], False), [names[0]], None, ["seed"])]
    check("means of points that are one", means == [[8.4], [0.003]])


def self_test_drawing(plot, folder):
    ways = [["--figure", "preemption"], ["--pareto", "gpu_wait.max", "events", "--by", "seed", "--over", plot.PREEMPTION_X],
            ["--x", "seed", "--y", "gpu_wait.max,preemption.p99", "events", "--by", plot.PREEMPTION_X,
             "--name", "events=how many", "--log", "y"]]
    drawn = []
    for name in ("one", "two"):
        for number, way in enumerate(ways):
            done = subprocess.run([sys.executable, "-B", plot.__file__, str(folder), *way, "--out",
                                   str(folder / f"{name}{number}")], capture_output=True, text=True, check=False)
            check(f"{way}: {done.stderr}", done.returncode == 0)
        drawn.append([(folder / f"{name}{number}.{ending}").read_bytes()
                      for number in range(len(ways)) for ending in ("svg", "png")])
    check("the same table gives the same pictures", drawn[0] == drawn[1])
    svg = (folder / "one0.svg").read_text()
    for text in ("Preemption latency", "thread", "p99", "front", "TDRs", "state saved [MiB]"):
        check(f"{text} in the picture", text in svg)
    check("a name in the picture", "how many" in (folder / "one2.svg").read_text())
    for wrong in ([str(folder), "--x", "no", "--y", "events"], [str(folder / "no"), "--list"], [str(folder)],
                  [str(folder), "--x", "seed", "--y", "events", "--only", "seed"],
                  [str(folder), "--x", "seed", "--y", "events", "--name", "events"],
                  [str(folder), "--x", "seed", "--y", "events", "--name", "no=one"]):
        done = subprocess.run([sys.executable, "-B", plot.__file__, *wrong], capture_output=True, text=True,
                              check=False)
        check(f"{wrong} is refused", done.returncode == 2 and "Traceback" not in done.stderr)


def self_test(plot):
    self_test_numbers()
    with tempfile.TemporaryDirectory(prefix="plot.") as name:
        self_test_table(plot, pathlib.Path(name))
        self_test_drawing(plot, pathlib.Path(name))
    return 0
