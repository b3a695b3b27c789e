#include "engine/own/task_files.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "eval/formats/trace_json.h"
#include "eval/host/whole_file.h"

namespace coppice::engine::own {

namespace fs = std::filesystem;

NamedTexts FilesOf(const Task& task, const std::string& expert) {
  eval::Json definition = eval::ToJson(task.definition);
  definition.erase("reference");
  std::string workloads;
  for (const Workload& workload : task.workloads) {
    const eval::Json line = {{"definition", task.definition.name},
                             {"workload", eval::ToJson(workload)},
                             {"solution", nullptr},
                             {"evaluation", nullptr}};
    workloads += eval::DocumentText(line) + "\n";
  }
  NamedTexts files = {{"definition.json", eval::PrettyText(definition)},
                      {"workloads.jsonl", workloads}};
  for (const Solution* solution : {&task.root, &task.oracle}) {
    files.emplace_back(solution->entry_file, solution->sources.front().content);
  }
  if (!expert.empty()) files.emplace_back("expert.cc", expert);
  return files;
}

Result<void> WriteFolder(const fs::path& folder, const NamedTexts& files) {
  std::error_code error;
  if (!fs::create_directory(folder, error)) {
    return Fail(
        error == std::errc::no_space_on_device ? Errc::kFull : Errc::kUsage,
        folder.string() + ": " +
            (error ? error.message() : "is there already"));
  }
  for (const auto& [name, text] : files) {
    const fs::path path = folder / name;
    if (auto written = eval::WriteWhole(path, text); !written) {
      fs::remove_all(folder, error);
      const Error& why = written.error();
      const bool is_named = why.what.starts_with(path.string());
      return Fail(why.code,
                  is_named ? why.what : path.string() + ": " + why.what);
    }
  }
  return {};
}

}  // namespace coppice::engine::own
