#include "tb/app/cli/outcome_bytes.h"

#include "tb/explore/search/bytes.h"

namespace fenceline::cli {

template <class Archive>
void serialize(Archive& archive, Outcome& it) {
  archive(it.scenario, it.file, it.seed, it.exit_code, it.verdict, it.reasons, it.broken,
          it.end_time, it.events, it.interrupts, it.released, it.title, it.details, it.latencies,
          it.json, it.suite, it.files, it.error);
}

std::string bytes_of(const Outcome& outcome) { return explore::to_bytes(outcome); }

Outcome outcome_of(const std::string& bytes) {
  Outcome outcome;
  explore::from_bytes(bytes, outcome);
  return outcome;
}

}  // namespace fenceline::cli
