// For tests: settings as one command line says them, in a folder of its own,
// with the tasks that this build has packed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/load.h"
#include "store/records/task.h"
#include "store/scratch.h"

namespace coppice::engine {

class CommandLines {
 public:
  config::Loaded Load(const std::vector<config::Override>& options = {},
                      config::Environment environment = {}) const {
    config::Surroundings surroundings;
    surroundings.environment = std::move(environment);
    surroundings.environment["HOME"] = File("home").string();
    surroundings.cores = 4;
    surroundings.data_directory =
        std::filesystem::path(COPPICE_TEST_CACHE).parent_path() / "data";
    return store::Must(config::Load(surroundings, std::nullopt, options));
  }

  std::filesystem::path File(const std::string& name) const {
    return directory_.File(name);
  }

 private:
  store::ScratchDirectory directory_;
};

// One of which nothing matters but its name and its language.
inline Task TaskIn(Language language, const std::string& name = "t") {
  Task task;
  task.definition.name = name;
  task.root.language = language;
  return task;
}

}  // namespace coppice::engine
