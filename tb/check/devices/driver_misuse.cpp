#include "tb/check/devices/driver_misuse.h"

#include <array>
#include <cstdio>
#include <string>

#include "tb/os/guard/driver_misuse.h"

namespace fenceline::check {

using common::At;
using common::ObjectKind;
using event::GuardedCall;

namespace {

/// Indexed by MisuseRule; the first ones also by GuardedCall.
constexpr std::array kRules = {Invariant::kRegisters,    Invariant::kKernelAddress,
                               Invariant::kKernelMemory, Invariant::kSpinLock,
                               Invariant::kCallback,     Invariant::kDdiReturn};
static_assert(kRules.size() == static_cast<std::size_t>(os::MisuseRule::kReturn) + 1);

/// Fills the number into the text of a misuse.
std::string sentence(const char* what, std::uint64_t number) {
  std::string text = what;
  const std::size_t place = text.find('#');
  if (place == std::string::npos) return text;
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%#llx", static_cast<unsigned long long>(number));
  return text.replace(place, 1, digits.data());
}

}  // namespace

void MisuseChecks::on(const At<event::DriverMisuse>& event) {
  const os::MisuseInfo& misuse = os::misuse_info(static_cast<os::Misuse>(event.misuse));
  const Invariant invariant = kRules[static_cast<std::size_t>(misuse.rule)];
  Reporter& report = world_.report;
  report.fail(invariant, event.site,
              "the driver of adapter " + report.name(ObjectKind::kAdapter, event.adapter) + " " +
                  sentence(misuse.what, event.number) + ": " +
                  report.name(ObjectKind::kCallSite, event.site) + " " + report.now());
}

void MisuseChecks::on(const At<event::DdiReturn>& event) {
  world_.report.checked(Invariant::kDdiReturn);
  for (unsigned kind = 0; kind < static_cast<unsigned>(GuardedCall::kCount); ++kind)
    world_.report.checked(kRules[kind],
                          event.calls >> kind * event::kGuardedCallBits & event::kMaxGuardedCalls);
}

}  // namespace fenceline::check
