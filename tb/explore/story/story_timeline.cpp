#include "tb/explore/story/story_timeline.h"

#include <map>
#include <utility>

#include "tb/explore/story/story.h"
#include "tb/report/rows/timeline_builder.h"
#include "tb/report/writers/narrative.h"

namespace fenceline::explore {

using report::StoryMark;

namespace {

/// A line of the story that happened in the run, and its mark.
struct Found {
  const StoryLine* line;
  std::size_t mark;
};

/// The mark of a step that a hold names; kNone if it has none. The holds of this run may differ
/// from those of the story; lines that are held in the story are preferred.
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
                                     const report::RunReport& run) {
  report::Timeline timeline =
      report::build_timeline(record.recorder, record.names, run.end_time, run.scenario);
  // Equal lines are matched with equal events in the order of their time: the last line of each
  // list is the next one to match.
  std::map<std::pair<std::string, std::string>, std::vector<const StoryLine*>> to_match;
  for (auto line = found.story.rbegin(); line != found.story.rend(); ++line)
    to_match[{line->agent, line->text}].push_back(&*line);
  std::vector<Found> marked;
  record.recorder.for_each([&](const common::Event& event, std::uint64_t) {
    if (!explains(event.kind)) return;
    const std::string agent(record.names.object(common::ObjectKind::kAgent, event.agent));
    const auto lines = to_match.find({agent, report::describe(event, record.names)});
    if (lines == to_match.end() || lines->second.empty()) return;
    marked.push_back({lines->second.back(), timeline.story.size()});
    lines->second.pop_back();
    StoryMark mark;
    mark.time = event.time;
    mark.step = marked.back().line->step;
    mark.column = column_of(agent);
    mark.text = with_agent(agent, marked.back().line->text);
    timeline.add_mark(std::move(mark), agent, record.names);
  });
  for (const scenario::Hold& hold : found.timed_holds) {
    const std::size_t late = mark_of(hold.operation, marked);
    if (late != StoryMark::kNone) timeline.story[late].after = mark_of(hold.until, marked);
  }
  return timeline;
}

}  // namespace fenceline::explore
