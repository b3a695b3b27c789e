#include "agents/catalogue/setting.h"

#include "agents/prompt/prompt_context.h"

namespace coppice::agents::catalogue {

Setting SettingOf(const PromptContext& context) {
  Setting setting{context.threads, {}, context.root.source, {}};
  for (const Workload& workload : context.task->workloads) {
    setting.sizes.emplace_back(workload.axes.begin(), workload.axes.end());
  }
  for (const Axis& axis : context.task->definition.axes) {
    if (axis.constant) setting.constants[axis.name] = *axis.constant;
  }
  setting.program = context.program;
  setting.prior = Prior(context.lessons);
  setting.precedents = PrecedentsIn(context.lessons);
  setting.wishes = WishFilter(context.wishes);
  return setting;
}

}  // namespace coppice::agents::catalogue
