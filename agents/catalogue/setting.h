// What a kernel will be run with, as far as agents may know it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/records/task.h"

namespace coppice::agents::catalogue {

// Known integer values of names, such as axes.
using Constants = std::map<std::string, std::int64_t>;

struct Setting {
  int threads = 1;               // That a kernel may use.
  std::vector<Constants> sizes;  // The varying axes of each workload.
};

Setting MakeSetting(const std::vector<Workload>& workloads, int threads);

}  // namespace coppice::agents::catalogue
