#include "tb/campaign/says_less.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace fenceline::campaign {

using reference::Allowed;
using reference::Happens;
using reference::Outcome;
using reference::Progress;

namespace {

bool is_less(Happens here, Happens full) {
  return here == Happens::kMaybe && full != Happens::kMaybe;
}

template <class Value>
bool has_more(const std::set<Value>& here, const std::set<Value>& full) {
  return here.size() > full.size() &&
         std::includes(here.begin(), here.end(), full.begin(), full.end());
}

bool is_less(const Allowed& here, const Allowed& full) {
  if (full.open) return false;
  return here.open || (!full.none() && has_more(here.values, full.values));
}

/// Statuses of a call; without one it is not judged.
bool is_less(const std::set<std::string>& here, const std::set<std::string>& full) {
  return !full.empty() && (here.empty() || has_more(here, full));
}

/// Operations of other agents that surely end before the operations of one list up to now.
class Known {
 public:
  /// Adds the next operation. True if less is known here.
  bool is_less(const Progress& here, const Progress& full) {
    add(here, here_);
    add(full, full_);
    return std::any_of(full.begin(), full.end(), [this](const auto& it) {
      const auto found = here_.find(it.first);
      return it.second != 0 && (found == here_.end() || found->second < full_.at(it.first));
    });
  }

 private:
  static void add(const Progress& next, Progress& known) {
    for (const auto& [name, count] : next) known[name] = std::max(known[name], count);
  }

  Progress here_;
  Progress full_;
};

/// Goes through two predictions until one of them says less.
class Finder {
 public:
  Finder(const Outcome& here, const Outcome& full) : here_(here), full_(full) {}

  std::optional<Less> run() {
    find_silence();
    find_ends();
    for (const auto& [name, steps] : full_.threads)
      if (const auto found = here_.threads.find(name); found != here_.threads.end())
        find_in_steps(found->second, steps);
    for (const auto& [name, commands] : full_.commands)
      if (const auto found = here_.commands.find(name); found != here_.commands.end())
        find_in_commands(found->second, commands);
    for (const auto& [name, value] : full_.fences) find_in_fence(name, value);
    for (const auto& [name, content] : full_.contents) find_in_content(name, content);
    return found_;
  }

 private:
  void note(bool less, const std::string& place, const std::string& sentence) {
    if (less && !found_) found_ = Less{place, sentence};
  }

  void find_silence() {
    for (const auto& [place, reason] : here_.silent)
      note(full_.silent.count(place) == 0, place, "nothing is said: " + reason);
  }

  void find_ends() {
    note(is_less(here_.bug_check, full_.bug_check), "", "the machine may be stopped, or not");
    note(is_less(here_.hangs, full_.hangs), "", "the run may hang, or not");
  }

  /// Other steps are a difference.
  void find_in_steps(const std::vector<reference::StepOutcome>& here,
                     const std::vector<reference::StepOutcome>& full) {
    Known known;
    for (std::size_t i = 0; i < full.size() && i < here.size(); ++i) {
      const std::string& at = full[i].pointer;
      if (here[i].pointer != at) return;
      note(is_less(here[i].begins, full[i].begins), at, "step " + at + " may begin, or not");
      note(is_less(here[i].ends, full[i].ends), at, "step " + at + " may end, or not");
      note(is_less(here[i].statuses, full[i].statuses), at,
           "a call of step " + at + " may return more statuses");
      note(is_less(here[i].loaded, full[i].loaded), at, "step " + at + " may load more values");
      note(known.is_less(here[i].after, full[i].after), at, "step " + at + " may end earlier");
    }
  }

  void find_in_commands(const std::vector<reference::CommandOutcome>& here,
                        const std::vector<reference::CommandOutcome>& full) {
    std::map<std::string, Known> known;  // by submitter
    for (std::size_t i = 0; i < full.size() && i < here.size(); ++i) {
      const std::string& at = full[i].pointer;
      if (here[i].pointer != at || here[i].submitter != full[i].submitter) return;
      note(is_less(here[i].done, full[i].done), at, "command " + at + " may be done, or not");
      note(known[full[i].submitter].is_less(here[i].after, full[i].after), at,
           "command " + at + " may be done earlier");
    }
  }

  /// Without an entry nothing is said about a fence.
  void find_in_fence(const std::string& name, const Allowed& value) {
    const auto found = here_.fences.find(name);
    const bool less = found == here_.fences.end() ? !value.open : is_less(found->second, value);
    note(less, name, fmt::format("fence {} may have more values at the end", name));
  }

  void find_in_content(const std::string& name, const reference::Content& content) {
    const auto words = here_.contents.find(name);
    for (const auto& [offset, value] : content) {
      const bool said = words != here_.contents.end() && words->second.count(offset) != 0;
      note(said ? is_less(words->second.at(offset), value) : !value.open, name,
           fmt::format("the word at offset {} of allocation {} may have more values at the end",
                       offset, name));
    }
  }

  const Outcome& here_;
  const Outcome& full_;
  std::optional<Less> found_;
};

/// All members of a part, to compare them.
auto members(const Allowed& it) { return std::tie(it.open, it.values); }
auto members(const reference::StepOutcome& it) {
  return std::tie(it.pointer, it.begins, it.ends, it.statuses, it.loaded.open, it.loaded.values,
                  it.after);
}
auto members(const reference::CommandOutcome& it) {
  return std::tie(it.pointer, it.done, it.after, it.submitter);
}

template <class Part>
bool same(const Part& one, const Part& other) {
  return members(one) == members(other);
}
template <class Part>
bool same(const std::vector<Part>& one, const std::vector<Part>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Part& a, const Part& b) { return same(a, b); });
}
template <class Key, class Part>
bool same(const std::map<Key, Part>& one, const std::map<Key, Part>& other) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(),
      [](const auto& a, const auto& b) { return a.first == b.first && same(a.second, b.second); });
}

}  // namespace

bool is_same(const Outcome& one, const Outcome& other) {
  return one.hangs == other.hangs && one.bug_check == other.bug_check &&
         one.silent == other.silent && same(one.fences, other.fences) &&
         same(one.contents, other.contents) && same(one.threads, other.threads) &&
         same(one.commands, other.commands);
}

std::optional<Less> says_less(const Outcome& outcome, const Outcome& full) {
  return Finder(outcome, full).run();
}

}  // namespace fenceline::campaign
