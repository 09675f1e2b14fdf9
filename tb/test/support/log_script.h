#pragma once

#include <cstdint>

#include "tb/test/support/event_script.h"

namespace fenceline::check {

inline CheckOptions small_log() {
  CheckOptions options;
  options.log_entries = 4;
  return options;
}

/// A script with a log of 4 entries.
class LogScript : public EventScript {
 public:
  LogScript() : EventScript(small_log()) { create(); }

  static std::uint64_t packed(std::uint64_t count) { return (count / 4) << 32 | count % 4; }

  void entry(std::uint64_t k, std::uint64_t v, std::uint32_t f = 1) {
    on(kEngine, event::LogEntryIssued{1, k % 4, v, f});
  }
  void entry_visible(std::uint64_t k, std::uint64_t v) {
    on(kEngine, event::LogEntryVisible{1, k % 4, v});
  }
  void header(std::uint64_t count) { on(kEngine, event::LogHeaderIssued{1, packed(count)}); }
  void header_visible(std::uint64_t count) {
    on(kEngine, event::LogHeaderVisible{1, packed(count)});
  }
  void header_read(std::uint64_t count) { on(kDpc, event::LogHeaderRead{1, packed(count)}); }
  void entry_read(std::uint64_t k, std::uint64_t v, std::uint64_t stamp = 0) {
    on(kDpc, event::LogEntryRead{1, k % 4, v, stamp});
  }
  void overrun() { on(kDpc, event::LogOverrun{1, 1}); }

  /// Entry `k` with the value `v`, all of it.
  void logged(std::uint64_t k, std::uint64_t v) {
    entry(k, v);
    header(k + 1);
    entry_visible(k, v);
    header_visible(k + 1);
  }
  /// Signal `s` with its entry `k`, up to its decision to tell the CMP.
  void logged_signal(std::uint64_t k, std::uint64_t v, std::uint64_t s) {
    begin(1, v, s).issue(1, v, s).visible(1, v);
    logged(k, v);
    shadow_read(1, 0).decide(1, v, s, true).end(1, v, s);
  }
  /// A DPC that reads the header as `count` and the entries from `from` on, valued 1 + number.
  void dpc(std::uint64_t from, std::uint64_t count) {
    dpc_begin();
    header_read(count);
    for (std::uint64_t k = from; k < count; ++k) entry_read(k, k + 1, 100 + k);
    dpc_end();
  }
};

}  // namespace fenceline::check
