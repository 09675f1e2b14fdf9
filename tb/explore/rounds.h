#pragma once

#include <string>
#include <vector>

#include "tb/explore/contained.h"
#include "tb/explore/explore.h"
#include "tb/explore/search_state.h"

namespace fenceline::explore {

class Search;

/// A search in processes of their own: what crashes in one, or never ends, is a finding, and the
/// search goes on without that step.
///
/// It goes in rounds. In each, some processes search a fixed number of runs, each on a path of its
/// own, from what all of them knew when the round began; then all that they learnt is put together,
/// in their order. So what is found depends neither on time nor on how many run at once.
class Rounds {
 public:
  /// Both must outlive it.
  Rounds(const scenario::Scenario& scenario, const ExploreOptions& options);

  /// Goes on with what an earlier search left.
  void resume(const std::string& left);
  /// Throws what building and starting the machine throws.
  SearchReport run();
  /// Steps that must not be taken, as far as the search has met any.
  const std::vector<FatalStep>& fatal() const { return state_.fatal; }
  /// After run(): what a later search can go on with. It is the state at the end of a round, so
  /// that it does not matter when a search was interrupted. Empty if there is nothing to go on
  /// with, or nobody wants it.
  const std::string& left() const { return left_; }

 private:
  using Body = std::function<Part(Search&)>;

  std::vector<Part> in_processes(const std::vector<Body>& bodies);
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
