#pragma once

#include <string>

#include "tb/explore/explore.h"
#include "tb/explore/matrix.h"

namespace fenceline::explore {

/// Comparison of an exploration with the expectations of its scenario.
struct Judgement {
  bool as_expected = false;
  int exit_code = 0;
  std::vector<std::string> reasons;  ///< what is not as expected, one sentence each
};
Judgement judge(const scenario::Scenario& scenario, const Exploration& exploration);
/// True if the scenario expects the finding (an invariant, HANG or BUG_CHECK) or allows it.
bool may_find(const scenario::Expectations& expect, const std::string& finding);
/// A matrix is as expected whatever breaks, but for crashes and endless loops.
Judgement judge(const Matrix& matrix);

/// result.json of an exploration. The same exploration gives the same bytes.
std::string exploration_json(const scenario::Scenario& scenario, const Exploration& exploration,
                             const Judgement& judgement);
/// matrix.json: every row, and the sets computed from them.
std::string matrix_json(const scenario::Scenario& scenario, const Matrix& matrix);
/// The counterexample of each row of a matrix, null for none, as result.json has it. @param stories
/// so many of them keep their holds and their story: those of Matrix::backups first
std::string counterexamples_json(const Matrix& matrix, std::size_t stories);

/// Printed report: verdict, bounds, and for each counterexample the reason, the holds and the
/// story.
std::string exploration_text(const scenario::Scenario& scenario, const Exploration& exploration,
                             const Judgement& judgement);
/// The sets of a matrix in words, and its rows if there are few.
std::string matrix_text(const Matrix& matrix);
/// The matrix as a picture: a field for each subset.
std::string matrix_svg(const scenario::Scenario& scenario, const Matrix& matrix);

}  // namespace fenceline::explore
