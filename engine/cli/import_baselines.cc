#include "engine/cli/import_baselines.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string_view>

#include "engine/cli/counted.h"
#include "engine/cli/open_to_write.h"
#include "engine/documents/document.h"
#include "engine/documents/input.h"
#include "engine/documents/table.h"
#include "engine/documents/verb.h"
#include "engine/process/clock.h"
#include "eval/formats/kernelbench_files.h"
#include "store/database.h"
#include "store/write/baselines.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBaselineFile = "baseline_time_";
constexpr std::string_view kJson = ".json";

// "torch" of "baseline_time_torch.json"; none: it is named otherwise.
std::optional<std::string> BaselineName(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kBaselineFile) || !name.ends_with(kJson) ||
      name.size() <= kBaselineFile.size() + kJson.size()) {
    return std::nullopt;
  }
  return name.substr(kBaselineFile.size(),
                     name.size() - kBaselineFile.size() - kJson.size());
}

struct Quotes {
  std::vector<store::QuotedBaseline> rows;
  std::int64_t failed = 0;  // There.
};

// REQUIRES: one of BaselineFiles().
Result<void> ReadQuotes(const fs::path& path, Quotes& quotes) {
  const std::string name = *BaselineName(path);
  TRY(text, ReadFile(path.string()));
  auto baselines = eval::ParseBaselineTimes(text, path.string());
  if (!baselines) return Fail(Errc::kUsage, baselines.error().what);
  for (const eval::KernelBenchBaseline& baseline : *baselines) {
    if (!baseline.times) {
      ++quotes.failed;
      continue;
    }
    const eval::KernelBenchTimes& times = *baseline.times;
    quotes.rows.push_back(
        {.level = baseline.level,
         .task = eval::TaskName(baseline.level, baseline.problem),
         .baseline = name,
         .hardware = times.hardware,
         .mean_s = times.mean_s,
         .std_s = times.std_s,
         .min_s = times.min_s,
         .max_s = times.max_s,
         .trials = times.trials,
         .origin = path.filename().string()});
  }
  return {};
}

}  // namespace

Result<std::vector<fs::path>> BaselineFiles(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return Fail(Errc::kNotFound, path.string() + ": No such file or directory");
  }
  if (!fs::is_directory(path, error)) {
    if (BaselineName(path)) return std::vector<fs::path>{path};
    return Fail(Errc::kUsage, path.string() +
                                  ": expected baseline_time_NAME.json, or the "
                                  "directory of a run");
  }
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (BaselineName(entry->path())) files.push_back(entry->path());
  }
  if (error) return Fail(Errc::kUsage, path.string() + ": " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

Result<Exit> ImportBaselines(const Invocation& invocation,
                             const std::vector<fs::path>& files,
                             Streams& streams) {
  TRY_DONE(invocation.MustNotHave(
      {"task", "name", "problem", "level", "unmeasured"},
      "goes with kernels, but " + files.front().string() +
          " holds times of baselines"));
  Quotes quotes;
  for (const fs::path& file : files) TRY_DONE(ReadQuotes(file, quotes));
  TRY(database, OpenToWrite(invocation, store::Access::kCreate));
  TRY(news, store::AddQuotedBaselines(database, quotes.rows,
                                      engine::SystemClock().UnixSeconds()));
  const auto read = static_cast<std::int64_t>(quotes.rows.size());
  if (invocation.Has("json")) {
    PrintDocument({{"times", read}, {"new", news}, {"failed", quotes.failed}},
                  streams.out);
  } else {
    streams.out << OneLine(invocation.arguments.at(0)) << ": times of "
                << Counted(read, "problem") << ", " << news << " new; "
                << quotes.failed
                << (quotes.failed == 1 ? " has none\n" : " have none\n");
  }
  return Exit::kDone;
}

}  // namespace coppice::cli
