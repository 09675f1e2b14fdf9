"""The published figures of docs/fidelity/pcie.csv, and the simulation of each from the profile."""
import csv
import json
import pathlib
import re

from simulator import Simulator

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs/fidelity/pcie.csv"
PROFILE = ROOT / "docs/fidelity/pcie_inputs.json"
PROGRAM = ROOT / "build/release/bin/fenceline_measure"

LATENCY = ("median", "avg", "p95", "min")  # of a published row; the first three are compared
HOST = re.compile(r"PB\.(?P<host>.*?)(?:-s0-s(?P<buffer>\d)-s(?P<core>\d))?"
                  r"(?P<iommu>-iommu)?(?P<small>-nosp)?\.(?P<kind>LAT_DMA_RD|LAT_DMA_WRRD|"
                  r"LAT_CMD_RD|BW_DMA_RD|BW_DMA_WR|BW_DMA_RW)(?P<rest>\..*)$")
BAR = re.compile(r"BAR\.(?P<device>\w+)\.(?P<what>[WR]|Wbw|Rbw|numaW|numaR|pplat)(\.(?P<bytes>\d+))?$")
KEPT = 65536  # more bytes than this are simulated once, not several times


class Row:
    """A published figure, or one whose value is withheld."""

    def __init__(self, fields):
        self.id = fields["id"]
        self.unit = fields["unit"]
        self.known = fields["split"] == "calibration"
        self.keys = fields["keys"].split("|") if fields["keys"] else []
        names = [k for k in LATENCY if fields[k]] if self.keys else ["value"]
        self.values = {k: float(fields[k]) for k in names if fields[k]}

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


def load_profile():
    return json.loads(PROFILE.read_text(encoding="utf-8"))


def study_job(row, profile):
    """The job for a figure of the pcie-bench study."""
    match = HOST.match(row.id)
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
