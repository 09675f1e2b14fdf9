#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/common/events.h"
#include "tb/coverage/declarations.h"

namespace fenceline::coverage {

/// The operations of the declarations, for code that does not know the types of events.
class Operations {
 public:
  static const Operations& all();

  /// The operation that an event of this kind begins or ends, as the kind of its beginning.
  std::optional<common::EventKind> of(common::EventKind kind) const { return of_[index(kind)]; }
  bool begins(common::EventKind kind) const { return of_[index(kind)] == kind; }
  /// Number of the operation that the event begins or ends: the same for both ends.
  /// @pre of() says that it is one
  std::uint64_t number(const common::Event& event) const;
  /// The beginnings, in the order of their kinds.
  std::vector<common::EventKind> beginnings() const;

 private:
  Operations();
  template <class... One>
  void add_all(event::List<One...> /*all*/) {
    (add_one(One{}), ...);
  }
  template <class Beginning, class... Ends>
  void add_one(Operation<Beginning, Ends...> /*one*/) {
    add(event::index_of<Beginning>(), {event::index_of<Ends>()...});
  }
  static std::size_t index(common::EventKind kind) { return static_cast<std::size_t>(kind); }
  void add(std::size_t beginning, const std::vector<std::size_t>& ends);

  std::vector<std::optional<common::EventKind>> of_;
  std::vector<std::vector<event::Place>> keys_;  ///< fields that tell operations apart
};

}  // namespace fenceline::coverage
