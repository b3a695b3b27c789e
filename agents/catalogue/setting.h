// What a kernel will be run with, and where it came from, as far as agents
// may know it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agents/catalogue/precedent.h"
#include "agents/catalogue/prior.h"
#include "agents/catalogue/wishes.h"

namespace coppice::agents {
struct PromptContext;
}

namespace coppice::agents::catalogue {

// Known integer values of names, such as axes.
using Constants = std::map<std::string, std::int64_t>;

struct Setting {
  int threads = 1;               // That a kernel may use.
  std::vector<Constants> sizes;  // The varying axes of each workload.
  std::string root;              // The source that the campaign started from.
  Constants constants{};         // The axes that do not vary.
  std::string program{};         // That made the selected kernel of the root.
  Prior prior{};                 // What other campaigns say of techniques,
  std::vector<Precedent> precedents{};  // and of programs; the best first.
  WishFilter wishes{};                  // Of people who steer.
};

// REQUIRES: the context has a task.
Setting SettingOf(const PromptContext& context);

}  // namespace coppice::agents::catalogue
