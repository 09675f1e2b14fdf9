#include "models/pcie/ordering_table.h"

#include <array>

namespace fenceline::pcie {

namespace {

/// One cell: when the later packet may pass the earlier one.
enum class Rule : std::uint8_t {
  kNever,
  kRelaxedOrOtherId,  ///< RO=1, or IDO=1 and another requester
  kOtherId,           ///< IDO=1 and another requester
  kOtherTransaction,  ///< completions of different reads
  kAlways
};

/// Rows: later packet. Columns: earlier packet.
constexpr std::array<std::array<Rule, 4>, 4> kTable{{
    {Rule::kRelaxedOrOtherId, Rule::kAlways, Rule::kAlways, Rule::kAlways},            // A2 to A5
    {Rule::kOtherId, Rule::kAlways, Rule::kAlways, Rule::kAlways},                     // B2 to B5
    {Rule::kRelaxedOrOtherId, Rule::kAlways, Rule::kAlways, Rule::kAlways},            // C2 to C5
    {Rule::kRelaxedOrOtherId, Rule::kAlways, Rule::kAlways, Rule::kOtherTransaction},  // D2 to D5
}};

}  // namespace

bool may_pass(const TlpOrder& later, const TlpOrder& earlier) {
  const bool other_id = later.id_based_ordering && later.requester != earlier.requester;
  switch (kTable[static_cast<std::size_t>(later.tlp_class)]
                [static_cast<std::size_t>(earlier.tlp_class)]) {
    case Rule::kNever:
      return false;
    case Rule::kRelaxedOrOtherId:
      return later.relaxed_ordering || other_id;
    case Rule::kOtherId:
      return other_id;
    case Rule::kOtherTransaction:
      return later.transaction != earlier.transaction;
    case Rule::kAlways:
      return true;
  }
  return false;
}

}  // namespace fenceline::pcie
