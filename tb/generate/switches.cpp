#include "tb/generate/switches.h"

#include <functional>
#include <vector>

namespace fenceline::generate {

namespace {

/// Collects the changes of one switch that break nothing.
class SafeChanges {
 public:
  template <class T, std::size_t N>
  void mechanism(const char*, T& member, const abi::SwitchValues<T, N>& values, const char*) {
    for (const abi::SwitchValue<T>& value : values)
      if (value.safe && value.value != member)
        all.emplace_back([&member, other = value.value] { member = other; });
  }
  template <class T, std::size_t N>
  void variant(const char* name, T& member, const abi::SwitchValues<T, N>& values,
               const char* doc) {
    mechanism(name, member, values, doc);
  }

  std::vector<std::function<void()>> all;
};

}  // namespace

void draw_safe_switch(Draw& draw, user::Ordering& ordering) {
  SafeChanges changes;
  user::Ordering::switches(changes, ordering);
  draw.one_of(changes.all)();
}

}  // namespace fenceline::generate
