#include "tb/os/guard/driver_misuse.h"

#include <array>

namespace fenceline::os {

namespace {

/// In the order of Misuse.
constexpr std::array<MisuseInfo, static_cast<std::size_t>(Misuse::kCount)> kMisuses{{
    {MisuseRule::kRegister, "names register offset #, which is no multiple of 8"},
    {MisuseRule::kRegister, "names register offset #, where the device has no register"},
    {MisuseRule::kRegister, "writes the read-only register at offset #"},
    {MisuseRule::kRegister, "writes register offset #, which is the operating system's"},
    {MisuseRule::kRegister, "writes # to a register that takes no such value"},
    {MisuseRule::kAddress, "uses a null kernel address"},
    {MisuseRule::kAddress, "uses an address that neither the port nor the OS has given to it"},
    {MisuseRule::kAddress, "uses a kernel address that is no multiple of 8"},
    {MisuseRule::kAddress, "copies # bytes, which leaves the mapping"},
    {MisuseRule::kAddress, "copies 0 bytes"},
    {MisuseRule::kAddress, "copies # bytes, which is no multiple of 8"},
    {MisuseRule::kAddress, "copies to or from a null buffer"},
    {MisuseRule::kMemory, "asks for memory or a mapping at IRQL #, above DISPATCH_LEVEL"},
    {MisuseRule::kMemory, "asks for 0 bytes"},
    {MisuseRule::kMemory, "maps physical address #, where there is not so much memory"},
    {MisuseRule::kMemory, "maps VRAM offset #, where there is not so much VRAM"},
    {MisuseRule::kMemory, "maps doorbell page #, which the device does not have"},
    {MisuseRule::kLock, "names lock #, which it has not created"},
    {MisuseRule::kLock, "acquires lock #, which it holds already"},
    {MisuseRule::kLock, "acquires a spin lock at IRQL #, above DISPATCH_LEVEL"},
    {MisuseRule::kLock, "releases lock #, which the caller does not hold"},
    {MisuseRule::kLock, "releases lock # before one that it has acquired later"},
    {MisuseRule::kLock, "acquires lock # and leaves it locked when the DDI returns"},
    {MisuseRule::kLock, "names shared value #, which it has not created"},
    {MisuseRule::kLock, "exposes its state without a function or without a state"},
    {MisuseRule::kCallback, "names an adapter that the OS has not given to it"},
    {MisuseRule::kCallback, "gives a null pointer"},
    {MisuseRule::kCallback, "calls a function of the OS while the adapter is not started"},
    {MisuseRule::kCallback, "reports for an adapter whose driver the caller is not in"},
    {MisuseRule::kCallback, "names interrupt message #, which the adapter does not have"},
    {MisuseRule::kCallback, "names an object that the OS does not know"},
    {MisuseRule::kCallback, "gives the value #, which is not documented"},
    {MisuseRule::kCallback, "reports interrupt type #, which no driver of this kind reports"},
    {MisuseRule::kCallback, "reports node or engine #, which the adapter does not have"},
    {MisuseRule::kCallback, "reports a hardware queue that is not one of the adapter"},
    {MisuseRule::kCallback, "reports a hardware context that is not one of the adapter"},
    {MisuseRule::kCallback, "reports # fences and gives no array of them"},
    {MisuseRule::kReturn, "lets a C++ exception leave the DDI"},
    {MisuseRule::kReturn, "catches the exception with which the machine stops"},
    {MisuseRule::kReturn, "returns status #, neither STATUS_SUCCESS nor an error"},
    {MisuseRule::kReturn, "leaves the entry of the DDI table null"},
    {MisuseRule::kReturn, "returns a pointer outside of the buffer that it was given"},
}};
static_assert(kMisuses.back().what != nullptr, "every misuse has a text");

}  // namespace

const MisuseInfo& misuse_info(Misuse misuse) { return kMisuses[static_cast<std::size_t>(misuse)]; }

}  // namespace fenceline::os
