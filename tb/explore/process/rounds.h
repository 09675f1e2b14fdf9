#pragma once

#include <string>
#include <vector>

#include "tb/explore/explore.h"
#include "tb/explore/process/contained.h"
#include "tb/explore/search/search_state.h"

namespace fenceline::explore {

class Search;

/// A search in child processes. A step that crashes or never ends is a finding, and the search goes
/// on without that step.
///
/// It works in rounds. In a round each process searches a fixed number of runs on its own path,
/// with the knowledge of all processes at the start of the round. Then their results are merged in
/// a fixed order. So the findings depend neither on time nor on the number of processes that run at
/// once.
class Rounds {
 public:
  /// Both must outlive it.
  Rounds(const scenario::Scenario& scenario, const ExploreOptions& options);

  /// Continues an earlier search. @param left of that search
  void resume(const std::string& left);
  /// Throws what building and starting the machine throws.
  SearchReport run();
  /// Fatal steps that the search has found.
  const std::vector<FatalStep>& fatal() const { return state_.fatal; }
  /// After run(): the state at the end of the last whole round, from which a later search can
  /// continue. It does not depend on when the search was interrupted. Empty if the search is
  /// complete, or without ExploreOptions::keep_left.
  const std::string& left() const { return left_; }

 private:
  using Body = std::function<Part(Search&)>;

  std::vector<Part> in_processes(const std::vector<Body>& bodies,
                                 const std::vector<Frontier>& before = {});
  Task task(const Body& body, const std::vector<FatalStep>& fatal);
  FatalStep fatal_of(const Ended& ended, const std::vector<FatalStep>& known) const;
  bool round();
  bool put_together(const std::vector<Part>& parts);
  void begin_again(bool sets);
  void share_out();
  std::string reason_to_stop() const;
  void keep_left();
  void give_up_on_fatal();
  void sample(Strategy strategy, std::uint64_t runs);

  const scenario::Scenario& scenario_;
  const ExploreOptions& options_;
  const SearchLimits limits_;
  SearchState state_;
  std::string left_;
};

}  // namespace fenceline::explore
