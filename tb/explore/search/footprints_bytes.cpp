// Footprints as bytes, to pass them to another process.
#include <tuple>
#include <utility>

#include "tb/explore/search/footprints.h"
#include "tb/explore/search/search_fields.h"

namespace fenceline::explore {

namespace {

/// Footprints without pointers. Each map is a list of its entries.
struct PlainFootprints {
  std::set<std::uint64_t> blocks;
  std::set<std::uint64_t> doubtful;
  /// Name; readers, writers, relied_no_readers, relied_no_writers.
  std::vector<std::pair<std::uint64_t, std::array<AgentSet, 4>>> locations;
  /// Key of the step; names of locations, and whether it writes them.
  std::vector<std::pair<std::uint64_t, std::vector<std::pair<std::uint64_t, bool>>>> known;
  /// Number of the place; enablers, relied_no_enablers.
  std::vector<std::tuple<std::size_t, AgentSet, AgentSet>> places;
};

template <class Archive>
void serialize(Archive& archive, PlainFootprints& image) {
  archive(image.blocks, image.doubtful, image.locations, image.known, image.places);
}

}  // namespace

std::string Footprints::bytes() const {
  PlainFootprints image{blocks_, doubtful_, {}, {}, {}};
  std::unordered_map<const Location*, std::uint64_t> names;
  for (const auto& [name, it] : locations_) {
    names[&it] = name;
    image.locations.push_back(
        {name, {it.readers, it.writers, it.relied_no_readers, it.relied_no_writers}});
  }
  for (const auto& [key, uses] : known_) {
    auto& listed = image.known.emplace_back(key, 0).second;
    for (const Use& use : uses) listed.emplace_back(names.at(use.location), use.write);
  }
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].enablers.any() || places_[i].relied_no_enablers.any())
      image.places.emplace_back(i, places_[i].enablers, places_[i].relied_no_enablers);
  return to_bytes(image);
}

void Footprints::add(const std::string& bytes) {
  PlainFootprints image;
  from_bytes(bytes, image);
  for (const std::uint64_t block : image.blocks) merge_block(block);
  doubtful_.insert(image.doubtful.begin(), image.doubtful.end());
  for (const auto& [name, sets] : image.locations) {
    Location& location = at(name);
    location.readers |= sets[0];
    location.writers |= sets[1];
    location.relied_no_readers |= sets[2];
    location.relied_no_writers |= sets[3];
    if ((location.readers & location.relied_no_readers).any() ||
        (location.writers & location.relied_no_writers).any())
      doubt(name);
  }
  for (const auto& [key, uses] : image.known) {
    std::vector<Use>& known =
        known_[key];  // there is an entry for a step that touches nothing, too
    for (const auto& [name, write] : uses) note(known, &at(name), write);
  }
  for (const auto& [number, enablers, relied_no_enablers] : image.places) {
    Place& place = places_.at(number);
    place.enablers |= enablers;
    place.relied_no_enablers |= relied_no_enablers;
    outdated_ |= (place.enablers & place.relied_no_enablers).any();
  }
}

}  // namespace fenceline::explore
