#include "models/common/steps/overlap.h"

#include <algorithm>
#include <utility>

namespace fenceline::common {

void Overlap::begin(std::size_t max, std::function<void()> access) {
  if (steps_.exploring()) return access();
  agent_ = steps_.current();
  wait_until_under_way(max - 1);
  ++under_way_;
  const auto free = std::find_if(workers_.begin(), workers_.end(),
                                 [](const auto& worker) { return !worker->access; });
  if (free != workers_.end()) {
    (*free)->access = std::move(access);
    (*free)->start.notify();
    return;
  }
  Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
  worker.access = std::move(access);
  sc_core::sc_spawn([this, &worker] { run(worker); }, sc_core::sc_gen_unique_name("access"));
}

void Overlap::finish() {
  wait_until_under_way(0);
  if (const std::exception_ptr failure = std::exchange(failure_, nullptr))
    std::rethrow_exception(failure);
}

void Overlap::wait_until_under_way(std::size_t max) {
  const AgentId me = steps_.current();
  while (under_way_ > max) {
    sc_core::wait(ended_);
    steps_.current_ = me;
  }
}

void Overlap::run(Worker& worker) {
  for (;;) {
    steps_.current_ = agent_;
    try {
      worker.access();
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (const std::exception&) {
      if (!failure_) failure_ = std::current_exception();
    }
    worker.access = nullptr;
    --under_way_;
    ended_.notify(sc_core::SC_ZERO_TIME);
    sc_core::wait(worker.start);
  }
}

}  // namespace fenceline::common
