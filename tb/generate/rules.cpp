#include "tb/generate/rules.h"

#include <variant>

#include "tb/generate/mistakes.h"

namespace fenceline::generate {

namespace {

struct WordRule {
  const char* verb;
  std::uint32_t weight;
  const char* left_out;
  WordsOf of;
  InError in_error;
  bool (*plan)(Plan&, AgentId);
};

template <class What>
struct RulesOf;
template <class... A>
struct RulesOf<std::variant<A...>> {
  static const std::vector<WordRule>& all() {
    static const std::vector<WordRule> rules{{A::kVerb.key, Rule<A>::kWeight, Rule<A>::kLeftOut,
                                              Rule<A>::kWordsOf, Rule<A>::kInError,
                                              &Rule<A>::plan}...};
    return rules;
  }
};

const std::vector<WordRule>& step_rules() { return RulesOf<decltype(scenario::Step::what)>::all(); }
const std::vector<WordRule>& command_rules() {
  return RulesOf<decltype(scenario::Command::what)>::all();
}

Weights weights_of(const std::vector<WordRule>& rules) {
  Weights weights;
  for (const WordRule& rule : rules)
    if (rule.left_out == nullptr) weights[rule.verb] = rule.weight;
  return weights;
}

/// @param of the feature whose words are drawn; kAny: all words
bool plan_word(Plan& plan, AgentId id, const std::vector<WordRule>& rules, const Weights& weights,
               WordsOf of = WordsOf::kAny) {
  std::vector<std::uint32_t> drawn;
  const bool in_error = plan.in_error(plan.agent(id).process);
  for (const WordRule& rule : rules) {
    const auto found = weights.find(rule.verb);
    const bool fits = (of == WordsOf::kAny || rule.of == of) && plan.occurs(rule.of, id) &&
                      (!in_error || rule.in_error == InError::kLegal);
    drawn.push_back(fits && found != weights.end() ? found->second : 0);
  }
  const std::size_t index = plan.draw().weighted(drawn);
  return index < rules.size() && rules[index].plan(plan, id);
}

}  // namespace

bool plan_step(Plan& plan, AgentId thread) {
  if (plan.in_error(plan.agent(thread).process))
    return plan_word(plan, thread, step_rules(), plan.constraints().steps);
  const std::uint32_t mistakes = plan.constraints().features.mistakes;
  if (mistakes != 0 && plan.draw().chance(mistakes)) return plan_mistake(plan, thread);
  constexpr std::uint32_t kOwnWords = 40;
  for (const WordsOf feature : kFeaturesWithSteps)
    if (plan.occurs(feature, thread) && plan.draw().chance(kOwnWords))
      return plan_word(plan, thread, step_rules(), plan.constraints().steps, feature);
  return plan_word(plan, thread, step_rules(), plan.constraints().steps);
}

bool plan_command(Plan& plan, AgentId queue) {
  return plan_word(plan, queue, command_rules(), plan.constraints().commands);
}

InError in_error(const scenario::Step& step) {
  return std::visit([](const auto& what) { return Rule<std::decay_t<decltype(what)>>::kInError; },
                    step.what);
}

Weights step_weights() { return weights_of(step_rules()); }
Weights command_weights() { return weights_of(command_rules()); }

std::map<std::string, std::string> words_left_out() {
  std::map<std::string, std::string> words;
  for (const auto* rules : {&step_rules(), &command_rules()})
    for (const WordRule& rule : *rules)
      if (rule.left_out != nullptr) words[rule.verb] = rule.left_out;
  return words;
}

}  // namespace fenceline::generate
