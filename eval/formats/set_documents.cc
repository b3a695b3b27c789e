#include "eval/formats/set_documents.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "eval/formats/set_files.h"
#include "eval/formats/sol_execbench.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLevels = 4;
constexpr const char* kDefinition = "definition.json";
constexpr const char* kWorkloads = "workload.jsonl";
constexpr const char* kMetadata = "metadata.json";
constexpr const char* kResults = "traces.json";

bool IsFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool HasLayout(const fs::path& root) {
  constexpr std::array kFolders = {"definitions", "solutions", "workloads",
                                   "traces"};
  return std::ranges::any_of(kFolders, [&](const char* folder) {
    std::error_code ignored;
    return fs::is_directory(root / folder, ignored);
  });
}

// The root and what is below it, sorted; hidden ones are left out.
std::vector<fs::path> FoldersFrom(const fs::path& root) {
  std::vector<fs::path> folders = {root};
  std::error_code error;
  fs::recursive_directory_iterator walk(root, error);
  for (; !error && walk != fs::end(walk); walk.increment(error)) {
    std::error_code ignored;
    const bool is_hidden = walk->path().filename().string().starts_with('.');
    if (!walk->is_directory(ignored) || is_hidden ||
        walk.depth() + 1 >= kMostLevels) {
      walk.disable_recursion_pending();
    }
    if (walk->is_directory(ignored) && !is_hidden) {
      folders.push_back(walk->path());
    }
  }
  std::ranges::sort(folders);
  return folders;
}

// With their extension, beside a definition or results, sorted.
std::vector<fs::path> FilesOf(const fs::path& folder,
                              const std::string& extension) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != fs::end(at);
       at.increment(error)) {
    const std::string name = at->path().filename();
    if (at->path().extension() == extension && IsFile(at->path()) &&
        name != kDefinition && name != kWorkloads && name != kMetadata &&
        name != kResults) {
      files.push_back(at->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

struct Problem {
  fs::path folder;
  Json definition;  // Translated.
};

Result<Json> DefinitionIn(const fs::path& folder) {
  const fs::path file = folder / kDefinition;
  TRY(json, ReadJson(file));
  return TranslatedDefinition(Cursor(json, file.string()));
}

// Each definition once.
Result<std::vector<Problem>> ProblemsIn(const fs::path& root) {
  std::vector<Problem> problems;
  for (const fs::path& folder : FoldersFrom(root)) {
    if (!IsProblemFolder(folder)) continue;
    TRY(definition, DefinitionIn(folder));
    if (std::ranges::find(problems, definition, &Problem::definition) ==
        problems.end()) {
      problems.push_back({folder, std::move(definition)});
    }
  }
  return problems;
}

// Below the folder, or one that it is in: workloads name blobs by where their
// set begins.
std::string PlaceOf(const fs::path& folder, const std::string& path) {
  const fs::path here = fs::absolute(folder).lexically_normal();
  for (fs::path root = here; root != root.root_path();
       root = root.parent_path()) {
    if (IsFile(root / path)) return (root / path).lexically_normal().string();
  }
  return (here / path).lexically_normal().string();
}

void PlaceTensors(const fs::path& folder, Json& workload) {
  if (!workload.is_object() || !workload.contains("inputs")) return;
  for (Json& input : workload["inputs"]) {
    if (!input.is_object() || !input.contains("path")) continue;
    if (input["path"].is_string()) {
      input["path"] = PlaceOf(folder, input["path"]);
    }
  }
}

Result<void> ForEachWorkloadOf(const Problem& problem, const UseLine& use) {
  const fs::path file = problem.folder / kWorkloads;
  return ForEachLine(file, [&](const Cursor& line) -> Result<void> {
    TRY(workload, TranslatedWorkload(problem.definition, line));
    PlaceTensors(problem.folder, workload);
    Json trace = {{"definition", nullptr}, {"workload", std::move(workload)}};
    if (const auto name = Cursor(problem.definition, "").Find("name")) {
      trace["definition"] = name->Value();
    }
    return use(line.Around(trace, "workload"));
  });
}

// One a line, or a list.
Result<void> UseTraces(const fs::path& file, const UseLine& use) {
  if (file.extension() == ".jsonl") {
    return ForEachLine(file, [&](const Cursor& line) {
      const Json trace = TranslatedTrace(line.Value());
      return use(line.Of(trace));
    });
  }
  TRY(json, ReadJson(file));
  TRY(items, Cursor(json, file.string()).Items());
  for (const Cursor& item : items) {
    const Json trace = TranslatedTrace(item.Value());
    TRY_DONE(use(item.Of(trace)));
  }
  return {};
}

// Sizes that the two both have are the same.
bool IsOf(const Cursor& bound, const Cursor& workload) {
  const auto theirs = bound.Find("axes");
  const auto own = workload.Find("axes");
  if (!theirs || !own) return true;
  return std::ranges::all_of(own->Value().items(), [&](const auto& axis) {
    const auto other = theirs->Find(axis.key());
    return !other || other->Value() == axis.value();
  });
}

// The set has a folder for each kind of document.
Result<void> ForEachFileIn(const fs::path& root, const char* folder,
                           const UseDocument& use) {
  TRY(files, FilesBelow(root, folder, ".json"));
  for (const fs::path& file : files) {
    TRY(json, ReadJson(file));
    TRY_DONE(use(file, json));
  }
  return {};
}

Result<void> ForEachLineIn(const fs::path& root, const char* folder,
                           const UseLine& use) {
  TRY(files, FilesBelow(root, folder, ".jsonl"));
  for (const fs::path& file : files) TRY_DONE(ForEachLine(file, use));
  return {};
}

// The folders where solutions and traces may be.
std::vector<fs::path> PlacesOfResults(const fs::path& root) {
  std::vector<fs::path> folders = FoldersFrom(root);
  std::erase_if(folders, [](const fs::path& folder) {
    return !IsProblemFolder(folder) && !IsFile(folder / kResults);
  });
  return folders;
}

}  // namespace

bool IsProblemFolder(const fs::path& folder) {
  return IsFile(folder / kDefinition) && IsFile(folder / kWorkloads);
}

Result<void> MustHaveWorkloads(const fs::path& folder) {
  if (!IsFile(folder / kDefinition) || IsFile(folder / kWorkloads)) return {};
  return Fail(Errc::kNotFound,
              (folder / kWorkloads).string() +
                  ": No such file; a problem of SOL-ExecBench has its "
                  "workloads there");
}

bool IsSet(const fs::path& root) {
  return HasLayout(root) || !PlacesOfResults(root).empty();
}

Result<std::vector<fs::path>> DefinitionFiles(const fs::path& root) {
  if (HasLayout(root)) return FilesBelow(root, "definitions", ".json");
  std::vector<fs::path> files;
  for (const fs::path& folder : FoldersFrom(root)) {
    if (IsFile(folder / kDefinition)) files.push_back(folder / kDefinition);
  }
  return files;
}

Result<void> ForEachDefinition(const fs::path& root, const UseDocument& use) {
  if (HasLayout(root)) return ForEachFileIn(root, "definitions", use);
  TRY(problems, ProblemsIn(root));
  for (const Problem& problem : problems) {
    TRY_DONE(use(problem.folder / kDefinition, problem.definition));
  }
  return {};
}

Result<void> ForEachSolution(const fs::path& root, const UseDocument& use) {
  if (HasLayout(root)) return ForEachFileIn(root, "solutions", use);
  std::vector<Json> seen;
  for (const fs::path& folder : PlacesOfResults(root)) {
    for (const fs::path& file : FilesOf(folder, ".json")) {
      TRY(json, ReadJson(file));
      if (!json.is_object() || !json.contains("spec") ||
          std::ranges::find(seen, json) != seen.end()) {
        continue;
      }
      seen.push_back(json);
      TRY(solution, TranslatedSolution(Cursor(json, file.string())));
      TRY_DONE(use(file, solution));
    }
  }
  return {};
}

Result<void> ForEachWorkload(const fs::path& root, const UseLine& use) {
  if (HasLayout(root)) return ForEachLineIn(root, "workloads", use);
  TRY(problems, ProblemsIn(root));
  for (const Problem& problem : problems) {
    TRY_DONE(ForEachWorkloadOf(problem, use));
  }
  return {};
}

Result<void> ForEachTrace(const fs::path& root, const UseLine& use) {
  if (HasLayout(root)) return ForEachLineIn(root, "traces", use);
  for (const fs::path& folder : PlacesOfResults(root)) {
    std::vector<fs::path> files = FilesOf(folder, ".jsonl");
    if (IsFile(folder / kResults)) files.push_back(folder / kResults);
    for (const fs::path& file : files) TRY_DONE(UseTraces(file, use));
  }
  return {};
}

Result<void> ForEachBound(const fs::path& root, const UseBound& use) {
  if (HasLayout(root)) return {};
  TRY(problems, ProblemsIn(root));
  for (const Problem& problem : problems) {
    const fs::path file = problem.folder / kMetadata;
    if (!IsFile(file)) continue;
    TRY(json, ReadJson(file));
    const auto sol = Cursor(json, file.string()).Find("sol");
    if (!sol || !sol->Find("per_workload")) continue;
    TRY(of_workloads, sol->Find("per_workload")->Items());
    std::size_t next = 0;
    TRY_DONE(
        ForEachWorkloadOf(problem, [&](const Cursor& line) -> Result<void> {
          if (next == of_workloads.size()) return {};
          const Cursor& bound = of_workloads[next++];
          TRY(sol_ms, bound.OptionalNumber("sol_ms"));
          TRY(baseline_ms, bound.OptionalNumber("baseline_latency_ms"));
          TRY(workload, line.Member("workload"));
          TRY(uuid, workload.StringMember("uuid"));
          TRY(name, line.StringMember("definition"));
          if (sol_ms && baseline_ms && IsOf(bound, workload)) {
            use(name, uuid, *sol_ms, *baseline_ms);
          }
          return {};
        }));
  }
  return {};
}

}  // namespace coppice::eval
