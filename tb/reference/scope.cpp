#include "tb/reference/scope.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/abi/mutant.h"
#include "tb/reference/program/engine_faults.h"
#include "tb/reference/program/expression.h"
#include "tb/reference/program/negotiation.h"
#include "tb/reference/safe_settings.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

/// Faults of the hardware that take away nothing: reference/scenario.md, faults.
bool harmless(const json& fault) {
  const std::string kind = fault.at("fault");
  return kind == "message_twice" || kind == "message_late" ||
         (kind == "link_replay" && !abi::mutant(abi::Mutant::kReplayLoses));
}

/// Time that engines work at most, in seconds. Work with a shape has no bound here.
class WorkTime {
 public:
  double of(const json& programs) {
    for (const json& program : programs)
      add(program.contains("steps") ? program.at("steps") : program.at("commands"),
          program.value("count", 1.0));
    return total_;
  }

 private:
  static constexpr double kUnbounded = 1e12;

  void add(const json& list, double times) {
    for (const json& item : list) {
      const std::string& verb = item.begin().key();
      const json& value = item.begin().value();
      if (verb == "repeat") {
        const json& count = value.at("count");
        const double turns = count.is_number() ? count.get<double>() : kUnbounded;
        add(value.contains("steps") ? value.at("steps") : value.at("commands"), times * turns);
      } else if (verb == "submit") {
        add(value.at("commands"), times);
      } else if (verb == "dispatch" || verb == "draw") {
        add_work(value, times);
      }
    }
  }

  /// The time of a shape depends on the chip and on chance; these bounds are far above it.
  void add_work(const json& value, double times) {
    constexpr double kFarAboveMean = 100;
    constexpr double kItem = 1e-6;  // a primitive, a triangle or a pixel
    const bool draw = value.contains("primitives");
    const double units = value.at(draw ? "primitives" : "groups").get<double>();
    double time = 0;
    if (value.contains("duration"))
      time = units * seconds_of(value.at("duration").get<std::string>());
    else if (draw)
      time = kItem * (units + value.at("triangles").get<double>() + value.value("pixels", 0.0));
    else
      time = kFarAboveMean * units * seconds_of(value.at("group_duration").get<std::string>());
    total_ += times * time;
  }

  double total_ = 0;
};

/// Work may be preempted for so long that it counts as hung. In a random order no time passes, and
/// each preemption may.
bool may_time_out(const json& scenario) {
  const json& platform = scenario.at("platform");
  const json& rules = platform.at("os").at("preemption");
  if (!rules.at("detects_timeouts") || abi::mutant(abi::Mutant::kNothingCountsAsHung)) return false;
  if (rules.at("enabled") && scenario.at("policy") == "random") return true;
  const double work = WorkTime().of(scenario.at("programs"));
  const double patience = seconds_of(rules.at("tdr_delay"));
  const auto hangs = [&](const json& adapter) {
    const json& preemption = adapter.at("preemption");
    const double timeout = seconds_of(preemption.at("engine_timeout"));
    return preemption.at("graphics") == "none" || preemption.at("compute") == "none" ||
           (timeout != 0 && 2 * work >= timeout);
  };
  const json& adapters = platform.at("adapters");
  return 2 * work >= patience || std::any_of(adapters.begin(), adapters.end(), hangs);
}

/// Rules that can be removed are all there.
bool keeps_rules(const json& settings) {
  for (const auto& [name, value] : settings.items())
    if (value == false && name != "enabled" && name != "detects_timeouts") return false;
  return true;
}

std::string sharing_out_of_scope(const json& scenario) {
  const json& os = scenario.at("platform").at("os");
  const json& preemption = os.at("preemption");
  const json& scheduling = os.at("context_scheduling");
  if (!keeps_rules(preemption) || !keeps_rules(scheduling))
    return "a rule of preemption is removed";
  if (!keeps_rules(os.at("doorbells"))) return "a rule of doorbells is removed";
  if (!preemption.at("enabled") && !scheduling.at("enabled")) return "";
  return may_time_out(scenario) ? "work that may count as hung" : "";
}

/// The user-mode driver of a process leaves out a duty.
bool neglects_maps(const json& process) {
  const json duties = process.value("map_duties", json::object());
  return std::any_of(duties.begin(), duties.end(), [](const json& duty) { return duty == false; });
}

/// A driver is not newer than the operating system, and has optimised interrupts for native fences
/// only. Source: WDDM, DXGK_VIDSCHCAPS.
bool starts(const json& platform, const json& driver) {
  const auto version = driver.find("wddm");
  if (version != driver.end() &&
      version->get<std::string>() > platform.at("os").at("wddm").get<std::string>())
    return false;
  if (!driver.at("optimized_interrupt")) return true;
  const json& adapters = platform.at("adapters");
  return std::any_of(adapters.begin(), adapters.end(), [&](const json& adapter) {
    return adapter.at("name") == driver.at("adapter") && has_native_fences(platform, adapter);
  });
}

bool is_bad_packet(const json& command) {
  const json& value = command.begin().value();
  if (command.begin().key() == "bad_packet") return true;
  return command.begin().key() == "repeat" &&
         std::any_of(value.at("commands").begin(), value.at("commands").end(), is_bad_packet);
}

/// Steps reset an engine, or give a context a packet that makes its node give up the buffer.
bool loses_work(const json& step) {
  const std::string& verb = step.begin().key();
  const json& value = step.begin().value();
  if (verb == "repeat")
    return std::any_of(value.at("steps").begin(), value.at("steps").end(), loses_work);
  if (verb != "submit" || !value.contains("context")) return verb == "reset_engine";
  const json& commands = value.at("commands");
  return std::any_of(commands.begin(), commands.end(), is_bad_packet);
}

bool loses_work_somewhere(const json& scenario) {
  const json& faults = scenario.at("faults");
  const json& programs = scenario.at("programs");
  return std::any_of(faults.begin(), faults.end(), [](const json& it) { return !harmless(it); }) ||
         std::any_of(programs.begin(), programs.end(), [](const json& program) {
           return program.contains("steps") &&
                  std::any_of(program.at("steps").begin(), program.at("steps").end(), loses_work);
         });
}

/// The thread of this name only sleeps, and then resumes.
bool is_sleeper(const json& program, const std::string& agent) {
  return program.value("thread", "") == agent && program.at("steps").size() == 1 &&
         program.at("steps").front().contains("delay");
}

/// A thread that only sleeps has a core where nothing else is held or runs.
bool sleeps_apart(const json& scenario, const std::string& held, const std::string& agent) {
  const json& programs = scenario.at("programs");
  const auto sleeper = std::find_if(programs.begin(), programs.end(),
                                    [&](const json& it) { return is_sleeper(it, agent); });
  if (sleeper == programs.end() || !sleeper->contains("core")) return false;
  const json& core = sleeper->at("core");
  if (held.rfind("core" + core.dump() + ".", 0) == 0) return false;
  return std::all_of(programs.begin(), programs.end(), [&](const json& it) {
    if (!it.contains("thread") || is_sleeper(it, it.at("thread")))
      return it.value("thread", "") != held;
    return it.contains("core") && it.at("core") != core;
  });
}

}  // namespace

bool holds_end(const json& scenario) {
  const json& holds = scenario.at("holds");
  return std::all_of(holds.begin(), holds.end(), [&](const json& it) {
    const json& until = it.at("until");
    return !abi::mutant(abi::Mutant::kHoldDecides) &&
           sleeps_apart(scenario, it.at("hold").at("agent"), until.at("agent")) &&
           until.at("op") == "resume" && until.at("nth") == 1;
  });
}

std::string out_of_scope(const json& scenario) {
  const json& platform = scenario.at("platform");
  const bool weak = platform.at("host").at("memory_model") == "weak" &&
                    !abi::mutant(abi::Mutant::kWeakHostIsStrong);
  if (const std::string name = unsafe_switch(platform.at("ordering"), weak); !name.empty())
    return "the switch " + name + " removes a mechanism";
  if (const std::string name = unsafe_system(platform.at("os")); !name.empty())
    return "platform.os." + name + " removes a rule";
  for (const json& driver : platform.at("drivers")) {
    if (const std::string name = unsafe_driver(driver); !name.empty())
      return "a driver with " + name + " breaks a rule or does not start";
    if (!starts(platform, driver)) return "a driver that does not start";
    if (const std::string name = unsafe_recovery(driver);
        !name.empty() && loses_work_somewhere(scenario))
      return "lost work and a driver with " + name;
  }
  if (std::string reason = sharing_out_of_scope(scenario); !reason.empty()) return reason;
  const json& processes = scenario.at("processes");
  if (std::any_of(processes.begin(), processes.end(), neglects_maps))
    return "a user-mode driver that neglects maps";
  for (const json& adapter : platform.at("adapters"))
    if (!adapter.at("atomics64")) return "fences of 32 bits are not judged";
  for (const json& fault : scenario.at("faults"))
    if (!harmless(fault))
      if (std::string reason = unjudged_fault(scenario, fault); !reason.empty()) return reason;
  return "";
}

}  // namespace fenceline::reference
