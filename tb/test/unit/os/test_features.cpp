// Feature negotiation as the OS sees it, and what user mode may touch.
#include <catch2/catch.hpp>

#include "tb/os/allocations/user_pages.h"
#include "tb/os/driver/features.h"

namespace fenceline::os::test_features {

namespace {

using Result = DXGK_ISFEATUREENABLED_RESULT;
constexpr USHORT kAll = Result::kKnownFeature | Result::kSupportedByDriver |
                        Result::kSupportedOnCurrentConfig | Result::kEnabled;

/// What a driver answers about native fences; about others it says yes, versions 1 to 1.
struct Answer {
  NTSTATUS status = STATUS_SUCCESS;
  DXGK_FEATURE_VERSION lowest = 1;
  DXGK_FEATURE_VERSION highest = 1;
  bool driver = true;
  bool config = true;
  bool hardware_scheduling = true;
};

NTSTATUS answer(HANDLE adapter, DXGKARG_QUERYFEATURESUPPORT* args) {
  const auto& it = *static_cast<Answer*>(adapter);
  const bool native = args->FeatureId == DXGK_FEATURE_NATIVE_FENCE;
  args->MinSupportedVersion = native ? it.lowest : DXGK_FEATURE_VERSION{1};
  args->MaxSupportedVersion = native ? it.highest : DXGK_FEATURE_VERSION{1};
  args->SupportedByDriver = (native ? it.driver : it.hardware_scheduling) ? TRUE : FALSE;
  args->SupportedOnCurrentConfig = !native || it.config ? TRUE : FALSE;
  return it.status;
}

Features features_of(Answer& driver, const SystemOptions& system = {}) {
  Features features(system);
  DXGKDDI_FEATURE_INTERFACE table{};
  table.QueryFeatureSupport = answer;
  features.set_driver(table, &driver);
  return features;
}

USHORT native_fence(Answer driver, const SystemOptions& system = {}) {
  return features_of(driver, system).ask(DXGK_FEATURE_NATIVE_FENCE).Value;
}

}  // namespace

TEST_CASE("a feature is enabled when all agree", "[os][feature]") {
  Answer driver;
  const Features features = features_of(driver);
  const Result result = features.ask(DXGK_FEATURE_NATIVE_FENCE);
  CHECK(result.Value == kAll);
  CHECK(result.Version == 1);
  CHECK(features.enabled(DXGK_FEATURE_HWSCH));
}

TEST_CASE("the highest version of both is taken", "[os][feature]") {
  Answer driver;
  driver.highest = 7;
  CHECK(features_of(driver).ask(DXGK_FEATURE_NATIVE_FENCE).Version == 1);
  driver.lowest = 2;
  CHECK(native_fence(driver) == (kAll & ~Result::kEnabled));
}

TEST_CASE("each side can say no and how far it got can be seen", "[os][feature]") {
  Answer no;
  no.driver = false;
  CHECK(native_fence(no) == Result::kKnownFeature);
  Answer not_here;
  not_here.config = false;
  CHECK(native_fence(not_here) == (Result::kKnownFeature | Result::kSupportedByDriver));
  Answer failing;
  failing.status = STATUS_UNSUCCESSFUL;
  CHECK(native_fence(failing) == Result::kKnownFeature);
  SystemOptions off;
  off.native_fence = false;
  CHECK(native_fence({}, off) == (kAll & ~Result::kEnabled));
  CHECK(Features(SystemOptions{}).ask(DXGK_FEATURE_NATIVE_FENCE).Value == Result::kKnownFeature);
}

TEST_CASE("native fences need hardware scheduling on both sides", "[os][feature]") {
  SystemOptions off;
  off.hardware_scheduling = false;
  CHECK(native_fence({}, off) == (kAll & ~Result::kEnabled));
  Answer driver;
  driver.hardware_scheduling = false;
  CHECK(native_fence(driver) == (kAll & ~Result::kEnabled));
}

TEST_CASE("an older OS does not know the feature or has no feature services", "[os][feature]") {
  SystemOptions system;
  system.wddm = DXGKDDI_WDDMv3_1;
  CHECK(native_fence({}, system) == 0);
  CHECK(Features(system).offered());
  system.wddm = DXGKDDI_WDDMv3_0;
  CHECK_FALSE(Features(system).offered());
}

TEST_CASE("the table of a feature needs the negotiated version and room", "[os][feature]") {
  Answer driver;
  const Features features = features_of(driver);
  DXGKCBINT_FEATURE_NATIVEFENCE_1 table{};
  const auto query = [&](DXGK_FEATURE_ID id, DXGK_FEATURE_VERSION version, USHORT bytes) {
    DXGKARGCB_QUERYFEATUREINTERFACE args{id, version, bytes, &table};
    return features.query_table(args);
  };
  CHECK(query(DXGK_FEATURE_HWSCH, 1, sizeof table) == STATUS_INVALID_PARAMETER);
  CHECK(query(DXGK_FEATURE_NATIVE_FENCE, 2, sizeof table) == STATUS_UNSUCCESSFUL);
  CHECK(query(DXGK_FEATURE_NATIVE_FENCE, 1, 4) == STATUS_BUFFER_TOO_SMALL);
  REQUIRE(query(DXGK_FEATURE_NATIVE_FENCE, 1, sizeof table) == STATUS_SUCCESS);
  DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1 caps{7};
  CHECK(table.GetOSCaps(&caps) == STATUS_SUCCESS);
  CHECK(caps.Value == 0);
  driver.driver = false;
  CHECK(query(DXGK_FEATURE_NATIVE_FENCE, 1, sizeof table) == STATUS_UNSUCCESSFUL);
}

TEST_CASE("user mode reaches what is mapped and no more", "[os][protection]") {
  UserPages pages;
  pages.map(0x5008, false);
  CHECK(pages.allows(0x5FF8, false));
  CHECK_FALSE(pages.allows(0x5FF8, true));
  CHECK_FALSE(pages.allows(0x6000, false));
  pages.map(0x5000, true);
  pages.map(0x5000, false);
  CHECK(pages.allows(0x5000, true));
}

}  // namespace fenceline::os::test_features
