#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/events.h"
#include "tb/coverage/declarations.h"

namespace fenceline::coverage {

/// Objects that are followed, each with its events. Contexts are queues of the operating system:
/// they are of the second kind. An adapter has no states.
constexpr std::array<common::ObjectKind, 3> kFollowed{
    common::ObjectKind::kFence, common::ObjectKind::kQueue, common::ObjectKind::kAdapter};
constexpr std::array<const char*, 3> kFollowedNames{"fence", "queue", "adapter"};

/// An object that an event names.
struct Named {
  std::size_t kind = 0;  ///< index in kFollowed
  event::Place place;    ///< of its number
};

/// The states of fences and queues: see StateEvents.
class States {
 public:
  static const States& all();

  /// Names of the states of one kind of object, an index in kFollowed.
  const std::vector<std::string>& names(std::size_t kind) const { return names_[kind]; }
  /// State of the object of the event from here on; none: the event changes no state.
  std::optional<std::size_t> after(const common::Event& event) const;
  /// Objects that events of this kind name.
  const std::vector<Named>& named(common::EventKind kind) const {
    return named_[static_cast<std::size_t>(kind)];
  }

 private:
  struct Change {
    std::size_t first = 0;              ///< state, or that of the first word
    std::size_t count = 0;              ///< 0: the event changes no state
    std::optional<event::Place> field;  ///< number of the word
  };
  States();
  template <class... E>
  void add_all(event::List<E...> /*all*/) {
    (add(event::index_of<E>()), ...);
  }
  void add(std::size_t kind);

  std::array<std::vector<std::string>, kFollowed.size()> names_;
  std::vector<Change> changes_;
  std::vector<std::vector<Named>> named_;
};

}  // namespace fenceline::coverage
