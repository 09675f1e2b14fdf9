#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "models/common/events.h"

namespace fenceline::report {

/// Keeps events in their order, up to a limit, for the writers that run afterwards. 48 bytes per
/// event, in chunks, so that recording never moves recorded events.
class Recorder final : public common::EventSink {
 public:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  /// Keeps the first `limit` events and only counts later ones.
  explicit Recorder(std::uint64_t limit = kUnlimited) : limit_(limit) {}

  void on_event(const common::Event& event) override;

  std::uint64_t size() const { return size_; }    ///< events kept
  std::uint64_t total() const { return total_; }  ///< events seen
  bool truncated() const { return total_ > size_; }
  /// @pre index < size().
  const common::Event& operator[](std::uint64_t index) const {
    return chunks_[index / kChunk][index % kChunk];
  }

  /// Calls `visit(event, index)` for each event kept.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::uint64_t i = 0; i < size_; ++i) visit((*this)[i], i);
  }

 private:
  static constexpr std::uint64_t kChunk = 16'384;

  void add_chunk();

  std::vector<std::unique_ptr<common::Event[]>> chunks_;
  std::uint64_t limit_;
  std::uint64_t size_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace fenceline::report
