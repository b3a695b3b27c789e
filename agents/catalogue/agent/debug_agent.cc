#include "agents/catalogue/agent/debug_agent.h"

#include <algorithm>
#include <vector>

#include "agents/catalogue/agent/catalogue.h"
#include "agents/catalogue/anchors.h"

namespace coppice::agents::catalogue {
namespace {

// The same technique, trusting less; the same if there is no such form.
Technique Safer(Technique technique) {
  static const std::vector<std::string> kDaring = {"bold", "rough", "quick",
                                                   "wide", "overlap"};
  if (!technique.args.empty() &&
      std::find(kDaring.begin(), kDaring.end(), technique.args.back()) !=
          kDaring.end()) {
    const bool tail = technique.args.back() == "overlap";
    technique.args.pop_back();
    if (tail) technique.args.push_back("scalar");
  }
  return technique;
}

// Labels to fall back on, most of the idea first.
std::vector<std::string> Fallbacks(const std::string& label) {
  const std::vector<Technique> techniques = ParseLabel(label);
  std::vector<Technique> safer;
  for (const Technique& technique : techniques) {
    safer.push_back(Safer(technique));
  }
  std::vector<std::string> labels;
  if (safer != techniques) labels.push_back(PrintLabel(safer));
  while (safer.size() > 1) {  // Then leave out the last steps.
    safer.pop_back();
    labels.push_back(PrintLabel(safer));
  }
  return labels;
}

std::string Symptom(const Sighting& failed) {
  std::string line = failed.log.substr(0, failed.log.find('\n'));
  if (line.size() > 120) line.resize(120);
  return std::string(Name(failed.verdict)) +
         (line.empty() ? "" : " (" + line + ")");
}

bool Seen(const PromptContext& context, const std::string& source) {
  if (context.selected.source == source) return true;
  return std::any_of(
      context.history.begin(), context.history.end(),
      [&](const Sighting& seen) { return seen.source == source; });
}

std::string Answer(const std::string& words, const std::string& source) {
  return words + "\n\n```cpp\n" + source +
         (source.ends_with('\n') ? "" : "\n") + "```\n";
}

}  // namespace

std::string AnswerDebug(const PromptContext& context) {
  const std::optional<Plan>& plan =
      context.plan ? context.plan : context.selected.plan;
  if (!plan) return "The kernel failed and no plan says what was meant.\n";
  const auto anchored = ReadAnchors(plan->annotated_source);
  if (!anchored) return "The plan marks no span, so its source is unknown.\n";
  const std::string failure =
      "`" + plan->technique + "` ended as " + Symptom(context.selected) + ". ";
  const Setting setting = SettingOf(context);
  const auto is_allowed = [&](const std::string& source) {
    return !(context.breaks_rule && context.breaks_rule(source));
  };
  for (const std::string& label : Fallbacks(plan->technique)) {
    if (!setting.wishes.AllowStep(label)) continue;
    const auto source = RewriteSpan(anchored->source, anchored->span.first,
                                    anchored->span.last, label, setting);
    if (source && !Seen(context, *source) && is_allowed(*source)) {
      return Answer(failure + "Keep the idea in a safer form: `" + label + "`.",
                    *source);
    }
  }
  if (anchored->source == context.selected.source ||
      !is_allowed(anchored->source)) {
    return failure + "Nothing is left to withdraw.\n";
  }
  return Answer(failure + "Withdraw the change: back to the parent's source.",
                anchored->source);
}

}  // namespace coppice::agents::catalogue
