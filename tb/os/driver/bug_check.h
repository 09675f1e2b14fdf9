#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace fenceline::os {

/// The four parameters of a bug check. Source: Windows bug check reference.
struct StopParameters {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t third = 0;
  std::uint64_t fourth = 0;
};

/// The machine stops: thrown by the OS model, caught by whoever runs it.
class BugCheck : public std::runtime_error {
 public:
  BugCheck(std::uint32_t code, const StopParameters& parameters, const std::string& why)
      : std::runtime_error(why), code_(code), parameters_(parameters) {}
  std::uint32_t code() const { return code_; }
  const StopParameters& parameters() const { return parameters_; }

 private:
  std::uint32_t code_;
  StopParameters parameters_;
};

}  // namespace fenceline::os
