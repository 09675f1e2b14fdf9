#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tlm>
#include <utility>
#include <vector>

#include "models/common/transaction.h"

namespace fenceline::common {

/// Offsets of one register, or of an array of registers that share their handlers.
struct RegisterArray {
  /// One register is written as its offset.
  RegisterArray(std::uint64_t offset,  // NOLINT(google-explicit-constructor)
                std::uint64_t registers = 1, std::uint64_t step = 8)
      : first(offset), count(registers), stride(step) {}
  std::uint64_t first;   ///< [bytes]
  std::uint64_t count;   ///< number of registers
  std::uint64_t stride;  ///< [bytes] from one register to the next
};

/// The registers of a block. Each part of the block adds its own registers with their handlers.
///
/// A register is 64 bits wide. A register without a read handler reads as 0. A write to a register
/// without a write handler has no effect, as on a bus. An access to an offset without a register
/// fails with TLM_ADDRESS_ERROR_RESPONSE.
class RegisterFile {
 public:
  /// A read of the register with number `index` in its array.
  struct Reading {
    std::uint64_t index = 0;
    std::uint64_t at_least = 0;  ///< Attributes::at_least: value that a poll waits for; 0: no poll
  };
  using Read = std::function<std::uint64_t(const Reading& reading)>;
  using Write = std::function<void(std::uint64_t index, std::uint64_t value)>;

  /// @pre no other register has one of these offsets.
  void add(const RegisterArray& at, Read read, Write write) {
    const auto place = std::upper_bound(
        registers_.begin(), registers_.end(), at.first,
        [](std::uint64_t first, const Register& other) { return first < other.at.first; });
    registers_.insert(place, {at, std::move(read), std::move(write)});
  }
  void add_read_only(const RegisterArray& at, Read read) { add(at, std::move(read), nullptr); }
  void add_write_only(const RegisterArray& at, Write write) { add(at, nullptr, std::move(write)); }

  /// True if there is a register at `offset`.
  bool has(std::uint64_t offset) const { return find(offset) != nullptr; }
  /// Value of the register at `offset`. @pre has(offset).
  std::uint64_t read(std::uint64_t offset, std::uint64_t at_least = 0) const {
    const Register& it = *find(offset);
    return it.read ? it.read({it.index(offset), at_least}) : 0;
  }
  /// Writes the register at `offset`. @pre has(offset).
  void write(std::uint64_t offset, std::uint64_t value) const {
    const Register& it = *find(offset);
    if (it.write) it.write(it.index(offset), value);
  }
  /// Serves a transaction whose data is one register. It takes no time of its own; a handler may
  /// wait.
  void access(tlm::tlm_generic_payload& payload) const {
    const std::uint64_t offset = payload.get_address();
    if (!has(offset)) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    std::uint64_t value = 0;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.is_write()) {
      std::memcpy(&value, payload.get_data_ptr(), sizeof value);
      return write(offset, value);
    }
    value = read(offset, attributes_of(payload).at_least);
    std::memcpy(payload.get_data_ptr(), &value, sizeof value);
  }

 private:
  struct Register {
    RegisterArray at;
    Read read;
    Write write;

    std::uint64_t index(std::uint64_t offset) const { return (offset - at.first) / at.stride; }
    bool covers(std::uint64_t offset) const {
      return offset >= at.first && (offset - at.first) % at.stride == 0 && index(offset) < at.count;
    }
  };
  /// Arrays may be interleaved: the fields of a table each are an array.
  const Register* find(std::uint64_t offset) const {
    auto after = std::upper_bound(
        registers_.begin(), registers_.end(), offset,
        [](std::uint64_t at, const Register& other) { return at < other.at.first; });
    while (after != registers_.begin())
      if ((--after)->covers(offset)) return &*after;
    return nullptr;
  }

  std::vector<Register> registers_;  ///< sorted by first offset
};

}  // namespace fenceline::common
