// Footprints as bytes, to pass them to another process.
#include <algorithm>

#include "tb/explore/search/footprints.h"

namespace fenceline::explore {

namespace {

constexpr std::size_t kWord = 64;
const AgentSet kLowWord(~0ULL);

void write_set(Writer& out, const AgentSet& set) {
  for (std::size_t shift = 0; shift < set.size(); shift += kWord)
    out.number((set >> shift & kLowWord).to_ullong());
}

AgentSet read_set(Reader& in) {
  AgentSet set;
  for (std::size_t shift = 0; shift < set.size(); shift += kWord)
    set |= AgentSet(in.number()) << shift;
  return set;
}

}  // namespace

void Footprints::write(Writer& out) const {
  std::unordered_map<const Location*, std::uint64_t> names;
  for (const std::set<std::uint64_t>* blocks : {&blocks_, &doubtful_})
    out.list(*blocks, [&](std::uint64_t block) { out.number(block); });
  out.number(locations_.size());
  for (const auto& [name, location] : locations_) {
    names[&location] = name;
    out.number(name);
    for (const AgentSet* set : {&location.readers, &location.writers, &location.relied_no_readers,
                                &location.relied_no_writers})
      write_set(out, *set);
  }
  out.list(known_, [&](const auto& entry) {
    out.number(entry.first);
    out.list(entry.second, [&](const Use& use) {
      out.number(names.at(use.location));
      out.number(use.write);
    });
  });
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].enablers.any() || places_[i].relied_no_enablers.any()) used.push_back(i);
  out.list(used, [&](std::size_t i) {
    out.number(i);
    write_set(out, places_[i].enablers);
    write_set(out, places_[i].relied_no_enablers);
  });
}

void Footprints::add(Reader& in) {
  in.list([&] { merge_block(in.number()); });
  in.list([&] { doubtful_.insert(in.number()); });
  in.list([&] {
    const std::uint64_t name = in.number();
    Location& location = at(name);
    for (AgentSet* set : {&location.readers, &location.writers, &location.relied_no_readers,
                          &location.relied_no_writers})
      *set |= read_set(in);
    if ((location.readers & location.relied_no_readers).any() ||
        (location.writers & location.relied_no_writers).any())
      doubt(name);
  });
  in.list([&] {
    std::vector<Use>& known = known_[in.number()];
    in.list([&] {
      const Location* location = &at(in.number());
      note(known, location, in.number<bool>());
    });
  });
  in.list([&] {
    Place& place = places_.at(in.number());
    place.enablers |= read_set(in);
    place.relied_no_enablers |= read_set(in);
    outdated_ |= (place.enablers & place.relied_no_enablers).any();
  });
}

}  // namespace fenceline::explore
