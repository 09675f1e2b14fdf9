#pragma once

#include "tb/reference/outcome.h"

namespace fenceline::campaign {

constexpr const char* kFirst = "/programs/0/steps/0";
constexpr const char* kSecond = "/programs/0/steps/1";
constexpr const char* kCommand = "/programs/1/commands/0";

/// A prediction written by hand: a thread with two steps, a queue with one command, a fence and a
/// word.
inline reference::Outcome small_prediction() {
  reference::Outcome outcome;
  outcome.fences["app/F"] = {false, {1}};
  outcome.contents["app/A"][8] = {false, {5, 6}};
  reference::StepOutcome step;
  step.pointer = kFirst;
  step.statuses = {"STATUS_SUCCESS"};
  outcome.threads["t"].push_back(step);
  step.pointer = kSecond;
  step.after = {{"app/q", 1}};
  outcome.threads["t"].push_back(step);
  outcome.commands["app/q"].push_back({kCommand, reference::Happens::kAlways, {}});
  return outcome;
}

}  // namespace fenceline::campaign
