#include "tb/app/sweep/design.h"

#include "models/common/hash.h"

namespace fenceline::sweep {

using scenario::SweepDesign;

namespace {

/// A uniform random number below `count`.
std::uint64_t draw(std::uint64_t state, std::uint64_t count) {
  const std::uint64_t whole = UINT64_MAX - UINT64_MAX % count;
  do state = common::mix(state);
  while (state >= whole);
  return state % count;
}

}  // namespace

Design::Design(const scenario::SweepSettings& settings)
    : settings_(settings), points_(scenario::sweep_points(settings)) {
  for (const scenario::Variation& it : settings_.vary) values_.emplace_back(it);
  strides_.assign(values_.size(), 1);
  for (std::size_t i = values_.size(); i > 1; --i)
    strides_[i - 2] = strides_[i - 1] * values_[i - 1].count();
}

std::uint64_t Design::index(std::uint64_t point, std::size_t variation) const {
  const std::uint64_t count = values_[variation].count();
  switch (settings_.design) {
    case SweepDesign::kCartesian:
      return point / strides_[variation] % count;
    case SweepDesign::kList:
      return point;
    case SweepDesign::kRandom:
      break;
  }
  return draw(common::mix(common::mix(settings_.seed) ^ point) ^ variation, count);
}

std::vector<std::string> Design::values(std::uint64_t point) const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < values_.size(); ++i) all.push_back(values_[i].at(index(point, i)));
  return all;
}

std::vector<std::string> Design::assignments(std::uint64_t point) const {
  std::vector<std::string> all = values(point);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = settings_.vary[i].pointer + "=" + all[i];
  return all;
}

}  // namespace fenceline::sweep
