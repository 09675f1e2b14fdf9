"""The small scenarios by which scripts/timing measures every time and rate of a profile, one row for each key."""
import dataclasses
import json
import pathlib
import re
import subprocess
import tempfile

UNITS = {"ps": 1, "ns": 1e3, "us": 1e6, "ms": 1e9, "s": 1e12,
         "B/s": 1e-6, "MB/s": 1, "GB/s": 1e3, "TB/s": 1e6, "Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
LIMIT = 3000  # [s] of one run, by the clock: a busy machine is no failure
MANY = 100  # operations of one run
PIXELS = 3840 * 2160
NEXT = "${i}+1"


class Failed(Exception):
    pass


def split(value):
    number, unit = re.fullmatch(r"([\d.]+)(\D+)", value).groups()
    return float(number), unit


def base_units(value):
    """In picoseconds, MB/s or Hz."""
    number, unit = split(value)
    return number * UNITS[unit]


def is_measure(pattern):
    """The pattern of a value in the schema is that of a time or a rate."""
    return any(unit in pattern for unit in ("(ps|", "(MB/s|", "(Hz|"))


@dataclasses.dataclass
class Row:
    """How one key is measured. `times`: how often the path takes the key; None: it is not measured, as `text` says."""
    text: str
    scenario: object = None      # () -> scenario
    times: float = None
    observed: str = "time of the run"  # or the name of a latency of stats.json, or "event NAME": when the last one was
    set: tuple = ()              # further overrides
    work: object = 0             # of a rate: [bytes] or [cycles] of the run, or (stats, profile) -> that
    direct: object = None        # (stats) -> the measured value, of one run
    default: str = None          # where profiles leave it out


def repeat(steps, count=MANY, body="steps"):
    return [{"repeat": {"count": count, "counter": "i", body: steps}}]


def scenario(programs, processes=None, **platform):
    queues = [{"name": "q", "engine": "compute0", "logs": False}]
    app = {"name": "app", "fences": [{"name": "F"}, {"name": "G"}], "queues": queues}
    return {"schema_version": 1, "name": "timing",
            "platform": {"host": {"profile": "desktop"}, "adapters": [{"name": "gpu0", "profile": "discrete"}], **platform},
            "processes": processes or [app], "programs": programs, "expect": {}}


def signals():
    """Signals of a queue that nobody waits for."""
    return scenario([{"queue": "q", "commands": repeat([{"signal": {"fence": "F", "value": NEXT}}], body="commands")}])


def cpu_signals():
    return scenario([{"thread": "t", "steps": repeat([{"signal": {"fence": "F", "value": NEXT}}])}])


def one_wait():
    """A thread waits for a signal by a queue."""
    submit = {"submit": {"queue": "q", "commands": [{"signal": {"fence": "F", "value": 1}}]}}
    return scenario([{"thread": "w", "steps": [{"wait": {"fence": "F", "value": 1}}]},
                     {"thread": "t", "steps": [{"delay": "3ms"}, submit]}])


def barriers():
    return scenario([{"queue": "q", "commands": repeat([{"barrier": {}}], body="commands")}])


def submissions():
    """One at a time; the thread polls for the end of each."""
    submit = {"submit": {"queue": "q", "commands": [{"signal": {"fence": "F", "value": NEXT}}]}}
    return scenario([{"thread": "t", "steps": repeat([submit, {"poll": {"fence": "F", "value": NEXT}}])}])


def two_queues():
    """Two queues of one engine hand each other a fence."""
    one = repeat([{"wait": {"fence": "G", "value": NEXT}}, {"signal": {"fence": "F", "value": NEXT}}], body="commands")
    two = repeat([{"signal": {"fence": "G", "value": NEXT}}, {"wait": {"fence": "F", "value": NEXT}}], body="commands")
    app = {"name": "app", "fences": [{"name": "F"}, {"name": "G"}],
           "queues": [{"name": name, "engine": "compute0", "logs": False} for name in ("q", "r")]}
    return scenario([{"queue": "q", "commands": one}, {"queue": "r", "commands": two}], [app])


def writes():
    app = {"name": "app", "fences": [{"name": "F"}], "queues": [{"name": "q", "engine": "compute0", "logs": False}],
           "allocations": [{"name": "A", "size": "4KiB"}]}
    commands = repeat([{"write": {"allocation": "A", "value": 1}}], 60, "commands") + [{"barrier": {}}]
    return scenario([{"queue": "q", "commands": commands}], [app])


def work(command, engine="compute0", home="vram"):
    app = {"name": "app", "fences": [{"name": "F"}], "queues": [{"name": "q", "engine": engine, "logs": False}],
           "allocations": [{"name": "A", "size": "1MiB", "home": home}, {"name": "B", "size": "1MiB"}]}
    return scenario([{"queue": "q", "commands": [command]}], [app])


def traffic(home="vram"):
    return work({"dispatch": {"duration": "1ns", "read": "1MiB", "allocation": "A"}}, home=home)


def contexts():
    """Two contexts share an engine and take turns."""
    app = {"name": "app", "fences": [{"name": "F", "monitored": True}],
           "contexts": [{"name": name, "engine": "compute0"} for name in ("a", "b")]}
    steps = [{"submit": {"context": name, "commands": [{"dispatch": {"duration": "1us"}},
                                                       {"signal": {"fence": "F", "value": f"${{i}}*2+{1 + at}"}}]}}
             for at, name in enumerate(("a", "b"))]
    steps.insert(1, {"wait": {"fence": "F", "value": "${i}*2+1"}})
    steps.append({"wait": {"fence": "F", "value": "${i}*2+2"}})
    return scenario([{"thread": "t", "steps": repeat(steps, 10)}], [app],
                    os={"preemption": {"enabled": True}})


def preempted(level="thread_boundary"):
    """A context of higher priority takes the engine from a dispatch."""
    processes = [{"name": name, "fences": [{"name": name + "F", "monitored": True}],
                  "contexts": [{"name": name + "C", "engine": "compute0", "priority": priority}]}
                 for name, priority in (("low", -1), ("high", 5))]
    grid = {"threads": 256, "registers": 32, "groups": 4096, "group_duration": "20ms"}

    def program(name, command, *before):
        commands = [{"dispatch": command}, {"signal": {"fence": name + "F", "value": 1}}]
        return {"thread": name, "process": name, "steps": [*before, {"submit": {"context": name + "C", "commands": commands}},
                                                           {"wait": {"fence": name + "F", "value": 1}}]}

    found = scenario([program("low", grid), program("high", {"duration": "10us"}, {"delay": "500us"})], processes,
                     os={"preemption": {"enabled": True}})
    found["platform"]["adapters"][0]["preemption"] = {"compute": level}
    return found


def draw():
    return work({"draw": {"primitives": 1, "triangles": 1, "pixels": PIXELS}}, "gfx0")


def steps_on(allocation, steps, count=MANY):
    app = {"name": "app", "contexts": [{"name": "work", "engine": "compute0"}],
           "fences": [{"name": "F", "monitored": True}], "allocations": [allocation]}
    return scenario([{"thread": "t", "steps": [{"lock": {"allocation": "A"}}, *steps]}], [app])


def combined(stores):
    """Stores of one word to each of `stores` lines by a write-combined mapping, sent before a submission."""
    found = steps_on({"name": "A", "segments": ["vram"], "size": "64KiB"},
                     [{"store": {"allocation": "A", "offset": f"{64 * line}B", "value": 1}} for line in range(stores)] +
                     [{"submit": {"context": "work", "commands": [{"signal": {"fence": "F", "value": 1}}]}},
                      {"wait": {"fence": "F", "value": 1}}])
    found["platform"]["adapters"][0]["vram_bar"] = {"size": "1MiB"}
    return found


def full_ring():
    """More barriers than a ring of 4 KiB holds; user mode has handed over nothing when it finds the ring full."""
    app = {"name": "app", "queues": [{"name": "q", "engine": "compute0", "logs": False, "ring": "4KiB"}]}
    barriers = repeat([{"barrier": {}}], 600, "commands")
    return scenario([{"thread": "t", "steps": [{"submit": {"queue": "q", "commands": barriers}}, {"mark": "submitted"}]}],
                    [app])


def flips():
    """Twenty presents, one image at each vertical sync."""
    app = {"name": "app", "fences": [{"name": "F", "monitored": True}], "contexts": [{"name": "c", "engine": "compute0"}],
           "allocations": [{"name": name, "size": "1MiB"} for name in ("front", "back")]}
    presents = [{"present": {"primary": name, "context": "c"}} for name in ("back", "front")]
    found = scenario([{"thread": "t", "steps": repeat(presents, 10)}], [app], os={"preemption": {"enabled": True}})
    found["platform"]["adapters"][0]["display"] = {"period": "16667us", "blanking": "667us", "primary": "1MiB"}
    return found


def timestamps():
    """Two logged signals 10 ms apart, which the OS then reads."""
    app = {"name": "app", "fences": [{"name": "F"}], "queues": [{"name": "q", "engine": "compute0"}]}
    commands = [{"signal": {"fence": "F", "value": 1}}, {"dispatch": {"duration": "10ms"}}, {"signal": {"fence": "F", "value": 2}}]
    return scenario([{"thread": "t", "steps": [{"submit": {"queue": "q", "commands": commands}},
                                               {"wait": {"fence": "F", "value": 2}}, {"capture_logs": {}}]}], [app])


def timestamp_rate(stats):
    """[Hz]"""
    issued = [int(row[0]) for row in stats["rows"] if row[1] == "log_entry_issued"]
    read = [int(row[6]) for row in stats["rows"] if row[1] == "log_entry_read"]
    if len(issued) != 2 or len(read) != 2:
        raise Failed("the log has not two entries")
    return (read[1] - read[0]) * 1e12 / (issued[1] - issued[0])


def saved_bytes(stats):
    """State of stopped work, as the command processor has saved it."""
    return max(int(row[6]) >> 8 for row in stats["rows"] if row[1] == "context_saved")


def lost_message():
    found = one_wait()
    found["faults"] = [{"fault": "message_lost", "nth": 1}]
    found["platform"]["ordering"] = {"os.fallback_timer": True}
    return found


def shared_core():
    return scenario([{"thread": "spin", "core": 1, "steps": [{"poll": {"fence": "F", "value": 1}}]},
                     {"thread": "other", "core": 1, "steps": [{"delay": "1us"}, {"signal": {"fence": "F", "value": 1}}]}])


RELEASE, RESUME, CALL, PREEMPTION = "signal_to_release", "signal_to_resume", "umv_call", "preemption"
WHOLE_FETCH = ("command_processor/fetch=4KiB",)

GPUS = {
    "vram/channel_bandwidth": Row("a dispatch that reads 1 MiB", traffic, 1, work=2 ** 20, set=("vram/channels=1",)),
    "vram/latency": Row("a signal that a thread waits for", one_wait, 2, RELEASE),
    "link/propagation": Row("a signal that a thread waits for", one_wait, 3, RELEASE),
    "mmu/hit_latency": Row("signals of a queue", signals, MANY, set=WHOLE_FETCH),
    "fabric/drain_latency": Row("signals of a queue", signals, MANY, set=WHOLE_FETCH),
    "fabric/drain_interval": Row("60 writes to one word, with room for all and nothing else taking time", writes, 60,
                                 "event packet_end", set=(*WHOLE_FETCH, "fabric/fifo_depth=64", "command_processor/decode=1ps", "engines/*/issue=1ps",
                                      "mmu/hit_latency=1ps")),
    "fabric/read_latency": Row("a signal that a thread waits for", one_wait, 2, RELEASE),
    "preemption/engine_timeout": Row("not a cost but a limit: scenarios/combined/queue_hang*.json"),
    "command_processor/doorbell": Row("not simulated: the link posts the write and drops the delay that the target adds"),
    "command_processor/decode": Row("barriers of a queue", barriers, MANY, set=WHOLE_FETCH),
    "command_processor/queue_switch": Row("two queues of one engine that wait for each other", two_queues, 2 * MANY),
    "cmp/decision": Row("a signal that a thread waits for", one_wait, 1, RELEASE),
    "cmp/update": Row("a wait of a thread arms the CMP", one_wait, 1, "event shadow_issued"),
    "cmp/barrier": Row("a wait of a thread arms the CMP", one_wait, 1, "event cmp_decision"),
    "engines/*/issue": Row("signals of a queue", signals, 2 * MANY, set=WHOLE_FETCH),
    "engines/*/compare": Row("signals of a queue", signals, MANY, set=WHOLE_FETCH),
    "engines/*/copy_bandwidth": Row("a copy of 1 MiB within VRAM", lambda: work(
        {"copy": {"source": "A", "destination": "B", "size": "1MiB"}}), 1, work=2 ** 20),
    "preemption/context_switch": Row("two contexts of one engine in turns", contexts, 20),
    "clock": Row("timestamps of two log entries", timestamps, 1, "timestamps of the log", direct=timestamp_rate),
    "display/period": Row("flips at every vertical sync", flips, 20, "event flip_effective", default="16667us"),
    "display/blanking": Row("flips at every vertical sync", flips, 1, "event scan_top", default="667us"),
}
HOSTS = {
    "cache_hit": Row("a signal that a thread waits for", one_wait, 1, RELEASE),
    "store": Row("submissions, one at a time", submissions, MANY),
    "mmio_write": Row("signals by a thread", cpu_signals, MANY),
    "lock": Row("signals by a thread", cpu_signals, MANY),
    "interrupt_delivery": Row("a signal that a thread waits for", one_wait, 1, RELEASE),
    "isr_overhead": Row("a signal that a thread waits for", one_wait, 1, RELEASE),
    "dpc_latency": Row("a signal that a thread waits for", one_wait, 1, RELEASE),
    "thread_wake": Row("a signal that a thread waits for", one_wait, 1, RESUME),
    "system_call": Row("signals by a thread", cpu_signals, MANY),
    "poll_interval": Row("submissions, one at a time", submissions, MANY),
    "ring_poll_interval": Row("a full ring, which the GPU empties before the second look", full_ring, 1, "event mark", set=(
        "link/propagation=1ns", "vram/latency=1ns", "fabric/read_latency=1ns", "command_processor/decode=1ps",
        "command_processor/queue_switch=1ns", *WHOLE_FETCH)),
    "time_slice": Row("a thread that polls, and one on its core that sleeps once, then signals", shared_core, 2),
    "fence_fallback": Row("the interrupt message of a signal is lost", lost_message, 1),
    "memory/latency": Row("a signal that a thread waits for", one_wait, 1, RELEASE),
    "memory/bandwidth": Row("a dispatch that reads 1 MiB of system memory", lambda: traffic("sysmem"), 1, work=2 ** 20),
    "c_states/*/exit_latency": Row("a signal that a thread waits for; the host has this idle state only", one_wait, 1,
                                   "interrupt_delivery"),
    "c_states/*/target_residency": Row("not a time that passes: an idle period must promise it before the state is entered"),
    "speculation": Row("not measured: nobody waits for a line that a cache reads on its own; tb/unit/test_caches.cpp"),
    "write_combining/evict": Row("stores to 64 lines, with 10 buffers", lambda: combined(64), 54, "event combining_sent",
                                 set=("/platform/host/write_combining/buffers=10",)),
    "write_combining/flush": Row("stores to 8 lines, with 10 buffers", lambda: combined(8), 8, "event combining_sent",
                                 set=("/platform/host/write_combining/buffers=10",)),
    "write_combining/fence": Row("stores to 8 lines and a store fence", lambda: combined(8), 1, "event combining_drained",
                                 set=("/platform/host/write_combining/sent_by=barriers",)),
    "write_combining/drain": Row("off in every profile"),
}
CHIPS = {
    "clock": Row("a draw of 8,294,400 pixels", draw, 1, work=lambda stats, chip: PIXELS / chip["pixels_per_clock"]),
    "geometry_depth": Row("a draw", draw, 1),
    "raster_depth": Row("a draw", draw, 1),
    "pixel_depth": Row("a draw", draw, 1),
    "instruction_drain": Row("a dispatch that a context of higher priority stops amid its threads",
                             lambda: preempted("shader_boundary"), 1, PREEMPTION),
    "firmware": Row("a dispatch that a context of higher priority stops", preempted, 1, PREEMPTION,
                    set=("chip/firmware_variation=0",)),
    "state_bandwidth": Row("a dispatch that a context of higher priority stops amid its threads",
                           lambda: preempted("shader_boundary"), 1, PREEMPTION,
                           work=lambda stats, chip: saved_bytes(stats),
                           set=("chip/firmware_variation=0", "vram/channel_bandwidth=1TB/s")),
}
ROWS = {"gpus": GPUS, "hosts": HOSTS, "chips": CHIPS}


def run(program, content, overrides):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "timing.json"
        path.write_text(json.dumps(content))
        command = [str(program), "run", str(path), "--quiet", "--no-progress", "--trace", "events", "--out", folder + "/run"]
        for pointer, value in overrides:
            command += ["--set", f"{pointer}={value}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
        if done.returncode != 0:
            raise Failed(f"exit status {done.returncode}: {done.stdout}{done.stderr}".strip())
        stats = json.loads((pathlib.Path(folder) / "run/stats.json").read_text())
        with (pathlib.Path(folder) / "run/events.csv").open() as events:
            stats["rows"] = [line.strip().split(",") for line in events if line[0].isdigit()]
        stats["events"] = {row[1]: int(row[0]) for row in stats["rows"]}
        return stats


def observe(stats, what):
    if what == "time of the run":
        return stats["end_time_ps"]
    if what.startswith("event "):
        return stats["events"][what.removeprefix("event ")]
    latency = stats["latencies"][what]
    if latency["count"] == 0:
        raise Failed(f"{what} was never measured")
    return latency["min"]


def without_sources(items):
    return [{key: value for key, value in item.items() if key != "source"} for item in items]


def prepared(folder, name, profile, key, place):
    """The scenario of a key on a profile, and where in it the key is."""
    row = ROWS[folder][key]
    content = row.scenario()
    gpu, host = content["platform"]["adapters"][0], content["platform"]["host"]
    host["c_states"] = []
    if folder == "gpus":
        gpu.update(profile=name, native_fences=True, engines=without_sources(profile["engines"]))
        engine = re.fullmatch(r"/engines/(\d+)/.*", place)
        text = json.dumps(content["processes"]).replace("compute0", profile["engines"][int(engine.group(1))]["name"]
                                                        if engine else "compute0")
        content["processes"] = json.loads(text)
        return content, "/platform/adapters/0" + place
    if folder == "chips":
        gpu["chip"] = {"profile": name}
        return content, "/platform/adapters/0/chip" + place
    host["profile"] = name
    state = re.fullmatch(r"/c_states/(\d+)/(.*)", place)
    if state is None:
        return content, "/platform/host" + place
    host["c_states"] = without_sources([profile["c_states"][int(state.group(1))]])
    return content, "/platform/host/c_states/0/" + state.group(2)


def overrides_of(row, profile):
    for item in row.set:
        path, value = item.split("=")
        for i in range(len(profile["engines"]) if "*" in path else 1):
            one = path.replace("*", str(i))
            yield (one if one.startswith("/") else f"/platform/adapters/0/{one}",
                   value if value.isdigit() else json.dumps(value))


def measure(program, folder, name, profile, key, place, value):
    """What the model makes of a stated value [ps, MB/s or Hz], or why nothing is measured."""
    row = ROWS[folder][key]
    if row.times is None:
        return row.text
    if base_units(value) == 0:
        return "off"
    content, target = prepared(folder, name, profile, key, place)
    overrides = list(overrides_of(row, profile))
    stats = run(program, content, [*overrides, (target, json.dumps(value))])
    if row.direct:
        return row.direct(stats)
    stated = base_units(value)
    unit = {"s": "ps", "z": "Hz"}.get(split(value)[1][-1]) if "/" not in split(value)[1] else "MB/s"
    half = int(stated / 2)
    other = run(program, content, [*overrides, (target, json.dumps(f"{half}{unit}"))])
    gained = (observe(stats, row.observed) - observe(other, row.observed)) / row.times
    if unit == "ps":
        return gained * stated / (stated - half)
    # The work takes work / stated; at half the rate twice that.
    if gained >= 0:
        return 0.0
    amount = row.work(stats, profile) if callable(row.work) else row.work
    return amount * (1e6 if unit == "MB/s" else 1e12) * (stated / half - 1) / -gained
