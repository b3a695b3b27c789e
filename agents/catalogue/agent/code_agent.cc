#include "agents/catalogue/agent/code_agent.h"

#include "agents/catalogue/agent/catalogue.h"
#include "agents/catalogue/anchors.h"

namespace coppice::agents::catalogue {

std::string AnswerCode(const PromptContext& context) {
  if (!context.plan) return "There is no plan to carry out.\n";
  const Plan& plan = *context.plan;
  const auto anchored = ReadAnchors(plan.annotated_source);
  if (!anchored) return "The plan marks no span to change.\n";
  const auto source =
      RewriteSpan(anchored->source, anchored->span.first, anchored->span.last,
                  plan.technique, SettingOf(context));
  if (!source) {
    return "The plan `" + plan.technique +
           "` cannot be carried out: " + source.error() + ".\n";
  }
  return "Applied `" + plan.technique + "` to the marked span.\n\n```cpp\n" +
         *source + "```\n";
}

}  // namespace coppice::agents::catalogue
