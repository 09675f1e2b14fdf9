#include "tb/campaign/compare.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "kmd_stub/wddm/names.h"

namespace fenceline::campaign {

using reference::Happens;
using Kind = DifferenceKind;

namespace {

/// Name of a kind, and the rule behind it.
struct KindWords {
  const char* name;
  const char* rule;
};

constexpr std::array<KindWords, kDifferenceKinds> kKindWords{{
    {"value",
     "a fence has the value of the last signal that took effect, or that of a device in error"},
    {"wait",
     "a wait ends when its values are reached or its fence is closed, and not before; other steps "
     "end, and the next one begins"},
    {"order",
     "an operation takes effect after those of its agent before it, after its submission, and "
     "after the signals that its waits need"},
    {"bytes", "a word holds the value of the last write in the order of the waits and signals"},
    {"status", "a call returns the status of the documents for its arguments"},
    {"lost work", "each command of a submission runs once and in order, after its waits"},
    {"hang", "a run comes to its end if every wait is reached in every order"},
    {"bug check", "the operating system stops the machine only if a rule was broken"},
}};

/// Such as "thread t0" or "queue app/q".
std::string text_of(const Agent& agent) {
  constexpr std::array<const char*, 3> kAgents{"thread", "queue", "context"};
  return fmt::format("{} {}", kAgents[static_cast<std::size_t>(agent.kind)], agent.name);
}

class Comparer {
 public:
  Comparer(const reference::Outcome& wanted, const Observation& found)
      : wanted_(wanted), found_(found) {}

  Comparison run() {
    const bool stopped = compare_bug_check();
    for (const auto& [name, steps] : wanted_.threads)
      compare_thread(agent_of(name, Agent::Kind::kThread), steps, stopped);
    for (const auto& [name, commands] : wanted_.commands)
      compare_queue(agent_of(name, Agent::Kind::kQueue), commands, stopped);
    if (stopped) return std::move(result_);
    compare_hang();
    compare_fences();
    compare_contents();
    return std::move(result_);
  }

 private:
  void differ(Kind kind, std::string place, std::string sentence) {
    result_.differences.push_back({kind, std::move(place), std::move(sentence)});
  }
  static bool rules_out(Happens wanted, bool found) {
    return wanted != Happens::kMaybe && (wanted == Happens::kAlways) != found;
  }
  /// Counts a statement; true if it rules `found` out.
  bool differs(Kind kind, Happens wanted, bool found) {
    Statements& statements = result_.statements[kind];
    ++(wanted == Happens::kMaybe ? statements.open : statements.fixed);
    return rules_out(wanted, found);
  }
  bool differs(Kind kind, const reference::Allowed& wanted, std::uint64_t found) {
    Statements& statements = result_.statements[kind];
    ++(wanted.open ? statements.open : wanted.fixed() ? statements.fixed : statements.sets);
    return !wanted.allows(found);
  }
  static std::string values_of(const reference::Allowed& wanted) {
    return fmt::format("{}", fmt::join(wanted.values, " or "));
  }

  bool compare_bug_check();
  /// @param kind of an agent that the run has not seen
  Agent agent_of(const std::string& name, Agent::Kind kind) const {
    const auto found = std::find_if(found_.agents.begin(), found_.agents.end(),
                                    [&name](const Agent& agent) { return agent.name == name; });
    return found == found_.agents.end() ? Agent{kind, name} : *found;
  }
  void compare_thread(const Agent& agent, const std::vector<reference::StepOutcome>& wanted,
                      bool stopped);
  bool compare_step(const Agent& agent, const reference::StepOutcome& wanted, const StepSeen* found,
                    bool stopped);
  void compare_results(const Agent& agent, const reference::StepOutcome& wanted,
                       const StepSeen& found);
  void compare_queue(const Agent& agent, const std::vector<reference::CommandOutcome>& wanted,
                     bool stopped);
  void compare_commands(const Agent& agent, const std::vector<reference::CommandOutcome>& wanted,
                        const std::vector<CommandSeen>& seen, bool stopped);
  void compare_turns(const Agent& agent, const std::vector<CommandSeen>& seen);
  void compare_order(const std::string& what, const std::string& pointer,
                     const reference::Progress& after, const Counts& over);
  void compare_hang();
  void compare_fences();
  void compare_contents();

  const reference::Outcome& wanted_;
  const Observation& found_;
  Comparison result_;
};

/// True if the machine was stopped.
bool Comparer::compare_bug_check() {
  const bool stopped = found_.ending == report::Ending::kBugCheck;
  if (differs(Kind::kBugCheck, wanted_.bug_check, stopped))
    differ(Kind::kBugCheck, found_.bug_check,
           stopped ? fmt::format("bug check {} stops the machine", found_.bug_check)
                   : "the machine is not stopped by a bug check");
  return stopped;
}

void Comparer::compare_thread(const Agent& agent, const std::vector<reference::StepOutcome>& wanted,
                              bool stopped) {
  const auto found = found_.threads.find(agent.name);
  const std::vector<StepSeen> none;
  const std::vector<StepSeen>& seen = found == found_.threads.end() ? none : found->second;
  std::size_t next = 0;
  for (const reference::StepOutcome& step : wanted) {
    const bool begun = next < seen.size() && seen[next].pointer == step.pointer;
    if (!compare_step(agent, step, begun ? &seen[next] : nullptr, stopped)) return;
    if (begun) ++next;
  }
  if (next < seen.size())
    differ(Kind::kWait, seen[next].pointer,
           fmt::format("{} began step {}, which is not next in its program", text_of(agent),
                       seen[next].pointer));
}

/// False if the later steps of the thread are not to be judged. @param found null: not begun.
bool Comparer::compare_step(const Agent& agent, const reference::StepOutcome& wanted,
                            const StepSeen* found, bool stopped) {
  const bool ended = found != nullptr && found->ended;
  if (stopped && !ended) return false;
  if (rules_out(wanted.begins, found != nullptr)) {
    differ(Kind::kWait, wanted.pointer,
           fmt::format("{} {} step {}", text_of(agent),
                       found != nullptr ? "must not begin" : "did not begin", wanted.pointer));
    return false;
  }
  if (found == nullptr) return true;
  if (differs(Kind::kWait, wanted.ends, ended)) {
    differ(Kind::kWait, wanted.pointer,
           fmt::format("{} {} step {}", text_of(agent), ended ? "must not end" : "did not end",
                       wanted.pointer));
    return false;
  }
  compare_results(agent, wanted, *found);
  return true;
}

void Comparer::compare_results(const Agent& agent, const reference::StepOutcome& wanted,
                               const StepSeen& found) {
  for (const NTSTATUS status : found.statuses) {
    const std::string name = fenceline::wddm::status_name(status);
    Statements& statements = result_.statements[Kind::kStatus];
    ++(wanted.statuses.empty()       ? statements.open
       : wanted.statuses.size() == 1 ? statements.fixed
                                     : statements.sets);
    if (wanted.statuses.empty() || wanted.statuses.count(name) != 0) continue;
    differ(Kind::kStatus, wanted.pointer,
           fmt::format("a call of {} in step {} returned {}, and must return {}", text_of(agent),
                       wanted.pointer, name, fmt::join(wanted.statuses, " or ")));
  }
  if (found.loaded && differs(Kind::kValue, wanted.loaded, *found.loaded))
    differ(Kind::kValue, wanted.pointer,
           fmt::format("{} loaded {} in step {}, and must load {}", text_of(agent), *found.loaded,
                       wanted.pointer, values_of(wanted.loaded)));
  if (found.ended)
    compare_order(fmt::format("{} ended step {}", text_of(agent), wanted.pointer), wanted.pointer,
                  wanted.after, found.over);
}

void Comparer::compare_order(const std::string& what, const std::string& pointer,
                             const reference::Progress& after, const Counts& over) {
  for (const auto& [name, count] : after) {
    ++result_.statements[Kind::kOrder].fixed;
    const auto agent =
        std::find_if(found_.agents.begin(), found_.agents.end(),
                     [&name = name](const Agent& candidate) { return candidate.name == name; });
    const auto index = static_cast<std::size_t>(agent - found_.agents.begin());
    if (count == 0 || (index < over.size() && over[index] >= count)) continue;
    const Agent other = agent_of(name, Agent::Kind::kQueue);
    const bool thread = other.kind == Agent::Kind::kThread;
    differ(Kind::kOrder, pointer,
           fmt::format("{} before {} had {} {} {}", what, text_of(other), thread ? "ended" : "done",
                       count, thread ? "steps" : "commands"));
  }
}

/// Submitters are in no order among each other.
void Comparer::compare_queue(const Agent& agent,
                             const std::vector<reference::CommandOutcome>& wanted, bool stopped) {
  const auto found = found_.commands.find(agent.name);
  const std::vector<CommandSeen> none;
  const std::vector<CommandSeen>& seen = found == found_.commands.end() ? none : found->second;
  std::map<std::string, std::vector<CommandSeen>> seen_of;
  for (const CommandSeen& it : seen) seen_of[it.submitter].push_back(it);
  std::map<std::string, std::vector<reference::CommandOutcome>> wanted_of;
  for (const reference::CommandOutcome& it : wanted) wanted_of[it.submitter].push_back(it);
  for (const auto& [submitter, commands] : wanted_of)
    compare_commands(agent, commands, seen_of[submitter], stopped);
  for (const auto& [submitter, commands] : seen_of)
    if (wanted_of.count(submitter) == 0) compare_commands(agent, {}, commands, stopped);
  compare_turns(agent, seen);
}

/// A queue does its commands in the order in which they were recorded, and each of them once.
void Comparer::compare_turns(const Agent& agent, const std::vector<CommandSeen>& seen) {
  const CommandSeen* last = nullptr;
  for (const CommandSeen& it : seen) {
    if (!it.done) continue;
    if (it.times > 1)
      return differ(
          Kind::kLostWork, it.pointer,
          fmt::format("{} did command {} {} times", text_of(agent), it.pointer, it.times));
    if (last != nullptr && it.finished < last->finished)
      return differ(Kind::kLostWork, it.pointer,
                    fmt::format("{} did command {} before command {}, which is in front of it",
                                text_of(agent), it.pointer, last->pointer));
    last = &it;
  }
}

void Comparer::compare_commands(const Agent& agent,
                                const std::vector<reference::CommandOutcome>& wanted,
                                const std::vector<CommandSeen>& seen, bool stopped) {
  std::size_t next = 0;
  for (const reference::CommandOutcome& command : wanted) {
    const bool recorded = next < seen.size() && seen[next].pointer == command.pointer;
    const bool done = recorded && seen[next].done;
    if (stopped && !done) return;
    if (differs(Kind::kLostWork, command.done, done)) {
      differ(Kind::kLostWork, command.pointer,
             fmt::format("{} {} command {}", text_of(agent), done ? "must not do" : "did not do",
                         command.pointer));
      return;
    }
    if (done)
      compare_order(fmt::format("{} did command {}", text_of(agent), command.pointer),
                    command.pointer, command.after, seen[next].over);
    if (recorded) ++next;
  }
  if (next < seen.size())
    differ(Kind::kLostWork, seen[next].pointer,
           fmt::format("{} recorded command {}, which is not next in its program", text_of(agent),
                       seen[next].pointer));
}

void Comparer::compare_hang() {
  const bool hangs = found_.ending != report::Ending::kCompleted;
  if (!differs(Kind::kHang, wanted_.hangs, hangs)) return;
  if (!hangs) return differ(Kind::kHang, "", "nobody waits at the end, and somebody must");
  differ(Kind::kHang, "",
         found_.waiting.empty()
             ? std::string("the run does not come to its end")
             : fmt::format("the run does not come to its end: {}", found_.waiting.front()));
}

void Comparer::compare_fences() {
  for (const auto& [name, allowed] : wanted_.fences) {
    const auto found = found_.fences.find(name);
    if (found == found_.fences.end()) {
      if (allowed.open || allowed.none()) continue;
      differ(Kind::kValue, name, fmt::format("fence {} does not exist at the end", name));
    } else if (allowed.none()) {
      differ(Kind::kValue, name, fmt::format("fence {} exists at the end, and must not", name));
    } else if (differs(Kind::kValue, allowed, found->second)) {
      differ(Kind::kValue, name,
             fmt::format("fence {} is {} at the end, and must be {}", name, found->second,
                         values_of(allowed)));
    }
  }
}

/// The first wrong word of an allocation counts.
void Comparer::compare_contents() {
  for (const auto& [name, content] : wanted_.contents) {
    const auto words = found_.words.find(name);
    bool judged = true;
    for (const auto& [offset, allowed] : content) {
      const bool exists = words != found_.words.end() && words->second.count(offset) != 0;
      const std::uint64_t found = exists ? words->second.at(offset) : 0;
      if ((exists && !differs(Kind::kBytes, allowed, found)) || !judged ||
          (!exists && allowed.open))
        continue;
      judged = false;
      differ(Kind::kBytes, name,
             fmt::format("the word at offset {} of allocation {} is {} at the end, and must be {}",
                         offset, name, exists ? std::to_string(found) : "not there",
                         values_of(allowed)));
    }
  }
}

}  // namespace

const char* kind_name(Kind kind) { return kKindWords[static_cast<std::size_t>(kind)].name; }

const char* rule_of(Kind kind) { return kKindWords[static_cast<std::size_t>(kind)].rule; }

Statements& Statements::operator+=(const Statements& other) {
  fixed += other.fixed;
  sets += other.sets;
  open += other.open;
  return *this;
}

Coverage& Coverage::operator+=(const Coverage& other) {
  for (std::size_t i = 0; i < kDifferenceKinds; ++i) kinds_[i] += other.kinds_[i];
  return *this;
}

Comparison compare(const reference::Outcome& wanted, const Observation& found) {
  return Comparer(wanted, found).run();
}

}  // namespace fenceline::campaign
