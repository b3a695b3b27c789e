#include "engine/documents/kernel_file.h"

#include <utility>

#include "engine/documents/input.h"
#include "eval/formats/trace_set.h"
#include "eval/judge/same_task.h"
#include "eval/torch/trace_task.h"

namespace coppice::cli {
namespace {

// Python may well begin with a brace; no C++ does.
bool IsDocument(const std::string& file, const std::string& source,
                TaskFormat format) {
  switch (format) {
    case TaskFormat::kNative:
      return eval::IsSolutionDocument(source);
    case TaskFormat::kFlashInferBench:
      return file.ends_with(".json");
    case TaskFormat::kKernelBench:
    case TaskFormat::kGpuMode:
      return false;
  }
  return false;
}

}  // namespace

Result<Candidate> ReadKernel(const std::string& file, const Task& task,
                             std::istream& in) {
  TRY(source, file == "-" ? ReadAll(in, "standard input") : ReadFile(file));
  return KernelOf(std::move(source), file, task);
}

Result<Candidate> KernelOf(std::string source, const std::string& name,
                           const Task& task) {
  Candidate kernel{task.root.language, std::move(source),
                   task.root.entry_symbol};
  if (!IsDocument(name, kernel.source, task.format)) return kernel;
  TRY(solution, AsUsage(eval::ParseSolution(kernel.source, name)));
  kernel.entry_symbol = solution.entry_symbol;
  if (task.format == TaskFormat::kFlashInferBench) {
    TRY_DONE(eval::FunctionSource(task.definition, solution));
    kernel.language = solution.language;
    return kernel;
  }
  if (solution.language != task.root.language || solution.sources.size() != 1) {
    return Fail(Errc::kUsage,
                name + ": is not one file in the language of the task's root");
  }
  kernel.source = eval::SourceOf(solution);
  return kernel;
}

}  // namespace coppice::cli
