#include <catch2/catch.hpp>
#include <fstream>
#include <regex>
#include <string>

#include "models/abi/register_map.h"

namespace fenceline::models_tests::test_register_map {

namespace abi = fenceline::abi;
using abi::register_access;
using abi::RegisterAccess;

TEST_CASE("registers are where the map says", "[abi]") {
  CHECK(register_access(abi::kId) == RegisterAccess::kReadOnly);
  CHECK(register_access(abi::kResetGroup) == RegisterAccess::kReadOnly);
  CHECK(register_access(abi::kResetGroup + 8) == RegisterAccess::kNone);
  CHECK(register_access(abi::kInterruptAcknowledge) == RegisterAccess::kWritable);
  CHECK(register_access(abi::kInterruptAcknowledge + 8) == RegisterAccess::kNone);
  CHECK(register_access(abi::kMsixTable + 8) == RegisterAccess::kOperatingSystem);
  CHECK(register_access(abi::kMsixTable + 16) == RegisterAccess::kNone);
  CHECK(register_access(abi::kHostApertureEntry) == RegisterAccess::kWritable);
  CHECK(register_access(abi::kRegisterBarBytes) == RegisterAccess::kNone);
  CHECK(register_access(UINT64_MAX - 7) == RegisterAccess::kNone);
}

TEST_CASE("tables end with their last entry and have no words between entries", "[abi]") {
  const auto queue = [](std::uint64_t slot, std::uint64_t field) {
    return register_access(abi::kQueueTable + slot * abi::kQueueEntryBytes + field);
  };
  CHECK(queue(0, abi::kQueueContext) == RegisterAccess::kWritable);
  CHECK(queue(0, abi::kQueueContext + 8) == RegisterAccess::kNone);
  CHECK(queue(abi::kQueueSlots - 1, abi::kQueueRingBase) == RegisterAccess::kWritable);
  CHECK(queue(abi::kQueueSlots, abi::kQueueRingBase) == RegisterAccess::kNone);
  CHECK(register_access(abi::kBandGrace + 8 * abi::kBands) == RegisterAccess::kNone);
}

TEST_CASE("what the comments call RO is read-only in the map", "[abi]") {
  std::ifstream file(FENCELINE_SOURCE_DIR "/models/abi/registers.h");
  const std::regex one_line("^  k[A-Za-z]+ = (0x[0-9A-Fa-f]+),.*///< (RO|WO|)");
  int read_only = 0;
  for (std::string line; std::getline(file, line) && line != "};";) {
    std::smatch found;
    if (!std::regex_search(line, found, one_line)) continue;
    const std::uint64_t offset = std::stoull(found[1], nullptr, 16);
    const RegisterAccess access = register_access(offset);
    INFO(line);
    CHECK(access != RegisterAccess::kNone);
    if (found[2] == "RO") CHECK(access == RegisterAccess::kReadOnly);
    if (found[2] == "WO") CHECK(access == RegisterAccess::kWritable);
    read_only += found[2] == "RO" ? 1 : 0;
  }
  CHECK(read_only >= 15);
}

TEST_CASE("a register takes what the device has", "[abi]") {
  CHECK(abi::register_takes(abi::kFenceKick, 5 | abi::kKickAlwaysSignaled));
  CHECK_FALSE(abi::register_takes(abi::kFenceKick, 5 | abi::kKickFromCpu));
  CHECK_FALSE(abi::register_takes(abi::kFenceRetire, abi::kFenceSlots));
  CHECK_FALSE(abi::register_takes(abi::kMmuInvalidate, abi::kAddressSpaces));
  CHECK_FALSE(abi::register_takes(abi::kInterruptRingEntries, 0));
  CHECK_FALSE(abi::register_takes(abi::kInterruptRingEntries, 6));
  CHECK(abi::register_takes(abi::kInterruptRingEntries, 8));
  CHECK(abi::is_of_missing_node(abi::kPreempt + 8 * 3, 3));
  CHECK_FALSE(abi::is_of_missing_node(abi::kPreempt + 8 * 2, 3));
  CHECK_FALSE(abi::is_of_missing_node(abi::kEngineReset, 3));
}

}  // namespace fenceline::models_tests::test_register_map
