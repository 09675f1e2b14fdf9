// The rules that a driver must keep to for its adapter to start.
#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "tb/os/driver/start_checks.h"

namespace fenceline::os::test_start_checks {

namespace {

using Caps = DXGK_VIDSCHCAPS;

/// Answers of a driver that may start with native fences.
DriverAnswers good() {
  DriverAnswers answers;
  answers.caps.HighestAcceptableAddress.QuadPart = (1LL << 40) - 1;
  answers.caps.SchedulingCaps.Value =
      Caps::kMultiEngineAware | Caps::kPreemptionAware | Caps::kNativeGpuFence;
  answers.fence_caps.MonitoredValueStride = 8;
  answers.has_fence_entries = true;
  answers.enabled = true;
  answers.system_memory = 1ULL << 32;
  answers.virtual_address_bits = 47;
  return answers;
}

struct Case {
  const char* what;
  StartRule rule;
  std::function<void(DriverAnswers&)> change;
};

const Case kCases[] = {
    {"not enabled", StartRule::kNotEnabled, [](auto& a) { a.enabled = false; }},
    {"no entries", StartRule::kMissingDdi, [](auto& a) { a.has_fence_entries = false; }},
    {"split stores", StartRule::kAtomics,
     [](auto& a) { a.caps.SchedulingCaps.Value |= Caps::kNo64BitAtomics; }},
    {"no stride", StartRule::kStride, [](auto& a) { a.fence_caps.MonitoredValueStride = 0; }},
    {"odd stride", StartRule::kStride, [](auto& a) { a.fence_caps.MonitoredValueStride = 20; }},
    {"stride beyond a page", StartRule::kStride,
     [](auto& a) { a.fence_caps.MonitoredValueStride = 4104; }},
    {"no segment", StartRule::kSegments, [](auto& a) { a.storage.monitored_value = 0; }},
    {"bounds the wrong way", StartRule::kAddressBounds,
     [](auto& a) {
       a.fence_caps.MinimumAddress = 0x20000;
       a.fence_caps.MaximumAddress = 0x1FFFF;
     }},
    {"bounds beyond the address space", StartRule::kAddressBounds,
     [](auto& a) { a.fence_caps.MinimumAddress = 1ULL << 47; }},
    {"memory out of reach", StartRule::kMemoryLimit,
     [](auto& a) { a.caps.HighestAcceptableAddress.QuadPart = (1LL << 32) - 2; }},
    {"preemption alone", StartRule::kCapsDependency,
     [](auto& a) { a.caps.SchedulingCaps.Value = Caps::kPreemptionAware; }},
    {"patching alone", StartRule::kCapsDependency,
     [](auto& a) { a.caps.SchedulingCaps.Value = Caps::kMultiEngineAware | Caps::kNoDmaPatching; }},
    {"cancel alone", StartRule::kCapsDependency,
     [](auto& a) { a.caps.SchedulingCaps.Value = Caps::kCancelCommandAware; }},
    {"optimized alone", StartRule::kCapsDependency,
     [](auto& a) {
       a.caps.SchedulingCaps.Value =
           Caps::kMultiEngineAware | Caps::kOptimizedNativeFenceSignaledInterrupt;
     }},
    {"a reserved bit", StartRule::kCapsDependency,
     [](auto& a) { a.caps.SchedulingCaps.Value |= 1U << 20; }},
};

}  // namespace

TEST_CASE("a driver that keeps to the rules starts", "[os][start]") {
  CHECK_FALSE(find_broken_rule({}, good()).has_value());
  DriverAnswers plain = good();
  plain.caps.SchedulingCaps.Value = 0;
  plain.enabled = plain.has_fence_entries = false;
  CHECK_FALSE(find_broken_rule({}, plain).has_value());
}

TEST_CASE("each broken rule is found and reported", "[os][start]") {
  for (const Case& it : kCases) {
    INFO(it.what);
    DriverAnswers answers = good();
    it.change(answers);
    const auto broken = find_broken_rule({}, answers);
    REQUIRE(broken.has_value());
    CHECK(broken->rule == it.rule);
    CHECK_FALSE(broken->why.empty());
  }
}

TEST_CASE("the same word is a stride or a padding", "[os][start]") {
  SystemOptions system;
  CHECK(monitored_value_distance(system, 64) == 64);
  system.monitored_value_field = MonitoredValueField::kPadding;
  CHECK(monitored_value_distance(system, 0) == 8);
  CHECK(monitored_value_distance(system, 56) == 64);
  DriverAnswers answers = good();
  answers.fence_caps.MonitoredValueStride = 0;
  CHECK_FALSE(find_broken_rule(system, answers).has_value());
}

TEST_CASE("each rule has a name of its own", "[os][start]") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < static_cast<std::size_t>(StartRule::kCount); ++i)
    names.insert(start_rule_name(static_cast<StartRule>(i)));
  CHECK(names.size() == static_cast<std::size_t>(StartRule::kCount));
}

TEST_CASE("a driver model has its interface version", "[os][start]") {
  CHECK(interface_version(DXGKDDI_WDDMv3_2) == 0x11007);
  CHECK(interface_version(DXGKDDI_WDDMv3_1) == 0x10004);
  CHECK(interface_version(DXGKDDI_WDDMv3_0) == 0xF003);
  CHECK(interface_version(DXGKDDI_WDDMv2_9) == 0xE003);
  CHECK(interface_version(DXGKDDI_WDDMv2_7) == 0xC004);
  CHECK(interface_version(DXGKDDI_WDDMv2) == 0x5023);
  CHECK(wddm_text(DXGKDDI_WDDMv2_7) == "WDDM 2.7");
}

}  // namespace fenceline::os::test_start_checks
