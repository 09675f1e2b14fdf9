#pragma once

#include <cstdint>

namespace fenceline::os {

/// Rules of the kernel that a misuse breaks: one invariant each.
enum class MisuseRule : std::uint8_t {
  kRegister,
  kAddress,
  kMemory,
  kLock,
  kCallback,
  kReturn,
};

/// What a driver may do wrong with what the kernel and the machine offer it: field a of
/// kDriverMisuse.
enum class Misuse : std::uint8_t {
  // Registers.
  kRegisterUnaligned,
  kRegisterUnknown,
  kRegisterReadOnly,
  kRegisterOfSystem,
  kRegisterValue,
  // Accesses by kernel address.
  kAddressNull,
  kAddressUnmapped,
  kAddressUnaligned,
  kRangeTooLong,
  kBytesNone,
  kBytesUneven,
  kDataNull,
  // Requests for memory and mappings.
  kMemoryIrql,
  kMemoryNone,
  kMapNoMemory,
  kMapNoVram,
  kMapNoDoorbell,
  // Locks, shared values and the driver's state.
  kLockUnknown,
  kLockHeld,
  kLockIrql,
  kLockNotHeld,
  kLockOrder,
  kLockLeft,
  kSharedUnknown,
  kStateNull,
  // Functions of the OS.
  kCallbackHandle,
  kCallbackNull,
  kCallbackEarly,
  kCallbackOutside,
  kCallbackMessage,
  kCallbackObject,
  kCallbackValue,
  kInterruptType,
  kInterruptNode,
  kInterruptQueue,
  kInterruptContext,
  kInterruptArray,
  // Returns of DDIs.
  kExceptionLeft,
  kExceptionKept,
  kStatusUndocumented,
  kEntryMissing,
  kAnswerOutside,
  kCount
};

struct MisuseInfo {
  MisuseRule rule;
  const char* what;  ///< has done this; # stands for the number that is wrong, in hexadecimal
};

const MisuseInfo& misuse_info(Misuse misuse);

}  // namespace fenceline::os
