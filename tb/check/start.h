#pragma once

#include <cstdint>

#include "tb/check/world.h"

namespace fenceline::check {

/// Start of adapters: I40 NEGOTIATED and I41 CAPS. All of it happens before orders are explored, so
/// it takes no part in the hash of a state.
class StartChecks {
 public:
  explicit StartChecks(World& world) : world_(world) {}

  void on_feature_answer(const common::Event& event);
  void on_feature_table(const common::Event& event);
  void on_started(const common::Event& event);
  void on_create(const common::Event& event);
  void clear() { adapters_.clear(); }

 private:
  struct Adapter {
    void clear() { *this = {}; }
    bool enabled = false;  ///< the driver was told so
    bool table = false;    ///< and got the table
    bool started = false;
    bool advertises = false;
  };
  void fail(Invariant invariant, std::uint64_t adapter, const std::string& what);
  void check_caps(const common::Event& event);

  World& world_;
  Dense<Adapter> adapters_;
};

}  // namespace fenceline::check
