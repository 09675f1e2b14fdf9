#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "models/common/steps/time.h"
#include "tb/scenario/shapes/reader.h"

namespace fenceline::scenario {

/// Kind of a fault.
enum class FaultKind : std::uint8_t {
  kMessageLost,
  kMessageTwice,
  kMessageLate,
  kLinkReplay,
  kEngineHang,
  kEngineFault
};
enum class FaultWay : std::uint8_t { kUp, kDown };

constexpr std::array<Choice<FaultKind>, 6> kFaultKinds{{{"message_lost", FaultKind::kMessageLost},
                                                        {"message_twice", FaultKind::kMessageTwice},
                                                        {"message_late", FaultKind::kMessageLate},
                                                        {"link_replay", FaultKind::kLinkReplay},
                                                        {"engine_hang", FaultKind::kEngineHang},
                                                        {"engine_fault", FaultKind::kEngineFault}}};
constexpr std::array<Choice<FaultWay>, 2> kFaultWays{
    {{"up", FaultWay::kUp}, {"down", FaultWay::kDown}}};

/// A fault of an adapter or its link, for tests of the error handling.
struct Fault {
  static constexpr const char* kName = "fault";
  FaultKind kind = FaultKind::kMessageLost;
  std::optional<std::string> adapter;
  std::optional<std::string> engine;
  std::optional<FaultWay> way;
  std::optional<common::Time> delay;
  std::optional<common::Time> at;  ///< trigger: one of these four
  std::optional<std::uint64_t> nth;
  std::optional<std::uint64_t> every;
  std::optional<std::string> after;
  Location location;

  template <class V, class T>
  static void fields(V& v, T& t) {
    const IntegerCodec number{1, 1'000'000'000'000};
    v.required(
        "fault", t.kind, choice(kFaultKinds),
        "An interrupt message is lost, sent twice or late; a packet is sent again; an engine "
        "never ends a packet, or cannot execute it.");
    v.field("adapter", t.adapter, maybe(name()), "Default: the first.");
    v.field("engine", t.engine, maybe(name()), "Engine of the packet.");
    v.field("way", t.way, maybe(choice(kFaultWays)),
            "Direction of the packet that is sent again: up to the host, or down. Default: up.");
    v.field("delay", t.delay, maybe(duration(1)),
            "Extra delay of a late message; time until a packet is sent again.");
    v.field("at", t.at, maybe(duration()),
            "Trigger: the first message or packet from this time on.");
    v.field("nth", t.nth, maybe(number), "Trigger: the item with this number, from 1.");
    v.field("every", t.every, maybe(number),
            "Trigger: every item whose number is a multiple of this.");
    v.field("after", t.after, maybe(name()),
            "Trigger: the first item after a program reached this mark.");
    v.location(t.location);
  }
};

}  // namespace fenceline::scenario
