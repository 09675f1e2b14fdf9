#include "tb/generate/display.h"

#include "tb/generate/rules.h"
#include "tb/generate/sharing.h"
#include "tb/generate/world.h"

namespace fenceline::generate {

namespace {

/// An image is drawn again only when it is off the screen: with so many more than flips are queued.
constexpr std::uint64_t kImages = 4;
constexpr std::uint32_t kMaxQueued = 2;

void draw_mode(Draw& draw, display::DisplayConfig& mode) {
  mode.refresh_period = draw.between(1, 4) * common::kMillisecond;
  mode.blanking = draw.between(50, 600) * common::kMicrosecond;
  mode.primary_bytes = (64ULL << 10U) * draw.between(1, 4);
  mode.self_refresh_frames = static_cast<std::uint32_t>(draw.between(1, 3));
}

void draw_images(Plan& plan, DisplayPlan& display, std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < kImages; ++i) {
    scenario::Allocation image;
    image.name = plan.fresh_name("I");
    image.bytes = bytes;
    display.images.push_back(image.name);
    plan.scenario().processes[display.process].allocations.push_back(std::move(image));
  }
}

/// First and last word of the image tell its number: the checks of the display read them.
scenario::WriteCommand word_of(const std::string& image, std::uint64_t offset,
                               std::uint64_t number) {
  scenario::WriteCommand write;
  write.allocation = image;
  write.offset = offset;
  write.value = scenario::Expression{number};
  return write;
}

void draw_image(Plan& plan, const DisplayPlan& display, const std::string& image) {
  const std::uint64_t bytes = adapter_of(plan.scenario(), display.process).display.primary_bytes;
  plan.open_by(display.context, display.thread);
  plan.command(display.context, word_of(image, 0, display.presents));
  if (plan.agent(display.context).engine_kind != engine::EngineKind::kCopy) {
    scenario::DispatchCommand work;
    work.duration = draw_work_time(plan);
    plan.command(display.context, std::move(work));
  }
  plan.command(display.context, word_of(image, bytes - 8, display.presents));
  plan.close(display.context);
}

}  // namespace

void draw_displays(Plan& plan) {
  const std::uint32_t percent = plan.constraints().features.display;
  for (top::GpuConfig& gpu : plan.scenario().platform.gpus) {
    if (!plan.draw().occurs(percent)) continue;
    std::vector<AgentId> contexts;
    for (AgentId id = 0; id < plan.agents().size(); ++id)
      if (plan.agent(id).kind == Agent::Kind::kContext && !plan.agent(id).patched &&
          adapter_of(plan.scenario(), plan.agent(id).process).name == gpu.name)
        contexts.push_back(id);
    if (contexts.empty()) continue;
    draw_mode(plan.draw(), gpu.display);
    DisplayPlan display;
    display.context = plan.draw().one_of(contexts);
    display.process = plan.agent(display.context).process;
    display.thread = plan.draw().one_of(plan.threads_of(display.process));
    draw_images(plan, display, gpu.display.primary_bytes);
    plan.displays().push_back(std::move(display));
  }
}

/// Draws an image and shows it. Without queued flips the step ends when it is on the screen.
bool Rule<scenario::PresentStep>::plan(Plan& plan, AgentId thread) {
  for (DisplayPlan& display : plan.displays()) {
    if (display.thread != thread) continue;
    plan.close(display.context);
    if (!plan.take_turn(thread, display.context)) return false;
    const std::string& image = display.images[display.presents % kImages];
    ++display.presents;
    draw_image(plan, display, image);
    scenario::PresentStep present;
    present.primary = image;
    present.context = plan.agent(display.context).name;
    present.queued = static_cast<std::uint32_t>(plan.draw().below(kMaxQueued + 1));
    const bool shown = present.queued == 0;
    plan.step(thread, std::move(present));
    plan.agent(thread).needs.learn(plan.agent(display.context).needs);
    if (shown) plan.agent(thread).known.learn(plan.agent(display.context).known);
    return true;
  }
  return false;
}

}  // namespace fenceline::generate
