#include "eval/formats/task_folder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "eval/formats/set_files.h"
#include "eval/formats/trace_json.h"
#include "eval/formats/trace_set.h"
#include "eval/host/whole_file.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTaskDefinition = "definition.json";
constexpr const char* kTaskWorkloads = "workloads.jsonl";
constexpr const char* kTaskReference = "reference.py";
constexpr const char* kNoReference =
    "def run(*inputs):\n"
    "    raise NotImplementedError(\"the task has no reference.py\")\n";

bool Exists(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

Result<Definition> ReadDefinitionOf(const fs::path& folder) {
  const fs::path file = folder / kTaskDefinition;
  TRY(json, ReadJson(file));
  if (json.is_object() && !json.contains("reference")) {
    std::string reference = kNoReference;
    if (Exists(folder / kTaskReference)) {
      TRY_ASSIGN(reference, ReadWhole(folder / kTaskReference));
    }
    json["reference"] = reference;
  }
  if (json.is_object() && !json.contains("op_type")) json["op_type"] = "own";
  return ReadDefinition(Cursor(json, file.string()), Rules::kTraceSet);
}

// The N of lines "//@ library N".
std::vector<std::string> LibrariesOf(const std::string& source) {
  constexpr std::string_view kWord = "//@ library ";
  std::vector<std::string> libraries;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::string line = source.substr(at, end - at);
    if (line.starts_with(kWord)) {
      libraries.push_back(line.substr(kWord.size()));
    }
    at = end + 1;
  }
  return libraries;
}

// A folder may be a stranger's, and what is read of it goes to models and to
// who asks: a link would add any file of this machine to it.
Result<void> CheckNoLinkLeadsOut(const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::canonical(folder, error);
  for (const char* name :
       {kTaskDefinition, kTaskWorkloads, kTaskReference, "root.cc", "root.cu",
        "oracle.cc", "oracle.cu", "expert.cc", "expert.cu"}) {
    const fs::path file = folder / name;
    if (!fs::is_symlink(file, error)) continue;
    const fs::path target = fs::canonical(file, error);
    if (!error && *target.lexically_relative(whole).begin() != "..") continue;
    return Fail(Errc::kCorrupt,
                file.string() + ": is a link that leads out of the folder");
  }
  return {};
}

struct Part {
  const char* author;
  const char* stem;
  const char* entry;
};

// The solution as scripts/pack_tasks.py writes it.
Result<Solution> SolutionIn(const fs::path& folder, const std::string& name,
                            const Part& part, bool on_cuda) {
  const std::string file = std::string(part.stem) + (on_cuda ? ".cu" : ".cc");
  TRY(source, ReadWhole(folder / file));
  const bool is_expert = std::string_view(part.author) == "expert";
  Solution solution;
  solution.name = name + "_" + part.stem;
  solution.definition = name;
  solution.author = part.author;
  solution.language = on_cuda ? Language::kCuda : Language::kCpp;
  solution.target_hardware = {on_cuda ? "cuda" : "cpu"};
  solution.entry_file = file;
  solution.entry_symbol = part.entry;
  solution.dependencies = {on_cuda && !is_expert ? "coppice-launch-plan"
                                                 : "coppice-c-abi"};
  if (is_expert) {
    for (std::string& library : LibrariesOf(source)) {
      solution.dependencies.push_back(std::move(library));
    }
  }
  solution.destination_passing_style = true;
  solution.sources = {{file, std::move(source)}};
  return solution;
}

}  // namespace

bool IsTaskFolder(const fs::path& folder) {
  return Exists(folder / kTaskDefinition) &&
         (Exists(folder / kTaskWorkloads) || Exists(folder / "root.cc") ||
          Exists(folder / "root.cu"));
}

Result<Task> LoadTaskFolder(const fs::path& folder) {
  TRY_DONE(CheckNoLinkLeadsOut(folder));
  Task task;
  TRY_ASSIGN(task.definition, ReadDefinitionOf(folder));
  const bool on_cuda = Exists(folder / "root.cu");
  const std::string& name = task.definition.name;
  TRY_ASSIGN(task.root,
             SolutionIn(folder, name, {"baseline", "root", "run"}, on_cuda));
  TRY_DONE(TakeTags(folder / kTaskDefinition, task));
  TRY_ASSIGN(task.oracle,
             SolutionIn(folder, name, {"oracle", "oracle", "oracle"}, on_cuda));
  if (Exists(folder / (on_cuda ? "expert.cu" : "expert.cc"))) {
    TRY_ASSIGN(task.expert,
               SolutionIn(folder, name, {"expert", "expert", "run"}, on_cuda));
  }
  const fs::path workloads = folder / kTaskWorkloads;
  TRY_DONE(ForEachLine(workloads, [&](const Cursor& line) {
    return TakeLine(folder, line, task);
  }));
  if (task.workloads.empty()) {
    return Fail(Errc::kCorrupt, workloads.string() + ": no workload of \"" +
                                    name + "\" is in it");
  }
  return task;
}

}  // namespace coppice::eval
