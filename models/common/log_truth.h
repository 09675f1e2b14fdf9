#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace fenceline::common {

/// Expected content of each fence log entry: a hash of the bytes issued last. The model uses it to
/// detect that a reader saw a torn entry. It instruments the model and is not part of the hardware.
class LogTruth {
 public:
  void issued(std::uint32_t log, std::uint32_t entry, std::uint64_t hash) {
    entries_[{log, entry}] = hash;
  }
  /// False only if an entry was issued there and its bytes differ.
  bool matches(std::uint32_t log, std::uint32_t entry, std::uint64_t hash) const {
    const auto it = entries_.find({log, entry});
    return it == entries_.end() || it->second == hash;
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> entries_;
};

}  // namespace fenceline::common
