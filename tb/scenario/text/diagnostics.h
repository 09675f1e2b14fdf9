#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fenceline::scenario {

/// An error in a scenario, with its position.
struct Diagnostic {
  std::string path;          ///< file as given; "--set" for an invalid override
  std::uint32_t line = 0;    ///< 1-based; 0: not in the file (override or default)
  std::uint32_t column = 0;  ///< 1-based, in characters (not bytes)
  std::string pointer;       ///< JSON pointer of the wrong value; empty for the document
  std::string message;       ///< the error
  std::string expected;      ///< what is allowed there; may be empty
  std::string hint;          ///< e.g. did you mean "gpu.signal_barrier"?; may be empty
};

/// A scenario that cannot be loaded. Only the first error is reported.
class ScenarioError : public std::runtime_error {
 public:
  /// what() is one paragraph: "path:line:column: pointer: message; expected ...; hint".
  explicit ScenarioError(Diagnostic diagnostic);

  const Diagnostic& diagnostic() const { return diagnostic_; }
  const std::string& path() const { return diagnostic_.path; }
  std::uint32_t line() const { return diagnostic_.line; }
  std::uint32_t column() const { return diagnostic_.column; }
  const std::string& pointer() const { return diagnostic_.pointer; }
  const std::string& message() const { return diagnostic_.message; }
  const std::string& expected() const { return diagnostic_.expected; }
  const std::string& hint() const { return diagnostic_.hint; }

 private:
  Diagnostic diagnostic_;
};

/// The candidate closest to `word`; empty if none is close enough for a typing error.
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean "x"?" with the closest candidate; empty if there is none.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// "one of "a", "b"": at most `most` names, then the number of all.
std::string one_of(const std::vector<std::string>& names, std::size_t most = 12);

/// `text` in double quotes, escaped for one terminal line and limited to 64 bytes.
std::string in_quotes(std::string_view text);

/// `key` as one reference token of a JSON pointer: ~ is written ~0 and / is written ~1.
std::string pointer_token(std::string_view key);

}  // namespace fenceline::scenario
