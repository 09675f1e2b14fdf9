#pragma once

#include <array>
#include <string>
#include <vector>

#include "tb/os/core/system_options.h"
#include "tb/scenario/shapes/reader.h"
#include "tb/scenario/text/expression.h"
#include "tb/scenario/text/location.h"

namespace fenceline::scenario {

// Names, values and fields that several objects, steps and commands have. The types of steps have
// their own fields: see reader.h.

using common::Time;

/// Kind of object that a name in a step refers to; the object must exist.
enum class NameOf : std::uint8_t {
  kFence,
  kQueue,
  kContext,
  kHardwareContext,  ///< or a queue with an implicit one
  kManaged,          ///< allocation of the memory manager
  kPrimary,          ///< allocation that the display can show
  kCpuEvent,
  kEvent,
  kEngine
};
struct NameCodec : PatternCodec {
  NameOf of;
};
inline NameCodec name_of(NameOf of) { return {name(), of}; }

/// Names of NTSTATUS values that calls may return.
WordCodec status_word();

template <class V, class T>
void status_field(V& v, T& t) {
  v.field("status", t.status, maybe(status_word()),
          "Required status of the call. Default: no error.");
}

constexpr std::array<Choice<std::uint32_t>, 4> kBands{
    {{"idle", 0}, {"normal", 1}, {"focus", 2}, {"realtime", 3}}};

template <class V, class T>
void scheduling_fields(V& v, T& t) {
  v.field("band", t.band, choice(kBands), "Priority band.");
  v.field("realtime_level", t.realtime_level, IntegerCodec{0, 31},
          "Level within the realtime band.");
  v.field("priority", t.priority, SignedCodec{-7, 7},
          "Priority among the contexts of one process.");
  v.field("quantum", t.quantum, duration(),
          "Time that it runs before contexts of equal rank get their turn; 0ps: no limit.");
  v.field("grace_same", t.grace_same, duration(), "Extra time after the quantum.");
  v.field("grace_lower", t.grace_lower, duration(),
          "Extra time that it leaves to a running context of its process with lower priority.");
}

constexpr std::size_t kMaxSteps = 100'000;           ///< steps or commands per array
constexpr std::uint64_t kMaxUnrolled = 100'000'000;  ///< steps and commands with repeats unrolled

/// Name of a counter; an empty name is not written.
struct CounterCodec {
  void read(const Node& node, std::string& out) const { name().read(node, out); }
  Json write(const std::string& value) const;
  Json schema(SchemaDefinitions& definitions) const;
};

template <class V, class T>
void repeat_fields(V& v, T& t) {
  v.required("count", t.count, ExpressionCodec{1, kMaxUnrolled}, "Number of rounds.");
  v.field("counter", t.counter, CounterCodec{},
          "Counter with the number of the round, from 0, for expressions.");
}

/// One fence and one value, both of the same process.
struct FencePoint {
  static constexpr const char* kName = "fence_point";
  std::string fence;
  Expression value;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("fence", t.fence, name_of(NameOf::kFence), "A fence of the program's process.");
    v.required("value", t.value, ExpressionCodec{}, "Fence value.");
  }
};

/// A step or command without fields.
struct Nothing {
  static constexpr const char* kName = "nothing";
  template <class V, class T>
  static void fields(V&, T&) {}
};

}  // namespace fenceline::scenario
