#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tb/scenario/scenario.h"

namespace fenceline::run {

/// How many threads of a scenario submit to each queue and context.
class Submitters {
 public:
  explicit Submitters(const scenario::Scenario& scenario);
  bool share_queue(const std::string& process, const std::string& queue) const {
    return several(queues_, process, queue);
  }
  bool share_context(const std::string& process, const std::string& context) const {
    return several(contexts_, process, context);
  }

 private:
  using Counts = std::map<std::string, std::uint64_t>;  ///< by "process/name"
  static bool several(const Counts& counts, const std::string& process, const std::string& name) {
    const auto found = counts.find(process + "/" + name);
    return found != counts.end() && found->second > 1;
  }

  Counts queues_;
  Counts contexts_;
};

}  // namespace fenceline::run
