#include "tb/scenario/text/diagnostics.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fenceline::scenario {

namespace {

constexpr std::size_t kQuotedBytes = 64;
constexpr std::size_t kLongestName = 64;  // longer words get no suggestion: the cost is quadratic

std::string paragraph(const Diagnostic& d) {
  std::string text = d.path;
  if (d.line != 0) text += ":" + std::to_string(d.line) + ":" + std::to_string(d.column);
  text += ": ";
  if (!d.pointer.empty()) text += d.pointer + ": ";
  text += d.message;
  if (!d.expected.empty()) text += "; expected " + d.expected;
  if (!d.hint.empty()) text += "; " + d.hint;
  return text;
}

/// Edit distance from `a` to `b`: insertions, deletions, substitutions and swaps of neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

ScenarioError::ScenarioError(Diagnostic diagnostic)
    : std::runtime_error(paragraph(diagnostic)), diagnostic_(std::move(diagnostic)) {}

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kLongestName) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestName) continue;
    const std::size_t d = distance(word, candidate);
    if (d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = closest(word, candidates);
  return best.empty() ? std::string() : "did you mean " + in_quotes(best) + "?";
}

std::string one_of(const std::vector<std::string>& names, std::size_t most) {
  std::string text = names.size() == 1 ? "" : "one of ";
  for (std::size_t i = 0; i < names.size() && i < most; ++i) {
    text += (i == 0 ? "" : ", ") + in_quotes(names[i]);
  }
  if (names.size() > most) text += ", ... (" + std::to_string(names.size()) + " in all)";
  return text;
}

std::string in_quotes(std::string_view text) {
  constexpr std::array<char, 17> kHex{"0123456789abcdef"};
  std::string out = "\"";
  std::size_t end = std::min(text.size(), kQuotedBytes);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;  // never cut a UTF-8 sequence
  }
  for (const char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      out += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 15U]};
    } else {
      out += c;
    }
  }
  return out + (end < text.size() ? "...\"" : "\"");
}

std::string pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) {
    if (c == '~')
      token += "~0";
    else if (c == '/')
      token += "~1";
    else
      token += c;
  }
  return token;
}

}  // namespace fenceline::scenario
