#include "tb/explore/process/counterexample_bytes.h"

#include "tb/explore/search/search_state.h"

namespace fenceline::explore {

namespace {

void write(Writer& out, const scenario::OperationRef& it) {
  out.text(it.agent);
  out.text(it.op);
  out.number(it.nth);
}

scenario::OperationRef read_operation(Reader& in) {
  scenario::OperationRef it;
  it.agent = in.text();
  it.op = in.text();
  it.nth = in.number<decltype(it.nth)>();
  return it;
}

void write(Writer& out, const std::vector<scenario::Hold>& holds) {
  out.list(holds, [&](const scenario::Hold& hold) {
    write(out, hold.operation);
    write(out, hold.until);
  });
}

std::vector<scenario::Hold> read_holds(Reader& in) {
  std::vector<scenario::Hold> holds;
  in.list([&] {
    scenario::Hold& hold = holds.emplace_back();
    hold.operation = read_operation(in);
    hold.until = read_operation(in);
  });
  return holds;
}

void write(Writer& out, const std::vector<std::string>& texts) {
  out.list(texts, [&](const std::string& text) { out.text(text); });
}

std::vector<std::string> read_texts(Reader& in) {
  std::vector<std::string> texts;
  in.list([&] { texts.push_back(in.text()); });
  return texts;
}

void write(Writer& out, const StoryLine& line) {
  out.number(line.step);
  out.text(line.agent);
  out.text(line.operation);
  out.text(line.text);
  out.number(line.held);
}

StoryLine read_line(Reader& in) {
  StoryLine line;
  line.step = in.number<std::size_t>();
  line.agent = in.text();
  line.operation = in.text();
  line.text = in.text();
  line.held = in.number<bool>();
  return line;
}

}  // namespace

std::string to_bytes(const Counterexample& found) {
  Writer out;
  write(out, found.violation);
  out.number(found.execution);
  out.number(found.steps);
  write(out, found.holds);
  out.number(found.eager);
  out.number(found.timed);
  write(out, found.timed_holds);
  out.number(found.replays);
  out.number(found.inevitable);
  write(out, found.why);
  out.list(found.story, [&](const StoryLine& line) { write(out, line); });
  write(out, found.prevented_by);
  write(out, found.mechanisms);
  out.text(found.not_prevented);
  write(out, found.trace);
  return out.take();
}

Counterexample counterexample_of(const std::string& bytes) {
  Reader in(bytes);
  Counterexample found;
  found.violation = read_violation(in);
  found.execution = in.number();
  found.steps = in.number<std::size_t>();
  found.holds = read_holds(in);
  found.eager = in.number<bool>();
  found.timed = in.number<bool>();
  found.timed_holds = read_holds(in);
  found.replays = in.number<std::size_t>();
  found.inevitable = in.number<std::size_t>();
  found.why = read_texts(in);
  in.list([&] { found.story.push_back(read_line(in)); });
  found.prevented_by = read_texts(in);
  found.mechanisms = read_texts(in);
  found.not_prevented = in.text();
  found.trace = read_texts(in);
  return found;
}

}  // namespace fenceline::explore
