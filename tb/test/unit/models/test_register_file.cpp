// Registers with handlers: offsets, arrays and what an access without a register does.
#include <catch2/catch.hpp>
#include <vector>

#include "models/common/register_file.h"

namespace fenceline::test_register_file {

using common::RegisterFile;

namespace {

/// Accesses a register file as the register bus does.
struct Bus {
  RegisterFile file;
  common::Transaction transaction;
  std::uint64_t data = 0;

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t offset) {
    transaction.payload.set_command(command);
    transaction.payload.set_address(offset);
    transaction.payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    transaction.payload.set_data_length(sizeof data);
    file.access(transaction.payload);
    return transaction.payload.get_response_status();
  }
  tlm::tlm_response_status write(std::uint64_t offset, std::uint64_t value) {
    data = value;
    return access(tlm::TLM_WRITE_COMMAND, offset);
  }
  tlm::tlm_response_status read(std::uint64_t offset) {
    data = ~0ULL;
    return access(tlm::TLM_READ_COMMAND, offset);
  }
};

}  // namespace

TEST_CASE("a register keeps what its handlers keep", "[register_file]") {
  Bus bus;
  std::uint64_t kept = 7;
  bus.file.add(
      0x10, [&](const auto&) { return kept; },
      [&](std::uint64_t, std::uint64_t value) { kept = value; });
  CHECK(bus.read(0x10) == tlm::TLM_OK_RESPONSE);
  CHECK(bus.data == 7);
  CHECK(bus.write(0x10, 8) == tlm::TLM_OK_RESPONSE);
  CHECK(kept == 8);
}

TEST_CASE("an access without a register is an error", "[register_file]") {
  Bus bus;
  bus.file.add_read_only({0x10, 2, 16}, [](const auto&) { return 1; });
  for (const std::uint64_t offset : {0x0, 0x8, 0x18, 0x28, 0x30}) {
    CHECK(bus.read(offset) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bus.write(offset, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK_FALSE(bus.file.has(offset));
  }
}

TEST_CASE("a read-only register ignores writes and a write-only one reads 0", "[register_file]") {
  Bus bus;
  std::uint64_t written = 0;
  bus.file.add_read_only(0x0, [](const auto&) { return 5; });
  bus.file.add_write_only(0x8, [&](std::uint64_t, std::uint64_t value) { written = value; });
  CHECK(bus.write(0x0, 1) == tlm::TLM_OK_RESPONSE);
  CHECK(bus.read(0x0) == tlm::TLM_OK_RESPONSE);
  CHECK(bus.data == 5);
  CHECK(bus.write(0x8, 9) == tlm::TLM_OK_RESPONSE);
  CHECK(written == 9);
  CHECK(bus.read(0x8) == tlm::TLM_OK_RESPONSE);
  CHECK(bus.data == 0);
}

TEST_CASE("the fields of a table are arrays with a stride", "[register_file]") {
  Bus bus;
  std::vector<std::uint64_t> first(4), second(4);
  const auto keep = [](std::vector<std::uint64_t>& values) {
    return [&values](std::uint64_t index, std::uint64_t value) { values[index] = value; };
  };
  bus.file.add_write_only({0x108, 4, 16}, keep(second));
  bus.file.add_write_only({0x100, 4, 16}, keep(first));
  for (std::uint64_t i = 0; i < 8; ++i)
    CHECK(bus.write(0x100 + 8 * i, 10 + i) == tlm::TLM_OK_RESPONSE);
  CHECK(first == std::vector<std::uint64_t>{10, 12, 14, 16});
  CHECK(second == std::vector<std::uint64_t>{11, 13, 15, 17});
  CHECK(bus.write(0x140, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("a handler sees the value that a poll waits for", "[register_file]") {
  Bus bus;
  std::uint64_t at_least = 0, index = 0;
  bus.file.add_read_only({0x20, 3}, [&](const RegisterFile::Reading& reading) {
    at_least = reading.at_least;
    index = reading.index;
    return 0;
  });
  bus.transaction.attributes.at_least = 12;
  CHECK(bus.read(0x30) == tlm::TLM_OK_RESPONSE);
  CHECK(at_least == 12);
  CHECK(index == 2);
}

}  // namespace fenceline::test_register_file
