#include "tb/report/writers/vcd.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "models/common/event_handlers.h"
#include "tb/report/record/idle_periods.h"

namespace fenceline::report {

using common::At;
using common::ObjectKind;

namespace {

/// Short identifier of variable `index`: printable characters, as the format wants.
std::string identifier(std::size_t index) {
  constexpr std::size_t kFirst = 33, kCount = 94;
  std::string code;
  do {
    code += static_cast<char>(kFirst + index % kCount);
    index /= kCount;
  } while (index > 0);
  return code;
}

/// A name without what viewers take for hierarchy, ranges or blanks.
std::string plain(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    const bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!good) c = '_';
  }
  return text;
}

// Variables of an object, in the order in which they are declared.
enum QueueVariable : std::size_t { kQueueState, kQueueOpcode };
enum FenceVariable : std::size_t { kFenceCurrent, kFenceOfAdapters };
/// For each adapter, from kFenceOfAdapters on.
enum FenceAdapterVariable : std::size_t { kFenceMonitored, kFenceShadow, kFencePerAdapter };
enum CoreVariable : std::size_t { kCoreState };
enum AdapterVariable : std::size_t { kAdapterPending, kAdapterMsi };

class VcdWriter {
 public:
  VcdWriter(const Names& names, Output& out) : names_(names), out_(out) {}

  void header();
  void on(const At<event::QueueState>& event);
  void on(const At<event::PacketBegin>& event);
  void on(const At<event::PacketEnd>& event);
  void on(const At<event::FenceCreate>& event);
  void on(const At<event::CurrentValueVisible>& event);
  void on(const At<event::MonitoredValueVisible>& event);
  void on(const At<event::ShadowVisible>& event);
  void on(const At<event::InterruptRaised>& event);
  void on(const At<event::IsrAcknowledge>& event);
  void on(const At<event::MessageSent>& event);
  /// Sets the C-states up to `time` [ps], inclusive; the calls come with ascending times.
  void sleep_until(std::uint64_t time);
  void plan_sleep(std::vector<IdlePeriod> periods);

 private:
  /// A core enters a C-state.
  struct Sleep {
    std::uint64_t time;
    std::uint32_t core;
    std::uint64_t state;
  };
  struct Variable {
    std::string code;
    unsigned width;  ///< bits; 0: an event
    bool known = false;
    std::uint64_t value = 0;
  };
  /// Index of the first variable of each object, by object number.
  using Places = std::vector<std::size_t>;
  /// A variable: `offset` counts those of its object.
  struct Wire {
    const Places& places;
    std::uint64_t object;
    std::size_t offset;
  };

  std::size_t declare(const std::string& name, unsigned width);
  void scope(const char* kind, ObjectKind objects, Places& places, void (VcdWriter::*declare)());
  void declare_queue();
  void declare_fence();
  void declare_core();
  void declare_adapter();

  void set(const Wire& wire, std::uint64_t value, std::uint64_t time);
  void set_of_adapter(std::uint32_t fence, std::uint32_t adapter, std::size_t offset,
                      std::uint64_t value, std::uint64_t time);
  void unset(const Wire& wire, std::uint64_t time);
  void pulse(const Wire& wire, std::uint64_t time);
  Variable* find(const Wire& wire);
  void move_to(std::uint64_t time);
  void binary(std::uint64_t value);
  void print(const Variable& variable);

  const Names& names_;
  Output& out_;
  std::vector<Variable> variables_;
  Places queues_, fences_, cores_, adapters_;
  std::vector<std::uint64_t> raised_;  ///< entries of the interrupt ring, by adapter
  std::uint64_t time_ = 0;
  std::vector<Sleep> sleeps_;  ///< by time
  std::size_t next_sleep_ = 0;
};

std::size_t VcdWriter::declare(const std::string& name, unsigned width) {
  const std::size_t index = variables_.size();
  variables_.push_back({identifier(index), width});
  const std::string& code = variables_.back().code;
  if (width == 0) {
    out_.print("$var event 1 {} {} $end\n", code, name);
  } else if (width == 1) {
    out_.print("$var wire 1 {} {} $end\n", code, name);
  } else {
    out_.print("$var wire {} {} {} [{}:0] $end\n", width, code, name, width - 1);
  }
  return index;
}

void VcdWriter::scope(const char* kind, ObjectKind objects, Places& places,
                      void (VcdWriter::*declare_object)()) {
  out_.print("$scope module {} $end\n", kind);
  places.push_back(0);  // object 0 is none
  for (std::uint32_t i = 1; i <= names_.count(objects); ++i) {
    places.push_back(variables_.size());
    out_.print("$scope module {} $end\n", plain(names_.object(objects, i)));
    (this->*declare_object)();
    out_.text("$upscope $end\n");
  }
  out_.text("$upscope $end\n");
}

void VcdWriter::declare_queue() {
  declare("state", 8);
  declare("opcode", 8);
}

void VcdWriter::declare_fence() {
  declare("current_value", 64);
  const std::uint32_t adapters = names_.count(ObjectKind::kAdapter);
  for (std::uint32_t i = 1; i <= adapters; ++i) {
    const std::string prefix =
        adapters == 1 ? "" : plain(names_.object(ObjectKind::kAdapter, i)) + "_";
    declare(prefix + "monitored", 64);
    declare(prefix + "shadow", 64);
  }
}

void VcdWriter::declare_core() { declare("c_state", 8); }

void VcdWriter::declare_adapter() {
  declare("interrupt_pending", 1);
  declare("msi", 0);
}

void VcdWriter::header() {
  out_.text(
      "$date none $end\n$version fenceline $end\n$timescale 1 ps $end\n$scope module fenceline "
      "$end\n");
  scope("queues", ObjectKind::kQueue, queues_, &VcdWriter::declare_queue);
  scope("fences", ObjectKind::kFence, fences_, &VcdWriter::declare_fence);
  scope("cores", ObjectKind::kCore, cores_, &VcdWriter::declare_core);
  scope("adapters", ObjectKind::kAdapter, adapters_, &VcdWriter::declare_adapter);
  raised_.assign(adapters_.size(), 0);
  out_.text("$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n");
  for (std::size_t i = 0; i < cores_.size(); ++i) {  // cores start awake
    if (i > 0) variables_[cores_[i]].known = true;
  }
  for (std::size_t i = 1; i < adapters_.size(); ++i) variables_[adapters_[i]].known = true;
  for (const Variable& variable : variables_) print(variable);
  out_.text("$end\n");
}

VcdWriter::Variable* VcdWriter::find(const Wire& wire) {
  if (wire.object == 0 || wire.object >= wire.places.size()) return nullptr;
  return &variables_[wire.places[static_cast<std::size_t>(wire.object)] + wire.offset];
}

void VcdWriter::move_to(std::uint64_t time) {
  if (time == time_) return;
  time_ = time;
  out_.put('#');
  out_.number(time);
  out_.put('\n');
}

void VcdWriter::binary(std::uint64_t value) {
  std::array<char, 64> digits;
  std::size_t at = digits.size();
  do {
    digits[--at] = static_cast<char>('0' + (value & 1));
    value >>= 1;
  } while (value != 0);
  out_.text({digits.data() + at, digits.size() - at});
}

void VcdWriter::print(const Variable& variable) {
  if (variable.width == 0) return;  // events have no state
  if (variable.width == 1) {
    out_.put(!variable.known ? 'x' : variable.value != 0 ? '1' : '0');
  } else {
    out_.put('b');
    if (variable.known) {
      binary(variable.value);
    } else {
      out_.put('x');
    }
    out_.put(' ');
  }
  out_.text(variable.code);
  out_.put('\n');
}

void VcdWriter::set(const Wire& wire, std::uint64_t value, std::uint64_t time) {
  Variable* variable = find(wire);
  if (variable == nullptr || (variable->known && variable->value == value)) return;
  move_to(time);
  variable->known = true;
  variable->value = value;
  print(*variable);
}

void VcdWriter::unset(const Wire& wire, std::uint64_t time) {
  Variable* variable = find(wire);
  if (variable == nullptr || !variable->known) return;
  move_to(time);
  variable->known = false;
  print(*variable);
}

void VcdWriter::pulse(const Wire& wire, std::uint64_t time) {
  const Variable* variable = find(wire);
  if (variable == nullptr) return;
  move_to(time);
  out_.put('1');
  out_.text(variable->code);
  out_.put('\n');
}

void VcdWriter::plan_sleep(std::vector<IdlePeriod> periods) {
  std::stable_sort(
      periods.begin(), periods.end(),
      [](const IdlePeriod& one, const IdlePeriod& other) { return one.core < other.core; });
  for (std::size_t i = 0; i < periods.size(); ++i) {
    const IdlePeriod& it = periods[i];
    sleeps_.push_back({it.begin, it.core, it.state});
    const bool deeper =
        i + 1 < periods.size() && periods[i + 1].core == it.core && periods[i + 1].begin == it.end;
    if (!deeper) sleeps_.push_back({it.end, it.core, 0});
  }
  std::stable_sort(sleeps_.begin(), sleeps_.end(),
                   [](const Sleep& one, const Sleep& other) { return one.time < other.time; });
}

void VcdWriter::sleep_until(std::uint64_t time) {
  for (; next_sleep_ < sleeps_.size() && sleeps_[next_sleep_].time <= time; ++next_sleep_) {
    const Sleep& sleep = sleeps_[next_sleep_];
    set({cores_, sleep.core, kCoreState}, sleep.state, sleep.time);
  }
}

void VcdWriter::on(const At<event::QueueState>& event) {
  set({queues_, event.queue, kQueueState}, static_cast<std::uint64_t>(event.state), event.time);
}

void VcdWriter::on(const At<event::PacketBegin>& event) {
  set({queues_, event.queue, kQueueOpcode}, event.opcode, event.time);
}

void VcdWriter::on(const At<event::PacketEnd>& event) {
  unset({queues_, event.queue, kQueueOpcode}, event.time);
}

void VcdWriter::on(const At<event::FenceCreate>& event) {
  set({fences_, event.fence, kFenceCurrent}, event.initial, event.time);
}

void VcdWriter::on(const At<event::CurrentValueVisible>& event) {
  set({fences_, event.fence, kFenceCurrent}, event.value, event.time);
}

/// `adapter` 0 stands for the first.
void VcdWriter::set_of_adapter(std::uint32_t fence, std::uint32_t adapter, std::size_t offset,
                               std::uint64_t value, std::uint64_t time) {
  if (adapter > names_.count(ObjectKind::kAdapter)) return;
  const std::size_t index = adapter == 0 ? 0 : adapter - 1;
  set({fences_, fence, kFenceOfAdapters + index * kFencePerAdapter + offset}, value, time);
}

void VcdWriter::on(const At<event::MonitoredValueVisible>& event) {
  set_of_adapter(event.fence, event.adapter, kFenceMonitored, event.value, event.time);
}

void VcdWriter::on(const At<event::ShadowVisible>& event) {
  set_of_adapter(event.fence, event.adapter, kFenceShadow, event.value, event.time);
}

void VcdWriter::on(const At<event::InterruptRaised>& event) {
  if (event.adapter < adapters_.size()) ++raised_[event.adapter];
  set({adapters_, event.adapter, kAdapterPending}, 1, event.time);
}

void VcdWriter::on(const At<event::IsrAcknowledge>& event) {
  // Entries that came after those that the ISR has read are served by the next one.
  if (event.adapter < adapters_.size() && event.read >= raised_[event.adapter])
    set({adapters_, event.adapter, kAdapterPending}, 0, event.time);
}

void VcdWriter::on(const At<event::MessageSent>& event) {
  pulse({adapters_, event.adapter, kAdapterMsi}, event.time);
}

}  // namespace

void write_vcd(const Recorder& recorder, const Names& names, Output& out) {
  VcdWriter writer(names, out);
  writer.header();
  const std::uint64_t last = recorder.size() == 0 ? 0 : recorder[recorder.size() - 1].time;
  writer.plan_sleep(idle_periods(recorder, last));
  recorder.for_each([&](const common::Event& event, std::uint64_t) {
    writer.sleep_until(event.time);
    common::Handlers<VcdWriter>::hand(writer, event);
  });
  out.print("#{}\n", last + 1);  // viewers show the run to its end
}

}  // namespace fenceline::report
