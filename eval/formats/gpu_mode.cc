#include "eval/formats/gpu_mode.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "eval/formats/json_cursor.h"
#include "eval/formats/yaml.h"
#include "eval/host/whole_file.h"
#include "store/records/utf8.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostTaskBytes = 16 << 20;
constexpr std::string_view kReference = "reference.py";
constexpr std::string_view kSubmission = "@SUBMISSION@";
constexpr std::string_view kPython = ".py";

// One that this machine or this program cannot judge.
Result<void> MustBeOurs(const Cursor& task) {
  TRY(language, task.StringOrEmpty("lang"));
  if (!language.empty() && language != "py") {
    return task.Member("lang")->Wrong(
        language + ": problems in Python (py) can be judged");
  }
  TRY(several, task.OptionalBool("multi_gpu"));
  if (several.value_or(false)) {
    return task.Member("multi_gpu")
        ->Wrong("it is for several GPUs; problems for one can be judged");
  }
  return {};
}

// Their evaluator, which ours stands for.
std::string MainOf(const Cursor& task) {
  const std::optional<Cursor> config = task.Find("config");
  if (!config || !config->Value().is_object()) return "";
  return config->StringOrEmpty("main").value_or("");
}

Result<std::string> ReadBeside(const Cursor& place, const fs::path& path) {
  auto text = eval::ReadWhole(path, kMostTaskBytes);
  if (!text) return place.Wrong(text.error().what);
  return *std::move(text);
}

Result<void> ReadTaskFiles(const Cursor& task, const fs::path& folder,
                           GpuModeProblem& problem) {
  const std::string main = MainOf(task);
  TRY(files, task.Member("files"));
  TRY(items, files.Items());
  for (const Cursor& item : items) {
    TRY(name, item.StringMember("name"));
    TRY(source, item.StringMember("source"));
    if (source == kSubmission || name == main || !name.ends_with(kPython)) {
      continue;
    }
    if (!source.ends_with(kPython)) {
      return item.Wrong(source + ": expected a file in Python");
    }
    TRY(text, ReadBeside(item, folder / source));
    if (name == kReference) {
      problem.reference = std::move(text);
    } else {
      name.resize(name.size() - kPython.size());
      problem.modules.push_back({std::move(name), std::move(text)});
    }
  }
  if (!problem.reference.empty()) return {};
  return files.Wrong("names no " + std::string(kReference));
}

std::string ShownValue(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "size=1024", as no other before.
std::string NameOfCase(const Json& arguments, const std::string& kind,
                       std::set<std::string>& used) {
  std::string name;
  for (const auto& [key, value] : arguments.items()) {
    if (key == "seed") continue;
    name += (name.empty() ? "" : ", ") + key + "=" + ShownValue(value);
  }
  constexpr std::size_t kMostText = 120;
  if (name.size() > kMostText) {
    name = name.substr(0, WholeCharacters(name, kMostText)) + "...";
  }
  if (name.empty()) name = kind;
  std::string unused = name;
  for (int i = 2; !used.insert(unused).second; ++i) {
    unused = name + " (" + std::to_string(i) + ")";
  }
  return unused;
}

Result<Json> ReadCases(const Cursor& task, const std::string& key,
                       std::vector<std::string>& names) {
  const std::optional<Cursor> list = task.Find(key);
  if (!list || list->Value().is_null()) return Json(Json::array());
  TRY(items, list->Items());
  std::set<std::string> used;
  for (const Cursor& item : items) {
    if (!item.Value().is_object()) {
      return item.Wrong("expected arguments by their names");
    }
    names.push_back(NameOfCase(item.Value(), key, used));
  }
  return list->Value();
}

}  // namespace

Result<GpuModeProblem> ReadGpuMode(const fs::path& folder) {
  const fs::path file = folder / "task.yml";
  std::error_code ignored;
  const char* wrong = !fs::exists(folder, ignored)         ? "no such folder"
                      : !fs::is_directory(folder, ignored) ? "is no folder"
                      : !fs::exists(file, ignored)         ? "has no task.yml"
                                                           : nullptr;
  if (wrong != nullptr) {
    return Fail(Errc::kUsage,
                folder.string() + ": " + wrong +
                    "; a problem of GPU MODE is a folder with task.yml and "
                    "reference.py, as problems/pmpp_v2/vectoradd_py of "
                    "reference-kernels");
  }
  const auto read = [&]() -> Result<GpuModeProblem> {
    GpuModeProblem problem;
    TRY(text, eval::ReadWhole(file, kMostTaskBytes));
    TRY(document, ParseYaml(text, file.string()));
    const Cursor task(document, file.string());
    if (!document.is_object()) return task.Wrong("expected a task's members");
    TRY_DONE(MustBeOurs(task));
    TRY_ASSIGN(problem.description, task.StringOrEmpty("description"));
    TRY_DONE(ReadTaskFiles(task, folder, problem));
    TRY(benchmarks, ReadCases(task, "benchmarks", problem.benchmarks));
    TRY(tests, ReadCases(task, "tests", problem.tests));
    if (benchmarks.empty()) return task.Wrong("has no benchmarks");
    problem.arguments =
        Json({{"benchmarks", benchmarks}, {"tests", tests}}).dump();
    return problem;
  };
  auto problem = read();
  if (!problem) return Fail(Errc::kUsage, problem.error().what);
  return problem;
}

}  // namespace coppice::eval
