#include "engine/cli/claim_files.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/cli/counted.h"
#include "engine/documents/input.h"
#include "eval/formats/kernelbench_files.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

store::Claim ClaimOf(const Task& task, std::string source, std::string origin) {
  return {.candidate = {task.root.language, std::move(source),
                        task.root.entry_symbol},
          .origin = std::move(origin)};
}

// "list.json: 3 kernels", and what of it was left out.
std::string NoteOf(const fs::path& path, const ClaimFile& file,
                   const std::string& details, std::int64_t others) {
  return path.string() + ": " + Counted(file.claims.size(), "kernel") +
         details +
         (others > 0 ? ", " + std::to_string(others) + " for other problems"
                     : "");
}

bool IsWanted(const std::optional<std::int64_t>& wanted,
              const std::optional<std::int64_t>& has) {
  return !wanted || !has || *wanted == *has;
}

// Kernels of several problems cannot all be for one task.
Result<void> CheckOne(const std::string& file,
                      const std::set<std::optional<std::int64_t>>& numbers,
                      const std::string& what) {
  if (numbers.size() <= 1) return {};
  return Fail(Errc::kUsage, file + ": has kernels of " +
                                std::to_string(numbers.size()) + " " + what +
                                "s: choose with --" + what + " N");
}

// Erases what is not selected; returns how many.
template <class Kernel>
Result<std::int64_t> Select(const std::string& file,
                            const ClaimFilter& selection,
                            std::vector<Kernel>& kernels) {
  const auto before = kernels.size();
  std::erase_if(kernels, [&](const Kernel& kernel) {
    return !IsWanted(selection.problem, kernel.problem) ||
           !IsWanted(selection.level, kernel.level);
  });
  std::set<std::optional<std::int64_t>> levels;
  std::set<std::optional<std::int64_t>> problems;
  for (const Kernel& kernel : kernels) {
    levels.insert(kernel.level);
    problems.insert(kernel.problem);
  }
  TRY_DONE(CheckOne(file, problems, "problem"));
  TRY_DONE(CheckOne(file, levels, "level"));
  return static_cast<std::int64_t>(before - kernels.size());
}

double UnitOf(const std::string& field, double otherwise_s) {
  if (field.ends_with("_ns")) return 1e-9;
  if (field.ends_with("_us")) return 1e-6;
  if (field.ends_with("_ms")) return 1e-3;
  if (field.ends_with("_s")) return 1.0;
  return otherwise_s;
}

std::string FieldNote(const eval::ListFields& fields) {
  std::string note = "source from " + fields.source;
  if (!fields.speedup.empty()) note += ", speedup from " + fields.speedup;
  if (!fields.runtime.empty()) note += ", runtime from " + fields.runtime;
  return note;
}

struct RunKernel {
  fs::path path;
  std::optional<std::int64_t> level;
  std::optional<std::int64_t> problem;
  std::int64_t sample = 0;
};

// Lists the kernels by problem and sample.
Result<std::vector<RunKernel>> ListKernels(const fs::path& directory) {
  std::error_code error;
  std::vector<RunKernel> kernels;
  for (fs::directory_iterator entry(directory, error), end;
       !error && entry != end; entry.increment(error)) {
    const auto file =
        eval::ParseKernelFileName(entry->path().filename().string());
    if (!file) continue;
    kernels.push_back(
        {entry->path(), file->level, file->problem, file->sample});
  }
  if (error) {
    return Fail(Errc::kUsage, directory.string() + ": " + error.message());
  }
  std::ranges::sort(kernels, {}, [](const RunKernel& kernel) {
    return std::tuple(kernel.level, kernel.problem, kernel.sample);
  });
  return kernels;
}

using Results =
    std::map<std::pair<std::int64_t, std::int64_t>, eval::KernelBenchResult>;

// The results by problem and sample; empty if the run was not evaluated.
Result<Results> ReadResults(const fs::path& directory) {
  const fs::path path = directory / "eval_results.json";
  Results results;
  if (!fs::exists(path)) return results;
  TRY(text, ReadFile(path.string()));
  TRY(parsed, AsUsage(eval::ParseEvalResults(text, path.string())));
  for (eval::KernelBenchResult& result : parsed) {
    results[{result.problem, result.sample}] = std::move(result);
  }
  return results;
}

}  // namespace

Result<ClaimFile> ReadClaimList(const fs::path& path,
                                const eval::ListFields& fields,
                                double runtime_unit_s,
                                const ClaimFilter& selection,
                                const Task& task) {
  TRY(text, ReadFile(path.string()));
  TRY(list, AsUsage(eval::ParseKernelList(text, path.string(), fields)));
  TRY(others, Select(path.string(), selection, list.kernels));
  const double unit_s = UnitOf(list.fields.runtime, runtime_unit_s);
  ClaimFile file;
  for (eval::ListedKernel& kernel : list.kernels) {
    store::Claim claim =
        ClaimOf(task, std::move(kernel.source),
                path.filename().string() + ":" + std::to_string(kernel.entry));
    claim.is_correct = kernel.correct;
    claim.speedup = kernel.speedup;
    if (kernel.runtime) claim.runtime_s = *kernel.runtime * unit_s;
    file.claims.push_back(std::move(claim));
  }
  std::string details = FieldNote(list.fields);
  if (list.without_source > 0) {
    details += ", " + std::to_string(list.without_source) + " without one";
  }
  file.note = NoteOf(path, file, " (" + details + ")", others);
  return file;
}

Result<ClaimFile> ReadKernelBenchRun(const fs::path& directory,
                                     const ClaimFilter& selection,
                                     const Task& task) {
  TRY(kernels, ListKernels(directory));
  if (kernels.empty()) {
    return Fail(Errc::kUsage, directory.string() +
                                  ": no level_L_problem_P_sample_S_kernel.py; "
                                  "not a run of KernelBench");
  }
  TRY(others, Select(directory.string(), selection, kernels));
  TRY(results, ReadResults(directory));
  // The run's name is the same with a slash at the end: "runs/mine/".
  const fs::path run = fs::absolute(directory / "").parent_path().filename();
  ClaimFile file;
  std::int64_t evaluated = 0;
  for (const RunKernel& kernel : kernels) {
    TRY(source, ReadFile(kernel.path.string()));
    store::Claim claim = ClaimOf(task, std::move(source),
                                 (run / kernel.path.filename()).string());
    const auto found = results.find({*kernel.problem, kernel.sample});
    if (found != results.end()) {
      claim.is_correct = found->second.correct;
      claim.runtime_s = found->second.runtime_s;
      ++evaluated;
    }
    file.claims.push_back(std::move(claim));
  }
  file.note =
      NoteOf(directory, file,
             " (" + std::to_string(evaluated) + " with a result)", others);
  return file;
}

}  // namespace coppice::cli
