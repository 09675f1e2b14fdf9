#pragma once

#include <cstdint>

namespace fenceline::pcie {

/// Packet classes of the transaction ordering rules.
enum class TlpClass : std::uint8_t { kPosted, kReadRequest, kNonPostedWithData, kCompletion };

/// Attributes of a packet for the ordering rules.
struct TlpOrder {
  TlpClass tlp_class = TlpClass::kPosted;
  bool relaxed_ordering = false;   ///< RO
  bool id_based_ordering = false;  ///< IDO
  std::uint32_t requester = 0;     ///< requester ID; completer ID for completions
  std::uint32_t transaction = 0;   ///< tag; only for completions
};

/// True if `later` may overtake `earlier` in one direction and traffic class. Source: PCIe base
/// specification, transaction ordering rules (table of section 2.4.1).
bool may_pass(const TlpOrder& later, const TlpOrder& earlier);

}  // namespace fenceline::pcie
