#!/usr/bin/env python3
"""Checks a trace.pftrace: it decodes, slices nest on every track, times do not run backwards, every
event has its exact time, every flow has both ends and goes forward, every id is declared.

Usage: check_perfetto.py TRACE [--expect-flows]
Needs protoc. Exit: 0 good, 1 a check failed, 77 no protoc (ctest counts it as skipped)."""

import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def decode(path):
    """The trace as a list of packets; a packet is {field: [values]}, messages are such dicts."""
    with open(path, "rb") as trace:
        run = subprocess.run(
            ["protoc", "--decode=fenceline.Trace", "-I", HERE, "perfetto_subset.proto"],
            stdin=trace, capture_output=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{path}: protoc cannot decode it: {run.stderr.decode(errors='replace')}")
    root = {}
    stack = [root]
    for line in run.stdout.decode().splitlines():
        line = line.strip()
        if line.endswith("{"):
            message = {}
            stack[-1].setdefault(line[:-1].strip(), []).append(message)
            stack.append(message)
        elif line == "}":
            stack.pop()
        else:
            name, _, text = line.partition(": ")
            if name.isdigit():
                raise ValueError(f"field {name} is not in perfetto_subset.proto")
            value = int(text) if text.isdigit() else text.strip('"')
            stack[-1].setdefault(name, []).append(value)
    return root.get("packet", [])


class Checker:
    """Walks the packets of one trace and collects what is wrong."""

    def __init__(self):
        self.errors = []
        self.tracks = set()
        self.names = {}        # kind -> {iid: name}
        self.open = {}         # track -> [begin times in ps, inmost last]
        self.last = 0          # [ns]
        self.flow_starts = {}  # flow -> [ps]
        self.flow_ends = {}
        self.slices = 0

    def fail(self, index, text):
        self.errors.append(f"packet {index}: {text}")

    def take(self, index, packet):
        if packet.get("trusted_packet_sequence_id") != [1]:
            self.fail(index, "no sequence id")
        for data in packet.get("interned_data", []):
            for kind, entries in data.items():
                for entry in entries:
                    self.names.setdefault(kind, {})[entry["iid"][0]] = entry["name"][0]
        for track in packet.get("track_descriptor", []):
            if track.get("parent_uuid", [0])[0] not in self.tracks | {0}:
                self.fail(index, "parent track is not declared")
            self.tracks.add(track["uuid"][0])
        for event in packet.get("track_event", []):
            self.event(index, packet["timestamp"][0], event)

    def exact_time(self, index, event):
        known = self.names.get("debug_annotation_names", {})
        for annotation in event.get("debug_annotations", []):
            if known.get(annotation["name_iid"][0]) == "ps":
                return annotation["uint_value"][0]
        self.fail(index, "no annotation ps")
        return 0

    def event(self, index, nanoseconds, event):
        time = self.exact_time(index, event)
        if nanoseconds != time // 1000:
            self.fail(index, f"timestamp {nanoseconds} ns is not {time} ps")
        if nanoseconds < self.last:
            self.fail(index, "time runs backwards")
        self.last = nanoseconds
        track = event["track_uuid"][0]
        if track not in self.tracks:
            self.fail(index, f"track {track} is not declared")
        kind = event["type"][0]
        stack = self.open.setdefault(track, [])
        if kind == "TYPE_SLICE_BEGIN":
            stack.append(time)
            self.slices += 1
        elif kind == "TYPE_SLICE_END":
            if not stack:
                self.fail(index, f"an end without a begin on track {track}")
            elif stack.pop() > time:
                self.fail(index, "a slice ends before it begins")
        if kind != "TYPE_SLICE_END":
            self.named(index, event)
        for flow in event.get("flow_ids", []):
            self.flow_starts.setdefault(flow, []).append(time)
        for flow in event.get("terminating_flow_ids", []):
            self.flow_ends.setdefault(flow, []).append(time)

    def named(self, index, event):
        for iid in event.get("category_iids", [None]):
            if iid not in self.names.get("event_categories", {}):
                self.fail(index, f"category {iid} is not declared")
        if event.get("name_iid", [None])[0] not in self.names.get("event_names", {}):
            self.fail(index, "name is not declared")

    def finish(self):
        for track, stack in self.open.items():
            if stack:
                self.errors.append(f"track {track}: {len(stack)} slices never end")
        for flow in sorted(set(self.flow_starts) | set(self.flow_ends)):
            starts, ends = self.flow_starts.get(flow, []), self.flow_ends.get(flow, [])
            if len(starts) != 1 or len(ends) != 1:
                self.errors.append(f"flow {flow}: {len(starts)} starts and {len(ends)} ends")
            elif starts[0] > ends[0]:
                self.errors.append(f"flow {flow} goes backwards")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("--expect-flows", action="store_true", help="fail without a flow")
    options = parser.parse_args()
    if shutil.which("protoc") is None:
        print("protoc is not installed")
        return 77
    checker = Checker()
    packets = decode(options.trace)
    for index, packet in enumerate(packets):
        checker.take(index, packet)
    checker.finish()
    if not checker.slices:
        checker.errors.append("no slice at all")
    if options.expect_flows and not checker.flow_starts:
        checker.errors.append("no flow at all")
    for error in checker.errors[:20]:
        print(f"{options.trace}: {error}", file=sys.stderr)
    if checker.errors:
        print(f"{len(checker.errors)} errors", file=sys.stderr)
        return 1
    print(f"{options.trace}: {len(packets)} packets, {len(checker.tracks)} tracks, "
          f"{checker.slices} slices, {len(checker.flow_starts)} flows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
