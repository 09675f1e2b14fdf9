#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/top/config.h"
#include "tb/os/core/system_options.h"
#include "tb/scenario/shapes/driver.h"
#include "tb/scenario/shapes/expect.h"
#include "tb/scenario/shapes/explore.h"
#include "tb/scenario/shapes/fault.h"
#include "tb/scenario/shapes/hold.h"
#include "tb/scenario/shapes/sweep.h"
#include "tb/scenario/steps/program.h"
#include "tb/user/ordering.h"

namespace fenceline::scenario {

struct HostShape;
struct AdapterShape;

/// Hardware, operating system and drivers.
struct Platform : top::PlatformConfig, FromProfile {
  static constexpr const char* kName = "platform";
  user::Ordering ordering;
  os::SystemOptions system;
  std::vector<Driver> drivers;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("host", t, ObjectCodec<HostShape>{}, "CPU side. Default: the profile \"desktop\".");
    v.field("adapters", t.gpus, list(ObjectCodec<AdapterShape>{}, 1, 8),
            "GPUs. Default: \"gpu0\" with the profile \"discrete\".");
    v.field("ordering", t.ordering, ObjectCodec<OrderingShape>{},
            "Switches of the ordering mechanisms; the defaults lose no waiter.");
    v.field("os", t.system, ObjectCodec<OptionsShape<os::SystemOptions>>{},
            "Features and rules of the operating system.");
    v.field("drivers", t.drivers, list(ObjectCodec<Driver>{}, 0, 8),
            "Drivers that differ from the default, one per adapter.");
  }
};

/// Interleavings of a run: given by timing, or seeded random orders without time.
enum class PolicyKind : std::uint8_t { kTiming, kRandom };
constexpr std::array<Choice<PolicyKind>, 2> kPolicies{
    {{"timing", PolicyKind::kTiming}, {"random", PolicyKind::kRandom}}};

/// Limits for runs that do not end by themselves.
struct RunLimits {
  static constexpr const char* kName = "limits";
  Time standstill = common::kSecond;
  std::uint64_t standstill_steps = 10'000'000;
  std::uint64_t steps = 1'000'000'000;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("standstill", t.standstill, duration(common::kMillisecond),
            "Limit of simulated time in which only polling threads advance: then the run is a "
            "hang, or a livelock if threads poll.");
    v.field("standstill_steps", t.standstill_steps, IntegerCodec{1'000, 1'000'000'000'000},
            "The same limit in steps, for runs in which time does not pass.");
    v.field("steps", t.steps, IntegerCodec{1'000, 1'000'000'000'000'000},
            "Limit of steps of a run with time.");
  }
};

struct Scenario;

constexpr std::uint64_t kSchemaVersion = 1;

/// The number kSchemaVersion.
struct VersionCodec {
  void read(const Node& node, const Scenario&) const;
  Json write(const Scenario&) const;
  Json schema(SchemaDefinitions&) const;
};

/// Text for editors; it is ignored.
struct IgnoredTextCodec {
  void read(const Node& node, const Scenario&) const;
  Json write(const Scenario&) const;
  Json schema(SchemaDefinitions&) const;
};

/// A checked scenario: all names resolve and all values are in range.
struct Scenario {
  // Defined in scenario.cpp: otherwise each user would compile the copy of all steps.
  Scenario();
  Scenario(const Scenario&);
  Scenario(Scenario&&) noexcept;
  Scenario& operator=(const Scenario&);
  Scenario& operator=(Scenario&&) noexcept;
  ~Scenario();

  static constexpr const char* kName = "scenario";
  std::string path;  ///< as given
  std::string text;  ///< the document that was read, without what options change
  std::string name;
  std::string title;
  std::string description;
  std::vector<std::string> covers;
  std::vector<std::string> negatives;
  PolicyKind policy = PolicyKind::kTiming;
  std::uint64_t seed = 1;
  RunLimits limits;
  std::optional<Time> end_time;
  Platform platform;
  std::vector<Process> processes;
  std::vector<Program> programs;
  std::vector<Fault> faults;
  std::vector<Hold> holds;
  Expectations expect;
  ExploreSettings explore;
  SweepSettings sweep;
  std::string effective_json;  ///< the formatted document with all defaults

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("$schema", t, IgnoredTextCodec{}, "For editors: path of scenario.schema.json.");
    v.required("schema_version", t, VersionCodec{}, "Version of this format.");
    v.required("name", t.name, scenario::name(), "Names the run's output folder.");
    v.field("title", t.title, TextCodec{0, 200}, "One line.");
    v.field("description", t.description, TextCodec{}, "A paragraph.");
    v.field("covers", t.covers, list(requirement(), 0, 64), "Requirements that it shows.");
    v.field("negative_for", t.negatives, list(requirement(), 0, 64),
            "Requirements that it breaks, to show that their checkers report it.");
    v.field("policy", t.policy, choice(kPolicies),
            "Interleavings: given by timing, or seeded random orders without time.");
    v.field("seed", t.seed, ValueCodec{}, "Seed of all random choices.");
    v.field("end_time", t.end_time, maybe(duration(1)),
            "Fixed end of the run. An agent that still waits then is hung.");
    v.field("limits", t.limits, ObjectCodec<RunLimits>{},
            "Limits for runs that do not end by themselves.");
    v.field("platform", t.platform, ObjectCodec<Platform>{}, "Host, GPUs and ordering switches.");
    v.required("processes", t.processes, list(ObjectCodec<Process>{}, 1, 64),
               "User-mode processes and their objects.");
    v.required("programs", t.programs, list(Program::Codec{}, 1, 1024),
               "Steps of threads and commands of queues.");
    v.field("faults", t.faults, list(ObjectCodec<Fault>{}, 0, 1024),
            "Faults of adapters and links.");
    v.field("holds", t.holds, list(ObjectCodec<Hold>{}, 0, 1024), "Fixed orders of operations.");
    v.field("explore", t.explore, ObjectCodec<ExploreSettings>{},
            "Settings of the search over orders.");
    v.field("sweep", t.sweep, ObjectCodec<SweepSettings>{}, "Runs with varied values.");
    v.required("expect", t.expect, ObjectCodec<Expectations>{}, "Expected results.");
  }
};

}  // namespace fenceline::scenario
