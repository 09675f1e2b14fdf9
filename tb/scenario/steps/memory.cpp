#include "tb/scenario/steps/memory.h"

#include "kmd_stub/wddm/d3dkmt_memory.h"

namespace fenceline::scenario {

namespace {
struct LockFlag {
  const char* name;
  UINT bit;
};
using Flags = D3DDDICB_LOCKFLAGS;
constexpr std::array<LockFlag, 11> kLockFlags{{{"ReadOnly", Flags::kReadOnly},
                                               {"WriteOnly", Flags::kWriteOnly},
                                               {"DonotWait", Flags::kDonotWait},
                                               {"IgnoreSync", Flags::kIgnoreSync},
                                               {"LockEntire", Flags::kLockEntire},
                                               {"DonotEvict", Flags::kDonotEvict},
                                               {"AcquireAperture", Flags::kAcquireAperture},
                                               {"Discard", Flags::kDiscard},
                                               {"NoExistingReference", Flags::kNoExistingReference},
                                               {"UseAlternateVA", Flags::kUseAlternateVA},
                                               {"IgnoreReadSync", Flags::kIgnoreReadSync}}};
}  // namespace

std::vector<std::string> lock_flag_names() {
  std::vector<std::string> names;
  names.reserve(kLockFlags.size());
  for (const LockFlag& flag : kLockFlags) names.emplace_back(flag.name);
  return names;
}

std::uint32_t lock_flag_bits(const std::vector<std::string>& names) {
  std::uint32_t bits = 0;
  for (const std::string& name : names)
    for (const LockFlag& flag : kLockFlags)
      if (name == flag.name) bits |= flag.bit;
  return bits;
}

}  // namespace fenceline::scenario
