// Hardware contexts.
#include "tb/scenario/checks/commands.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

void check_hardware_contexts(ProcessNames& names, const std::string& pointer,
                             const Places& places) {
  const Process& process = *names.process;
  require_unique(places, process.hardware_contexts, "hardware context",
                 pointer + "/hardware_contexts");
  for (const HardwareContext& context : process.hardware_contexts)
    names.hardware_contexts.emplace(context.name, "");
  for (std::size_t i = 0; i < process.queues.size(); ++i) {
    const Queue& queue = process.queues[i];
    const std::string at = pointer + "/queues/" + std::to_string(i);
    if (!queue.context) {
      if (!names.hardware_contexts.emplace(queue.name, queue.engine).second)
        places.fail(at + "/name",
                    "a hardware context of the process is called " + in_quotes(queue.name) + " too",
                    {},
                    "give the queue \"context\": " + in_quotes(queue.name) +
                        " to put it there, or another name");
      continue;
    }
    std::string& engine = places
                              .find(at + "/context", "hardware context", *queue.context,
                                    names.hardware_contexts, "process " + in_quotes(process.name))
                              .second;
    if (engine.empty()) engine = queue.engine;
    if (engine != queue.engine)
      places.fail(
          at + "/context",
          "hardware context " + in_quotes(*queue.context) + " is on engine " + in_quotes(engine),
          {}, "all queues of a hardware context are on one engine");
  }
}

void CommandChecker::hardware_context(const std::string& name, const std::string& pointer) const {
  if (find("hardware context", name, own_.hardware_contexts, pointer).empty())
    places_.fail(pointer, "hardware context " + in_quotes(name) + " has no queue");
  if (!own_.schedules)
    places_.fail(pointer, "the OS does not schedule hardware contexts", {},
                 "set /platform/os/context_scheduling/enabled");
}

}  // namespace fenceline::scenario
