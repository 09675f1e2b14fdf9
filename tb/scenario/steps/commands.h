#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/abi/packets.h"
#include "models/abi/private_data.h"
#include "tb/scenario/steps/fields.h"

namespace fenceline::scenario {

// Commands of a queue. Each becomes one packet, plus a LOG packet if the queue logs.

constexpr std::uint64_t kMaxBytes = 1ULL << 40U;  ///< traffic per command

template <class V, class T>
void traffic_fields(V& v, T& t) {
  v.field("read", t.read_bytes, size(0, kMaxBytes), "Bytes that it reads.");
  v.field("write", t.write_bytes, size(0, kMaxBytes), "Bytes that it writes.");
  v.field("write_through", t.write_through, BooleanCodec{},
          "Its writes leave no dirty cache lines.");
  v.field("allocation", t.allocation, maybe(name()),
          "Allocation of the memory traffic; required if there is traffic.");
}

struct SignalCommand {
  static constexpr Verb kVerb{"signal", "Signals a fence."};
  FencePoint point;

  static auto codec() { return member(&SignalCommand::point, ObjectCodec<FencePoint>{}); }
};

struct WaitCommand {
  static constexpr Verb kVerb{"wait", "Waits until a fence has the value."};
  FencePoint point;

  static auto codec() { return member(&WaitCommand::point, ObjectCodec<FencePoint>{}); }
};

struct WriteCommand {
  static constexpr Verb kVerb{"write", "Writes 64 bits."};
  std::string allocation;
  std::uint64_t offset = 0;
  Expression value;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("allocation", t.allocation, name(), "Allocation to write to.");
    v.field("offset", t.offset, size(0, kMaxBytes, 8),
            "Offset from the start; a multiple of 8 bytes.");
    v.required("value", t.value, ExpressionCodec{}, "64-bit value.");
  }
};

struct CopyCommand {
  static constexpr Verb kVerb{"copy", "Copies memory."};
  std::string source;
  std::string destination;
  std::uint64_t bytes = 0;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("source", t.source, name(), "An allocation.");
    v.required("destination", t.destination, name(), "An allocation.");
    v.required("size", t.bytes, size(1, kMaxBytes),
               "Number of bytes to copy, from start to start.");
  }
};

constexpr std::array<Choice<abi::GroupTimes>, 2> kGroupTimes{
    {{"uniform", abi::GroupTimes::kUniform}, {"lognormal", abi::GroupTimes::kLognormal}}};

/// Work given by `duration` or by the shape of thread groups, with memory traffic.
struct DispatchCommand {
  static constexpr Verb kVerb{"dispatch", "Compute work."};
  Time duration = 0;  ///< total; with `threads` the mean per group
  std::uint32_t groups = 1;
  std::uint32_t threads = 0;  ///< per group; 0: no shape
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
  std::uint32_t variation = 0;  ///< [%]
  abi::GroupTimes distribution = abi::GroupTimes::kLognormal;
  bool write_through = false;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  /// Allocation of the traffic; required if there is traffic.
  std::optional<std::string> allocation;

  /// A dispatch with the resource needs of its thread groups.
  struct Grid {
    using Type = DispatchCommand;
    static constexpr const char* kName = "grid";
    static constexpr const char* kKey = "threads";
    static bool applies(const DispatchCommand& command) { return command.threads != 0; }
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("threads", t.threads, IntegerCodec{1, 1024}, "Threads per group.");
      v.required("group_duration", t.duration, scenario::duration(1), "Mean duration of a group.");
      v.field("groups", t.groups, IntegerCodec{1, 1ULL << 31U}, "Thread groups.");
      v.field("registers", t.registers, IntegerCodec{0, 512}, "32-bit registers per thread.");
      v.field("shared_memory", t.shared_bytes, size(0, 1 << 20), "Shared memory per group.");
      v.field("variation", t.variation, IntegerCodec{0, 100},
              "Coefficient of variation of the durations of groups, in percent.");
      v.field("distribution", t.distribution, choice(kGroupTimes),
              "Distribution of the durations of groups.");
      traffic_fields(v, t);
    }
  };
  struct Timed {
    using Type = DispatchCommand;
    static constexpr const char* kName = "dispatch";
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("duration", t.duration, scenario::duration(), "Time on the engine.");
      v.field("groups", t.groups, IntegerCodec{1, 1ULL << 31U},
              "Number of thread groups; they run one after the other.");
      traffic_fields(v, t);
    }
  };
  using Codec = EitherCodec<Grid, Timed>;
  static Codec codec() { return {}; }
};

/// The same for primitives.
struct DrawCommand {
  static constexpr Verb kVerb{"draw", "Graphics work."};
  Time duration = 0;
  std::uint32_t primitives = 1;
  std::uint64_t triangles = 0;  ///< 0: no shape
  std::uint64_t pixels = 0;
  std::uint32_t registers = 0;
  bool write_through = false;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::optional<std::string> allocation;

  /// A draw whose time follows from the pipeline of the chip.
  struct Mesh {
    using Type = DrawCommand;
    static constexpr const char* kName = "mesh";
    static constexpr const char* kKey = "triangles";
    static bool applies(const DrawCommand& command) { return command.triangles != 0; }
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("triangles", t.triangles, IntegerCodec{1, 1ULL << 36U},
                 "Number of triangles of the draw.");
      v.field("primitives", t.primitives, IntegerCodec{1, 1ULL << 31U},
              "Number of primitives of the triangles.");
      v.field("pixels", t.pixels, IntegerCodec{0, 1ULL << 40U},
              "Number of pixels that the triangles cover.");
      v.field("registers", t.registers, IntegerCodec{0, 512},
              "32-bit registers per thread that shades pixels.");
      traffic_fields(v, t);
    }
  };
  struct Timed {
    using Type = DrawCommand;
    static constexpr const char* kName = "draw";
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("duration", t.duration, scenario::duration(), "Time on the engine.");
      v.field("primitives", t.primitives, IntegerCodec{1, 1ULL << 31U},
              "Number of primitives; they run one after the other.");
      traffic_fields(v, t);
    }
  };
  using Codec = EitherCodec<Mesh, Timed>;
  static Codec codec() { return {}; }
};

/// waits until earlier writes of the queue reach memory
struct BarrierCommand : Nothing {
  static constexpr Verb kVerb{"barrier", "Waits until earlier writes of the queue reach memory."};
};

/// a barrier that includes host memory
struct FlushCommand : Nothing {
  static constexpr Verb kVerb{"flush", "A barrier that includes host memory."};
};

/// A point where the buffer may be split.
struct SplitCommand : Nothing {
  static constexpr Verb kVerb{"split", "The buffer of a patched context may be split here."};
};

/// Packets that are not allowed in buffers of user mode.
enum class BadPacket : std::uint8_t {
  kOpcode,     ///< unknown to all engines
  kSize,       ///< shorter than its header
  kRead,       ///< a copy from an unmapped address
  kWrite,      ///< a write to an unmapped address
  kPhysical,   ///< a copy with GPU physical addresses
  kBind,       ///< binds memory to a slot of the node
  kWaitBlank,  ///< a display packet
  kFlip        ///< a display packet
};

constexpr std::array<Choice<BadPacket>, 8> kBadPackets{{{"opcode", BadPacket::kOpcode},
                                                        {"size", BadPacket::kSize},
                                                        {"read", BadPacket::kRead},
                                                        {"write", BadPacket::kWrite},
                                                        {"physical", BadPacket::kPhysical},
                                                        {"bind", BadPacket::kBind},
                                                        {"wait_blank", BadPacket::kWaitBlank},
                                                        {"flip", BadPacket::kFlip}}};

struct BadPacketCommand {
  static constexpr Verb kVerb{"bad_packet", "A packet that is invalid or forbidden for user mode."};
  BadPacket what = BadPacket::kOpcode;

  static auto codec() { return member(&BadPacketCommand::what, choice(kBadPackets)); }
};

struct Command;
using Commands = std::vector<Command>;

struct RepeatCommands {
  static constexpr Verb kVerb{"repeat", "A loop."};
  static constexpr const char* kName = "repeat_commands";
  Expression count;
  std::string counter;
  Commands body;

  template <class V, class T>
  static void fields(V& v, T& t) {
    repeat_fields(v, t);
    v.required("commands", t.body, list(VerbCodec<Command>{}, 1, kMaxSteps), "Commands to repeat.");
  }
};

/// A command of a queue.
struct Command {
  static constexpr const char* kName = "command";
  std::variant<SignalCommand, WaitCommand, WriteCommand, CopyCommand, DispatchCommand, DrawCommand,
               BarrierCommand, FlushCommand, SplitCommand, BadPacketCommand, RepeatCommands>
      what;
  Location at;

  template <class V>
  static void verbs(V& v) {
    VerbsOf<decltype(what)>::visit(v);
  }
};

}  // namespace fenceline::scenario
