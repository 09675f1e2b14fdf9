#pragma once

#include <cstdint>

namespace fenceline::pcie {

/// Classes of transaction layer packets that ordering rules tell apart.
enum class TlpClass : std::uint8_t { kPosted, kReadRequest, kNonPostedWithData, kCompletion };

/// What ordering looks at in a packet.
struct TlpOrder {
  TlpClass tlp_class = TlpClass::kPosted;
  bool relaxed_ordering = false;   ///< RO
  bool id_based_ordering = false;  ///< IDO
  std::uint32_t requester = 0;     ///< requester ID; for completions the completer ID
  std::uint32_t transaction = 0;   ///< tag, for completions of one read
};

/// Whether `later` may overtake `earlier` in one direction and traffic class.
/// Source: PCIe base specification, transaction ordering rules (table of section 2.4.1).
bool may_pass(const TlpOrder& later, const TlpOrder& earlier);

}  // namespace fenceline::pcie
