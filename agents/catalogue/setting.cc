#include "agents/catalogue/setting.h"

#include <utility>

namespace coppice::agents::catalogue {

Setting MakeSetting(const std::vector<Workload>& workloads, int threads) {
  Setting setting{threads, {}};
  for (const Workload& workload : workloads) {
    setting.sizes.emplace_back(workload.axes.begin(), workload.axes.end());
  }
  return setting;
}

}  // namespace coppice::agents::catalogue
