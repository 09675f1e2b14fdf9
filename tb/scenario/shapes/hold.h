#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/scenario/shapes/reader.h"

namespace fenceline::scenario {

/// Names of the operations of `Steps`.
std::vector<std::string> operation_names();

/// One operation of one agent, e.g. {"agent": "gpu0.compute0.vram1", "op": "drain", "nth": 1}.
struct OperationRef {
  static constexpr const char* kName = "operation";
  std::string agent;
  std::string op;
  std::uint32_t nth = 1;  ///< counted from the end of the set-up

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("agent", t.agent, agent_name(),
               "Agent of the operation, e.g. \"gpu0.compute0.vram1\".");
    v.required("op", t.op, WordCodec{operation_names()},
               "Name of the operation; \"any\": every operation.");
    v.field("nth", t.nth, IntegerCodec{1, 1'000'000'000}, "Number of the occurrence, from 1.");
  }
};

/// `operation` must not happen before `until`.
struct Hold {
  static constexpr const char* kName = "hold";
  OperationRef operation;
  OperationRef until;
  Location at;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("hold", t.operation, ObjectCodec<OperationRef>{}, "Does not happen ...");
    v.required("until", t.until, ObjectCodec<OperationRef>{}, "... before this has happened.");
    v.location(t.at);
  }
};

}  // namespace fenceline::scenario
