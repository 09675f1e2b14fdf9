#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "tb/reference/program/objects.h"
#include "tb/reference/program/unroll.h"

namespace fenceline::reference {

/// The scenario has more operations than kMaxOperations.
class TooLarge : public std::runtime_error {
 public:
  TooLarge() : std::runtime_error("too many operations") {}
};

/// State of the unrolling of all programs.
struct Unrolling {
  Unrolled& result;
  Objects objects;
  std::map<std::pair<Id, std::string>, Id> queue_lanes;  ///< by queue and submitter
  std::map<std::string, std::string> presenters;         ///< thread that presents, by adapter
  std::map<std::string, std::uint64_t> stressed;  ///< VRAM that stresses may take, by adapter
  std::uint64_t operations = 0;

  Program& program() { return result.program; }
  Id add_lane(Lane lane) {
    program().lanes.push_back(std::move(lane));
    return static_cast<Id>(program().lanes.size() - 1);
  }
  /// Throws TooLarge.
  Ref add(Id lane, Op op) {
    if (++operations > kMaxOperations) throw TooLarge();
    program().lanes[lane].ops.push_back(std::move(op));
    return {lane, static_cast<Id>(program().lanes[lane].ops.size() - 1)};
  }
  void be_silent(const std::string& pointer, const std::string& reason) {
    result.silent.emplace(pointer, reason);
  }
};

}  // namespace fenceline::reference
