#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace fenceline::common {

/// What a fence log entry should read as: a hash of the bytes last issued for it. By this the
/// model can tell that a reader saw a torn entry. It instruments the model and is not part of the
/// hardware.
class LogTruth {
 public:
  void issued(std::uint32_t log, std::uint32_t entry, std::uint64_t hash) {
    entries_[{log, entry}] = hash;
  }
  /// False only if an entry was issued there and reads differently.
  bool matches(std::uint32_t log, std::uint32_t entry, std::uint64_t hash) const {
    const auto it = entries_.find({log, entry});
    return it == entries_.end() || it->second == hash;
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> entries_;
};

}  // namespace fenceline::common
