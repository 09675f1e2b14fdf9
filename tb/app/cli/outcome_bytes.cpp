#include "tb/app/cli/outcome_bytes.h"

#include <array>

#include "tb/explore/search/bytes.h"

namespace fenceline::cli {

namespace {

constexpr std::array kTexts{
    &Outcome::scenario,  &Outcome::file, &Outcome::verdict, &Outcome::title, &Outcome::details,
    &Outcome::latencies, &Outcome::json, &Outcome::suite,   &Outcome::files, &Outcome::error};
constexpr std::array kNumbers{&Outcome::seed, &Outcome::end_time, &Outcome::events,
                              &Outcome::interrupts, &Outcome::released};
constexpr std::array kLists{&Outcome::reasons, &Outcome::broken};

}  // namespace

std::string bytes_of(const Outcome& outcome) {
  explore::Writer out;
  for (const auto member : kTexts) out.text(outcome.*member);
  for (const auto member : kNumbers) out.number(outcome.*member);
  for (const auto member : kLists)
    out.list(outcome.*member, [&](const std::string& text) { out.text(text); });
  out.number(outcome.exit_code);
  return out.take();
}

Outcome outcome_of(const std::string& bytes) {
  explore::Reader in(bytes);
  Outcome outcome;
  for (const auto member : kTexts) outcome.*member = in.text();
  for (const auto member : kNumbers) outcome.*member = in.number();
  for (const auto member : kLists) in.list([&] { (outcome.*member).push_back(in.text()); });
  outcome.exit_code = in.number<int>();
  return outcome;
}

}  // namespace fenceline::cli
