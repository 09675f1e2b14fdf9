#include "tb/report/record/recorder.h"

namespace fenceline::report {

void Recorder::on_event(const common::Event& event) {
  ++total_;
  if (size_ == limit_) return;
  if (size_ % kChunk == 0) add_chunk();
  chunks_.back()[size_ % kChunk] = event;
  ++size_;
}

// Plain `new`: the elements stay uninitialised until they are recorded.
void Recorder::add_chunk() { chunks_.emplace_back(new common::Event[kChunk]); }

}  // namespace fenceline::report
