#pragma once

#include <vector>

#include "models/common/events.h"

namespace fenceline::support {

/// Keeps all events.
struct EventList : common::EventSink {
  std::vector<common::Event> all;
  void on_event(const common::Event& event) override { all.push_back(event); }
  template <class E>
  std::vector<E> of() const {
    std::vector<E> result;
    for (const common::Event& event : all)
      if (event.is<E>()) result.push_back(event.as<E>());
    return result;
  }
};

}  // namespace fenceline::support
