#include "tb/explore/story_timeline.h"

#include <map>
#include <utility>

#include "tb/explore/story.h"
#include "tb/report/narrative.h"

namespace fenceline::explore {

using report::StoryMark;

namespace {

/// A line of the story that was found in the run, and the mark that stands for it.
struct Found {
  const StoryLine* line;
  std::size_t mark;
};

/// The mark of a step that a hold speaks of; kNone if it has none. The holds of the run in time may
/// be others than those of the story, whose steps come first.
std::size_t mark_of(const scenario::OperationRef& operation, const std::vector<Found>& all) {
  for (const bool held : {true, false})
    for (const Found& it : all)
      if (it.line->held == held && it.line->agent == operation.agent &&
          it.line->operation == operation.op)
        return it.mark;
  return StoryMark::kNone;
}

}  // namespace

report::Timeline timeline_with_story(const Counterexample& found, const report::Record& record,
                                     std::uint64_t end_time) {
  report::Timeline timeline = report::Timeline::build(record.recorder, record.names, end_time);
  // The same may happen several times: then the first time is the first one told.
  std::map<std::pair<std::string, std::string>, std::vector<const StoryLine*>> to_tell;
  for (auto line = found.story.rbegin(); line != found.story.rend(); ++line)
    to_tell[{line->agent, line->text}].push_back(&*line);
  std::vector<Found> told;
  record.recorder.for_each([&](const common::Event& event, std::uint64_t) {
    if (!explains(event.kind)) return;
    const std::string agent(record.names.object(common::ObjectKind::kAgent, event.agent));
    const auto lines = to_tell.find({agent, report::describe(event, record.names)});
    if (lines == to_tell.end() || lines->second.empty()) return;
    told.push_back({lines->second.back(), timeline.story.size()});
    lines->second.pop_back();
    StoryMark mark;
    mark.time = event.time;
    mark.column = column_of(agent);
    mark.text = with_agent(agent, told.back().line->text);
    timeline.tell(std::move(mark), agent, record.names);
  });
  for (const scenario::Hold& hold : found.timed_holds) {
    const std::size_t late = mark_of(hold.operation, told);
    if (late != StoryMark::kNone) timeline.story[late].after = mark_of(hold.until, told);
  }
  return timeline;
}

}  // namespace fenceline::explore
