#pragma once

namespace fenceline::scenario {

/// The least that a scenario can be.
constexpr const char* kSmallScenario = R"json({
  "schema_version": 1,
  "name": "small",
  "processes": [{"name": "app", "fences": [{"name": "F"}]}],
  "programs": [{"thread": "t0", "steps": [{"signal": {"fence": "F", "value": 1}}]}],
  "expect": {}
})json";

/// Every verb and nearly every key.
constexpr const char* kFullScenario = R"json({
  "$schema": "../schema/scenario.schema.json",
  "schema_version": 1,
  "name": "full",
  "title": "Everything at once",
  "description": "Uses every verb.",
  "covers": ["NF3", "LB1"],
  "negative_for": ["NF4"],
  "policy": "random",
  "seed": "0xFFFFFFFFFFFFFFFF",
  "end_time": "1.5ms",
  "platform": {
    "host": {"profile": "server", "cores": 8, "memory": {"latency": "90ns"}},
    "adapters": [
      {"name": "gpu0", "profile": "discrete", "fabric": {"drain_latency": "2us"},
       "vram": {"size": "512MiB", "channel_bandwidth": "2.5GB/s"}, "clock": "19.2MHz"},
      {"name": "gpu1", "profile": "litmus",
       "engines": [{"name": "all", "kind": "graphics", "issue": "7ns"}]}
    ],
    "ordering": {"gpu.signal_barrier": "before_raise", "cmp.mv_barrier": "none",
                 "kmd.destroy_drain": 1, "kmd.update_logs": "before_index", "os.on_change": false,
                 "mem.mv_home": "sysmem",
                 "log.writer": "engine", "log.hdr64": false, "isr.ack_first": false,
                 "barrier.reach": "gpu"}
  },
  "processes": [
    {"name": "app",
     "fences": [{"name": "F", "initial_value": "0x1FFFFFFFF", "shared": true,
                 "current_value_home": "sysmem", "monitored_value_home": "vram"}],
     "queues": [{"name": "q", "engine": "compute0", "logs": false, "log_entries": 3,
                 "ring": "4KiB"},
                {"name": "g", "engine": "gfx0"}],
     "allocations": [{"name": "A", "size": "64KiB", "home": "sysmem"}, {"name": "B"}]},
    {"name": "other", "adapter": "gpu1",
     "fences": [{"name": "F", "open": "app/F"}, {"name": "G"}],
     "queues": [{"name": "q", "engine": "all"}]}
  ],
  "programs": [
    {"thread": "t0", "process": "app", "core": 7, "steps": [
      {"submit": {"queue": "q", "commands": [
        {"wait": {"fence": "F", "value": "max"}},
        {"write": {"allocation": "A", "offset": "4088B", "value": "0xFFFFFFFF00000000"}},
        {"copy": {"source": "A", "destination": "B", "size": "4KiB"}},
        {"dispatch": {"duration": "10us", "groups": 64, "read": "1MiB", "write": "64B",
                      "allocation": "A"}},
        {"dispatch": {"threads": 128, "group_duration": "3us", "groups": 9, "registers": 48,
                      "shared_memory": "2KiB", "variation": 20, "distribution": "uniform",
                      "write": "64B", "write_through": true, "allocation": "A"}},
        {"barrier": {}},
        {"flush": {}},
        {"repeat": {"count": 4, "counter": "k", "commands": [
          {"signal": {"fence": "F", "value": "${k}*2+1"}}]}}
      ]}},
      {"wait": {"fence": "F", "value": 42, "timeout": "1ms"}},
      {"wait": {"fences": [{"fence": "F", "value": 1}, {"fence": "F", "value": 2}], "any": true,
                "event": "E"}},
      {"wait_event": {"event": "E", "timeout": "3us"}},
      {"signal": {"fences": [{"fence": "F", "value": 1}, {"fence": "N", "value": 2}]}},
      {"poll": {"fence": "F", "value": 3, "timeout": "2us"}},
      {"delay": "10us"},
      {"compute": "0.5us"},
      {"pace": "16.667ms"},
      {"mark": "done"},
      {"create_fence": {"name": "N", "initial_value": 5}},
      {"destroy_fence": "N"},
      {"set_log_buffers": {"queue": "g", "entries": 10}},
      {"repeat": {"count": 3, "counter": "i", "steps": [
        {"repeat": {"count": "${i}+1", "steps": [
          {"signal": {"fence": "F", "value": "100+${i}"}}]}}]}}
    ]},
    {"queue": "g", "process": "app", "commands": [
      {"draw": {"duration": "1us", "primitives": 3, "read": "4KiB", "allocation": "B"}},
      {"draw": {"triangles": 70, "primitives": 7, "pixels": 8000, "registers": 24}}]}
  ],
  "holds": [{"hold": {"agent": "gpu0.compute0.vram1", "op": "drain", "nth": 2},
             "until": {"agent": "t0", "op": "any"}}],
  "sweep": {
    "design": "random", "points": 20, "seeds": 3, "seed": 7,
    "vary": [
      {"pointer": "/platform/host/cores", "values": [2, 4, 8]},
      {"pointer": "/end_time", "from": "1ms", "to": "2ms", "step": "100us"},
      {"pointer": "/platform/adapters/0/vram/size", "from": "64MiB", "to": "1GiB", "factor": 2}
    ]
  },
  "expect": {
    "outcome": "hang",
    "violations": ["I1"],
    "may_violate": ["I7", "I28"],
    "fences": [{"fence": "app/F", "current_value": 42, "monitored_value": "none"}],
    "counters": {"interrupts.raised": 1, "interrupts.spurious": {"max": 3}},
    "latencies": {"wait_release": {"p99": {"max": "20us"}, "min": "1ns"}},
    "marks": [{"mark": "done", "fence": "G", "value": {"min": 1, "max": 2}}]
  }
})json";

}  // namespace fenceline::scenario
