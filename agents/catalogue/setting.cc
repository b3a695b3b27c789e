#include "agents/catalogue/setting.h"

namespace coppice::agents::catalogue {

Setting SettingOf(const Situation& situation) {
  Setting setting{situation.threads, {}, situation.root.source, {}};
  for (const Workload& workload : situation.task->workloads) {
    setting.sizes.emplace_back(workload.axes.begin(), workload.axes.end());
  }
  for (const Axis& axis : situation.task->definition.axes) {
    if (axis.constant) setting.constants[axis.name] = *axis.constant;
  }
  setting.program = situation.program;
  setting.prior = Prior(situation.lessons);
  setting.precedents = PrecedentsIn(situation.lessons);
  setting.wishes = Wishes(situation.wishes);
  return setting;
}

}  // namespace coppice::agents::catalogue
