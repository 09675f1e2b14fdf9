"""PCIe: the published figures of docs/fidelity/pcie.csv, the simulation of each, and the fit of its inputs."""
import csv
import json
import re

import runner

TABLE = runner.DOCS / "fidelity/pcie.csv"
INPUTS = runner.DOCS / "fidelity/pcie_inputs.json"
PROGRAM, PAGE = "fenceline_measure", "pcie"
GROUPS = {"PBL": ("Latencies of DMA", "Latencies of DMA [ns]: median, average, 95th percentile"),
          "PBB": ("Bandwidths of DMA", "Bandwidths of DMA [Gbit/s]"),
          "BAR": ("A core's accesses to device memory", "A core's accesses to device memory [us]")}
MOST = "worst error"  # what the table calls it
CHECKED_EVERY = 11  # row that a check simulates again

LATENCY = ("median", "avg", "p95", "min")  # of a published row; the first three are compared
PLACE = re.compile(r"PB\.(?P<host>.*?)(?:-s0-s(?P<buffer>\d)-s(?P<core>\d))?"
                  r"(?P<iommu>-iommu)?(?P<small>-nosp)?\.(?P<kind>LAT_DMA_RD|LAT_DMA_WRRD|"
                  r"LAT_CMD_RD|BW_DMA_RD|BW_DMA_WR|BW_DMA_RW)(?P<rest>\..*)$")
BAR = re.compile(r"BAR\.(?P<device>\w+)\.(?P<what>[WR]|Wbw|Rbw|numaW|numaR|pplat)(\.(?P<bytes>\d+))?$")
KEPT = 65536  # more bytes than this are simulated once, not several times


PROCESSOR = re.compile(r"E5-[0-9]+(v[0-9])?")


class Row:
    """A published figure, or one whose value is withheld."""

    def __init__(self, fields):
        self.id = fields["id"]
        self.unit = fields["unit"]
        self.known = fields["split"] == "calibration"
        self.keys = fields["keys"].split("|") if fields["keys"] else []
        names = [k for k in LATENCY if fields[k]] if self.keys else ["value"]
        self.values = {k: float(fields[k]) for k in names if fields[k]}

    def compared(self):
        """Published numbers that count."""
        return {key: self.values[key] for key in ("median", "avg", "p95", "value") if key in self.values}

    @property
    def group(self):
        if self.id.startswith("BAR."):
            return "BAR"
        return "PBL" if ".LAT_" in self.id else "PBB"

    @property
    def configuration(self):
        """The host with its variant, or the device whose memory is accessed."""
        return re.split(r"\.(?:LAT|BW)_", self.id[3:])[0] if self.group != "BAR" else \
            self.id.split(".")[1]

    @property
    def host(self):
        """The machine without its variant."""
        return re.sub(r"(-s0-s\d-s\d)?(-iommu)?(-nosp)?$", "", self.configuration)


def rows():
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [Row(fields) for fields in csv.DictReader(file)]


def load_inputs():
    return json.loads(INPUTS.read_text(encoding="utf-8"))


def study_job(row, profile):
    """The job for a figure of the pcie-bench study."""
    match = PLACE.match(row.id)
    host, server = profile["hosts"][match["host"]], profile["server"]
    device = dict(profile["device"])
    rest = match["rest"].split(".")
    latency = match["kind"].startswith("LAT")
    window = {"8KB": 8 << 10, "64MB": 64 << 20}[rest[2]] if latency else 8 << 10
    page = 2 << 20 if host["super_pages"] and not match["small"] else 4096
    link = {**profile["link"], "tags": device.pop("tags"),
            "max_read_request_bytes": host["max_read_request_bytes"],
            "completion_gap_ns": server["completion_gap_ns"],
            "propagation_ns": host["propagation_ns"]}
    return {
        "link": {k: v for k, v in link.items() if k != "source"},
        "memory": {"latency_ns": server["memory_latency_ns"], "bandwidth_mbps": server["memory_mbps"]},
        "iommu": {"translates": match["iommu"] is not None, "page_bytes": page,
                  "iotlb_entries": server["iotlb_entries"], "walk_ns": server["walk_ns"]},
        "sockets": {"cache_bytes": server["cache_bytes"], "hop_ns": server["hop_ns"],
                    "partial_read_ns": 0 if match["iommu"] else host["partial_read_ns"]},
        "device": {k: v for k, v in device.items() if k not in ("clock_tick_ns", "source")},
        "measure": {"kind": match["kind"], "bytes": int(rest[-1]), "window_bytes": window,
                    "warm": not latency or rest[1] == "HWarm",
                    "buffer_socket": int(match["buffer"] or 0), "core_socket": int(match["core"] or 0),
                    "samples": 1000 if latency else 4000,
                    "clock_tick_ns": device["clock_tick_ns"] if latency else 0.001}}


def bar_job(row, profile, far=False):
    """The job for a figure of a core's accesses to device memory."""
    match = BAR.match(row.id)
    bar = profile["bar"][match["device"]]
    what = match["what"]
    size = int(match["bytes"] or (64 << 10 if what.startswith("numa") else 128 << 10))
    kind = "BAR_PINGPONG" if what == "pplat" else \
        "BAR_W" if what in ("W", "Wbw", "numaW") else "BAR_R"
    return {
        "link": {"generation": bar["generation"], "width_lanes": 16, "max_payload_bytes": 256,
                 "data_link_packets": True, "posted_header_credits": bar["posted_header_credits"],
                 "propagation_ns": bar["propagation_ns"] + (bar["far_ns"] if far else 0)},
        "device": {"memory_latency_ns": bar["memory_latency_ns"]},
        "core": {"loads": bar["loads"], "call_ns": bar["call_ns"],
                 "write_combining_buffers": bar["write_combining_buffers"],
                 "evict_ns": bar["evict_ns"] + (bar["far_evict_ns"] if far else 0),
                 "flush_ns": bar["flush_ns"], "fence_ns": bar["fence_ns"]},
        "measure": {"kind": kind, "bytes": size, "samples": 100 if kind == "BAR_PINGPONG" else
                    1 if size > KEPT else 5}}


def jobs_of(row, profile):
    if row.group != "BAR":
        return [study_job(row, profile)]
    near = bar_job(row, profile)
    return [near, bar_job(row, profile, far=True)] if ".numa" in row.id else [near]


def figures(row, profile, simulator):
    """What the simulation says, in the unit and with the keys of the row."""
    jobs = jobs_of(row, profile)
    results = [simulator.result(job) for job in jobs]
    if row.group == "PBB":
        return {"value": results[0]["gbit_per_second"]}
    if row.group == "PBL":
        return {k: results[0][k] for k in row.keys}
    if row.unit == "MB/s":
        rates = [job["measure"]["bytes"] * 1e3 / result["median"]
                 for job, result in zip(jobs, results)]
        return {k: rates[0] for k in row.keys} if row.keys else {"value": rates}
    return {k: results[0]["median" if k == "value" else k] / 1e3 for k in row.keys or ["value"]}


def simulate(all_rows, profile, simulator):
    """Figures by row id."""
    simulator.run([job for row in all_rows for job in jobs_of(row, profile)])
    return {row.id: figures(row, profile, simulator) for row in all_rows}


def tolerance_met(row, key, simulated, published):
    error = abs(simulated - published)
    relative = error / published
    if row.group == "BAR":
        return relative <= (0.2 if row.id.endswith("pplat") else 0.15)
    return relative <= 0.1 or (row.group == "PBL" and key != "value" and error <= 30)


# --- What is predicted, and how it compares ---

def rounded(value):
    if isinstance(value, list):
        return [rounded(element) for element in value]
    return float(f"{value:.5g}")


def prediction(row, figure):
    """In the form of the row."""
    values = {key: rounded(value) for key, value in figure.items()}
    return values if row.keys else values["value"]


def error(row, figure):
    """Of the compared values, the relative error that is furthest from 0."""
    return max((figure[key] / published - 1 for key, published in row.compared().items()), key=abs)


def error_text(row, figure):
    return f"{100 * error(row, figure):+.1f} %"


def met(row, figure):
    return all(tolerance_met(row, key, figure[key], published) for key, published in row.compared().items())


def inputs_table(profile):
    """Every input, its value and where it is from; hosts that share a source in one line."""
    lines = {}
    for name, section in profile.items():
        if name == "description":
            continue
        for part, values in (section.items() if name in ("hosts", "bar") else [(name, section)]):
            for key, source in values["source"].items():
                place = key if name == "hosts" else f"{part}: {key}"
                lines.setdefault((place, source), []).append(
                    f"{values[key]} ({PROCESSOR.search(part)[0]})" if name == "hosts"
                    else str(values[key]))
    return runner.table(["input", "value", "from"], [
        (place, ", ".join(values), source) for (place, source), values in lines.items()])


# --- What the inputs are fitted to ---

def plain(row):
    """No IOMMU and all on the device's socket."""
    return row.configuration == row.host or row.configuration == row.host + "-s0-s0-s0"


def distinct(row):
    """One of the configurations whose bandwidths differ: an IOMMU does not matter for 8 KB."""
    return "-iommu" not in row.configuration


def rereads(row):
    """Haswell without IOMMU, where reads of less than a line are as slow as from memory."""
    return row.id.startswith("PB.hsw") and "-iommu" not in row.configuration


ANCHOR = "LAT_DMA_RD.HWarm.8KB.64"  # the one row of a host that is left in where the others are left out
# Inputs that add to latencies: where they are, how much a latency grows with one, and of which rows.
# Each is moved by the mean of what is missing there.
ADDED = [
    ("hosts/*/propagation_ns", 2, lambda row: row.id.endswith(ANCHOR) and plain(row)),
    ("device/write_overhead_ns", 1, lambda row: row.id.endswith("WRRD.HWarm.8KB.64")),
    ("device/command_overhead_ns", 1,
     lambda row: ".LAT_CMD" in row.id and "-s1-s1" not in row.id and not rereads(row)),
    ("server/memory_latency_ns", 1, lambda row: ".Cold." in row.id and plain(row)),
    ("server/hop_ns", 1, lambda row: "-s1-s1." in row.id and ".LAT_DMA_RD" in row.id),
    ("server/walk_ns", 1, lambda row: ".Cold." in row.id and
     ("-nosp" in row.id or row.id.startswith("PB.snb-Xeon-E5-2630_dell-t620-iommu"))),
    ("hosts/*/partial_read_ns", 1, lambda row: ".LAT_CMD" in row.id and rereads(row)),
]
# Inputs that bandwidths or slopes depend on: each is searched for, within the factor, for the least
# mean power of the relative errors of the rows: a high one, so that nothing is far off; the square
# where some rows are off whatever the inputs are.
SEARCHED = [
    ("device/read_overhead_ns", 1.2, lambda row: ".BW_DMA_RD.64" in row.id and distinct(row)),
    ("device/tags", 1, lambda row: ".BW_DMA_RD.64" in row.id and distinct(row)),
    ("device/store_mbps", 1.5, lambda row: ".LAT_" in row.id and row.id.endswith(".2048")
     and plain(row)),
    ("server/completion_gap_ns", 1.5, lambda row: ".BW_DMA_RD" in row.id and distinct(row)),
    ("device/write_interval_ns", 1.1, lambda row: ".BW_DMA_WR" in row.id and distinct(row)),
    ("device/bus_overhead_ns", 1.5, lambda row: ".BW_DMA_RW" in row.id and distinct(row)),
    ("device/bus_mbps", 1.2, lambda row: ".BW_DMA_RW" in row.id and distinct(row)),
]
# Where a fit that has seen nothing begins: round numbers.
START = {"device/tags": 24, "device/read_overhead_ns": 150, "device/command_overhead_ns": 50,
         "device/write_overhead_ns": 150, "device/write_interval_ns": 20, "device/bus_overhead_ns": 5,
         "device/bus_mbps": 12000, "device/store_mbps": 12000, "server/completion_gap_ns": 3,
         "server/memory_latency_ns": 60, "server/hop_ns": 60, "server/walk_ns": 200}
BAR_SEARCHED = [("propagation_ns", 1.1, ".R."), ("call_ns", 1.5, ".R."), ("evict_ns", 1.2, ".W."),
                ("flush_ns", 1.2, ".W."), ("fence_ns", 1.1, ".W.")]
