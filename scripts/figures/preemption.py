"""Preemption: the published figures of docs/fidelity/preemption.csv, and the simulation of each from the inputs."""
import csv
import json
import statistics

import runner

TABLE = runner.DOCS / "fidelity/preemption.csv"
INPUTS = runner.DOCS / "fidelity/preemption_inputs.json"
PROFILES = runner.PROFILES / "chips"
PROGRAM, PAGE = "fenceline_chip", "preemption_calibration"
MOST = "worst"  # what the table calls it
CHECKED_EVERY = 1  # a check simulates every row again
# Keys whose values are compared; extremes of 100,000 samples have other causes.
LEFT_OUT = {"UNC": {"min", "max", "p1"}, "LAUNCH": {"max"}}
CHIPS = {"gv100": "gv100", "k40m": "k40m", "mi50": "mi50", "igpu": "arc_igpu"}


class Row:
    """A published figure, or one whose value is withheld."""

    def __init__(self, fields):
        self.id, self.group, self.unit = fields["id"], fields["group"], fields["unit"]
        self.known = fields["split"] == "calibration"
        self.values = {}

    def add(self, key, text):
        numbers = [float(part) for part in text.split("|")] if text else [None]
        self.values[key] = numbers[0] if len(numbers) == 1 else numbers

    @property
    def keys(self):
        return list(self.values)

    def compared(self):
        """Published numbers that count; of a range its middle."""
        return {key: statistics.mean(value) if isinstance(value, list) else value
                for key, value in self.values.items() if key not in LEFT_OUT.get(self.group, ())}


def rows():
    found = {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for fields in csv.DictReader(file):
            found.setdefault(fields["id"], Row(fields)).add(fields["key"], fields["value"])
    return list(found.values())


def load_inputs():
    return json.loads(INPUTS.read_text(encoding="utf-8"))


def microseconds(value):
    return f"{round(value * 1e6)}ps"


def chip(name, **changes):
    return {"profile": name, **changes}


def grid(us, threads=256, groups=1, registers=0, **more):
    return {"threads": threads, "groups": groups, "registers": registers,
            "group_duration": microseconds(us), **more}


def suspend(row, inputs, changes):
    given = inputs["suspend"]
    _, level, time = row.id.split(".")
    nominal = int(time[1:])
    us = 10_000_000 if nominal == 9999 else nominal * given["stretch"]
    job = {"chip": chip("gv100", **changes), "window": microseconds(given["window"]),
           "samples": given["samples"], "request": microseconds(given["request"]),
           "kernel": grid(us, given["threads"], given["groups"], given["registers"])}
    if level == "L1":
        job.update(level="dispatch", in_flight=given["in_flight"], batch=given["batch"],
                   idle_permille=given["idle_permille"])
    else:
        job.update(level={"L2": "thread_group", "L3": "shader"}[level],
                   lead=microseconds(given["lead"]))
    return [{"suspend": job}]


def suspended(row, results, _):
    found = results[0]
    return {key: found["mean" if key == "avg" else key] for key in row.keys}


def inference(row, inputs, changes):
    """Two processes that infer, in turns; the standalone rows are given."""
    given = inputs["inference"]
    gpu, what = row.id.split(".")[1:]
    if "standalone" in what:
        return []
    rates = "throughput" in what or what == "ts_overhead"
    task = 1e6 / given["standalone_rate"][gpu] if rates else given["standalone_us"][gpu]
    kernel = grid(task / given["kernels"], 256, 60, 32)
    profile = chip(CHIPS[gpu], **(changes if gpu == "gv100" else {}))
    level = "thread_group" if gpu == "k40m" else "shader"
    if "XSched" in what:
        job = {"chip": profile, "kernel": kernel, "window": microseconds(task), "samples": 4000}
        if gpu == "k40m":
            job.update(level="dispatch", in_flight=inputs["suspend"]["in_flight"],
                       batch=inputs["suspend"]["batch"])
        return [{"suspend": {"level": level, **job}}]
    maker = "intel" if gpu == "igpu" else "nvidia"
    stream = {"kernel": kernel, "kernels": given["kernels"]}
    job = {"chip": profile, "level": level, "slice": microseconds(given[maker + "_slice"]),
           "gap": microseconds(given[maker + "_switch"]), "length": "30s", "streams": [stream, stream]}
    if gpu == "mi50":
        job.update(together=True, overlap_permille=given["mi50_overlap_permille"])
    return [{"slices": job}]


def inferred(row, results, inputs):
    given = inputs["inference"]
    gpu, what = row.id.split(".")[1:]
    if what == "throughput_standalone":
        return {"value": given["standalone_rate"][gpu]}
    p99 = what.endswith("p99")
    alone = given["standalone_p99_us" if p99 else "standalone_us"][gpu] / 1e3
    if "standalone" in what:
        return {"value": alone}
    found = results[0]
    if "XSched" in what:
        wait = found["p99" if p99 else "p50"] + given["fixed_priority"]
        return {"value": alone + (wait + (given["fixed_priority_spread"] if p99 else 0)) / 1e3}
    rates = [context["rate"] for context in found]
    if what == "ts_overhead":
        return {"value": 100 * (1 - sum(rates) / given["standalone_rate"][gpu])}
    if "throughput" in what:
        return {"value": rates[0 if what.endswith("A") else 1]}
    return {"value": found[0]["latency"]["p99" if p99 else "p50"] / 1e3}


def requests(row, inputs, changes):
    given = inputs["requests"]
    parts = row.id.split(".")
    kernel = grid(1e6 / given["best_effort_rate"] / given["kernels"], given["threads"], given["groups"],
                  given["registers"])
    scheme = parts[1] if parts[0] == "GPF" else "prep"
    job = {"chip": chip("a100", **changes), "level": "shader", "kernel": kernel,
           "kernels": given["kernels"], "critical": grid(given["critical"], 256, 108),
           "period": "10ms", "preparation": microseconds(given["preparation"]),
           "ahead": microseconds(given["ahead"]), "notice": microseconds(given["notice"]),
           "refill": microseconds(given["refill"])}
    if scheme == "nopre":
        job["early"] = False
    if scheme == "prep":
        job["preparation"] = microseconds(int(parts[2]) if parts[0] == "GPF" else 0)
    if scheme == "thr":
        rate = int(parts[3])
        preparation = microseconds(given["preparation"] + given["slack"])
        job.update(period=microseconds(1e6 / rate), preparation=preparation)
        if parts[2] == "nores":
            job["ahead"] = preparation
    return [{"requests": job}]


def requested(row, results, _):
    found = results[0]
    return {"value": found["rate"] if ".thr." in row.id else found["added"]["mean"]}


def context_jobs(row, inputs, changes):
    """GP: a full A100. What a measured total has in it is simulated as a request."""
    if row.id in ("GP.combined", "GP.pre"):
        other = Row({"id": "GPF.prep.0" if row.id == "GP.combined" else "GPF.gp.A", "group": "GPF",
                     "unit": "us", "split": "withheld"})
        return requests(other, inputs, changes)
    if row.id == "GP.maxyield":
        return []
    return [{"context": {"chip": chip("a100", wave_state="0B"),
                         "kernel": grid(1, 1024, 108, 64, shared_memory="164KiB")}}]


def context_figures(row, results, inputs):
    given = {"GP.maxyield": inputs["requests"]["turn"], "GP.gdr": inputs["launch"]["flag"]}
    if row.id in given:
        return {"value": given[row.id]}
    found = results[0]
    if row.id in ("GP.combined", "GP.pre"):
        return {"value": found["added"]["mean"]}
    return {"value": {"GP.ctx_sm": found["unit_bytes"] / 1024, "GP.ctx_gpu": found["bytes"] / 2 ** 20,
                      "GP.save": found["save"]}[row.id]}


def logger(row, inputs, changes):
    given = inputs["logger"]
    policy = row.id.split(".")[1]
    endless = 100_000_000
    store = grid(endless, given["threads"], given["groups"], given["registers"], write="1GiB",
                 write_through=policy.endswith("wt"))
    gap = 0 if policy.startswith("l1") else given["uncached_loads"]
    return [{"slices": {"chip": chip("gtx1080", **changes), "level": "shader", "gap": microseconds(gap),
                        "slice": microseconds(given["slice"]), "length": microseconds(given["length"]),
                        "streams": [{"kernel": grid(endless, 1, 1, 32)}, {"kernel": store}]}}]


def logged(row, results, inputs):
    gap = results[0][0]["gap"]
    if row.id.endswith(".gap"):
        return {key: gap[key] for key in row.keys}
    return {key: (gap[key] - inputs["logger"]["slice"]) / 2 for key in row.keys}


def tegra(row, inputs, changes):
    given = inputs["tegra"]
    parts = row.id.split(".")
    name = {"xavier": "xavier_nx", "orin": "orin_nano"}.get(parts[2], "xavier_nx")
    if parts[1] == "eps":
        # Nothing of the chip is in it: one kernel as long as a turn, and the call.
        job = {"chip": chip(name), "level": "dispatch", "kernel": grid(given["slice"]),
               "window": microseconds(given["slice"]), "samples": 4000,
               "request": microseconds(given["call"]), "idle_permille": given["idle_permille"]}
        return [{"suspend": job}]
    stream = {"kernel": grid(700, given["threads"], given["groups"], given["registers"])}
    turns = {"chip": chip(name, **changes), "level": "shader", "slice": microseconds(given["slice"]),
             "length": "2s", "streams": [stream, stream]}
    if parts[1] == "theta":
        return [{"slices": turns}, {"slices": {**turns, "streams": [stream]}}]
    caps = parts[2].startswith("gcaps")
    # Best effort gets what the others leave, under either policy: A-431.
    tasks = [dict(zip(("cpu", "gpu", "period"), (f"{ms}ms" for ms in task[:3])), core=task[3],
                  priority=task[4]) for task in given["tasks"] if task[4] != 0]
    cost = given["gcaps_switch"] if caps else switch_of(row, inputs)
    return [{"tasks": {"tasks": tasks, "by_priority": caps, "slice": microseconds(given["slice"]),
                       "switching": microseconds(cost), "length": "30s"}}]


def switch_of(_row, inputs):
    """Mean of the switches published for Xavier, as the inputs have it."""
    return inputs["tegra"]["switch"]


def tegra_figures(row, results, inputs):
    parts = row.id.split(".")
    if parts[1] == "eps":
        names = {"avg": "mean", "median": "p50"}
        return {key: results[0][names.get(key, key)] for key in row.keys}
    if parts[1] == "theta":
        both, alone = results[0][0]["rate"] + results[0][1]["rate"], results[1][0]["rate"]
        return {"value": (alone / both - 1) * inputs["tegra"]["slice"]}
    return {"value": results[0][int(parts[3]) - 1] / 1e3}


def factors(number):
    """Threads and registers a thread of a group with so many registers."""
    return next((threads, number // threads) for threads in range(1, number + 1)
                if number % threads == 0 and number // threads <= 512)


def save_time(row, inputs, _changes):
    kernel = inputs["kernels"][row.id[4:]]
    threads, registers = factors(kernel["registers"])
    limits = {"wave_threads": 1, "wave_state": "0B", "groups_per_unit": kernel["groups_per_unit"]}
    return [{"context": {"chip": chip("k20c", **limits),
                         "kernel": grid(1, threads, 1, registers,
                                        shared_memory=f"{kernel['shared_bytes']}B")}}]


def save_area(row, inputs, _changes):
    names = ("units", "dies", "engines", "generation", "vector_registers", "shared_memory", "bandwidth")
    return [{"save_area": dict(zip(names, inputs["save_areas"][row.id[5:]]))}]


def launch_figures(row, _results, inputs):
    """Composed of rows that are known: see docs/background/preemption_calibration.md."""
    given = inputs["launch"]
    beside = {key: given[key] - given["kernel"] for key in ("launch", "in_graph")}
    return {"value": {"L.V100.sync": given["launch"] + given["kernel"] + given["flag"],
                      "L.H100.graph": given["h100_launch"] * beside["in_graph"] / beside["launch"],
                      "L.graphdev": given["graph_device_us"] / given["graph_device_nodes"]}[row.id]}


def host_figures(row, _results, inputs):
    given = inputs["host"]
    values = {"isr_to_dpc_avg": given["isr_to_dpc"], "dpc_to_thread_avg": given["dpc_to_thread"],
              "isr_to_thread_avg": given["isr_to_dpc"] + given["dpc_to_thread"],
              "isr_to_dpc_max": given["isr_to_dpc_max"], "isr_to_thread_max": given["isr_to_thread_max"]}
    return {key: values[key] for key in row.keys}


def memory_figures(row, _results, inputs):
    """Near, far, and beyond the last level; a hop costs the same time on both chips."""
    given = inputs["memory"]
    hop = given["hop_h800"] * given["clock_b200_mhz"] / given["clock_h800_mhz"]
    half_far = given["near_b200"] + hop / 2
    lost = given["lost_permille"] / 1000
    cycles = {"LAT.B200.L2x": half_far,
              "LAT.B200.L2all": half_far * (1 - lost) + given["memory_b200"] * lost,
              "LAT.B200.TLB": given["memory_b200"] + given["walk_cycles"],
              "LAT.H800.L2f": given["near_h800"] + given["hop_h800"],
              "LAT.H800.L2fm": given["near_miss_h800"] + given["hop_h800"],
              "BW.H800.HBM": given["h800_peak"] * given["measured_share"]}[row.id]
    values = {"cycles": cycles, "value": cycles, "step_cycles": given["walk_cycles"],
              "ns": cycles * 1e3 / given["clock_b200_mhz"]}
    return {key: values[key] for key in row.keys}


def nothing(*_):
    return []


SIMULATED = {"XS": (suspend, suspended), "XS7": (inference, inferred), "GPF": (requests, requested),
          "GP": (context_jobs, context_figures), "UNC": (logger, logged), "GC": (tegra, tegra_figures),
          "TAN": (save_time, lambda row, results, _: {"value": results[0]["save"]}),
          "CWSR": (save_area, lambda row, results, _: {key: results[0][key] for key in row.keys}),
          "LAUNCH": (nothing, launch_figures), "LM": (nothing, host_figures),
          "LAT": (nothing, memory_figures)}


def is_given(row):
    """A known row that is an input as it is, or none at all: nothing comes out for it."""
    return row.known and (row.group in ("LAUNCH", "LAT", "IRQ") or "standalone" in row.id or
                          row.id == "GP.gdr")


def simulate(all_rows, inputs, simulator, changes=None):
    """Figures by row id; `changes`: of chips, by the name of their profile."""
    of_group = {"XS": "gv100", "XS7": "gv100", "GPF": "a100", "GP": "a100", "UNC": "gtx1080",
                "GC": "xavier_nx"}
    jobs = {}
    for row in all_rows:
        own = (changes or {}).get(of_group.get(row.group), {})
        jobs[row.id] = SIMULATED[row.group][0](row, inputs, {} if "orin" in row.id else own)
    simulator.run([job for those in jobs.values() for job in those])
    return {row.id: SIMULATED[row.group][1](row, [simulator.result(job) for job in jobs[row.id]], inputs)
            for row in all_rows}


# --- What is predicted, and how it compares ---

TITLES = {
    "XS": "Suspending a queue on a GV100 [us]: mean, median, 95th and 99th percentile",
    "XS7": "Two processes that infer [ms, inferences/s, %]",
    "GPF": "Latency-critical requests on an A100 [us], and best effort beside them [requests/s]",
    "GP": "Context of an A100 [KiB, MiB, us]",
    "UNC": "Two processes in turns on a GTX 1080 [us]: 5th percentile, median, 95th, 99th, mean",
    "GC": "Turns on a Jetson Xavier NX [us]",
    "TAN": "Save time of a unit, GK110 [us]",
    "CWSR": "Save areas of AMD GPUs [bytes, us]",
    "LM": "Interrupt to thread on Windows hosts [us]",
}
GROUPS = {group: (f"{group}: {title.split(' [')[0]}", f"{group}: {title}") for group, title in TITLES.items()}


def rounded(value):
    """Sizes are exact; the rest has five digits."""
    return value if isinstance(value, int) else float(f"{value:.5g}")


def prediction(row, figure):
    """In the form of the row."""
    values = {key: rounded(figure[key]) for key in row.keys}
    return values["value"] if row.keys == ["value"] else values


def error(row, figure):
    """What is scored: the mean over the values of a row."""
    return statistics.mean(abs(figure[key] / published - 1) for key, published in row.compared().items())


def error_text(row, figure):
    return f"{100 * error(row, figure):.1f} %"


def met(row, figure):
    """Within the tolerance that the group is given."""
    published = row.compared()
    off = statistics.mean(abs(figure[key] - value) for key, value in published.items())
    if row.id == "GP.pre":
        return figure["value"] < published["value"]  # published as a bound: how far below says nothing
    if row.group == "XS":
        return off <= 8 or error(row, figure) <= (0.25 if ".L3." in row.id else 0.15)
    if row.group == "GPF" and ".thr." not in row.id:
        return off <= 20 or error(row, figure) <= 0.4
    if row.id.endswith("ts_overhead"):
        return off <= 5
    if row.group == "LM":
        return all(0.5 <= figure[key] / value <= 2 for key, value in published.items())
    relative = {"XS7": 0.15, "GPF": 0.05, "GP": 0.4, "UNC": 0.01 if row.id.endswith(".gap") else 0.08,
                "GC": 0.5, "TAN": 0.01, "CWSR": 0.02}
    return error(row, figure) <= relative[row.group]


def inputs_table(inputs):
    """Every input that is not a list, its value and where it is from; then what is fitted of chips."""
    rows_of_table = [(f"{name}: {key}", section[key], source) for name, section in inputs.items()
                     if isinstance(section, dict) and isinstance(section.get("source"), dict)
                     for key, source in section["source"].items()]
    for path in sorted(PROFILES.glob("*.json")):
        profile = json.loads(path.read_text(encoding="utf-8"))
        rows_of_table += [(f"chip {path.stem}: {key}", profile[key], profile["source"][key])
                          for key in ("state_bandwidth", "firmware", "firmware_variation")]
    return runner.table(["input", "value", "from"], rows_of_table)
