#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace fenceline::os {

/// The machine stops: thrown by the OS model, caught by whoever runs it.
class BugCheck : public std::runtime_error {
 public:
  BugCheck(std::uint32_t code, std::uint64_t first, const std::string& why)
      : std::runtime_error(why), code_(code), first_(first) {}
  std::uint32_t code() const { return code_; }
  std::uint64_t first_parameter() const { return first_; }

 private:
  std::uint32_t code_;
  std::uint64_t first_;
};

}  // namespace fenceline::os
