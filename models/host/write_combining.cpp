#include "models/host/write_combining.h"

#include <algorithm>

namespace fenceline::host {

void WriteCombining::store(std::uint64_t address) {
  const std::uint64_t line = address / common::kLineBytes * common::kLineBytes;
  if (std::find(lines_.begin(), lines_.end(), line) != lines_.end()) return;
  if (lines_.size() == config_.buffers) send_oldest(config_.evict);
  lines_.push_back(line);
}

void WriteCombining::fence() {
  while (!lines_.empty()) send_oldest(config_.flush);
  simulation_.steps.elapse(config_.fence);
}

void WriteCombining::send_oldest(common::Time cost) {
  simulation_.steps.elapse(cost);
  send_(lines_.front());
  lines_.pop_front();
}

}  // namespace fenceline::host
