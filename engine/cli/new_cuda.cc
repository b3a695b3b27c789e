// coppice new FILE.cu: kernels and their launches become a task on a GPU.
#include <filesystem>
#include <ostream>
#include <utility>

#include "engine/campaign/outage_listener.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/new_task.h"
#include "engine/cli/open_factory.h"
#include "engine/documents/input.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "engine/own/cuda_draft.h"
#include "engine/own/cuda_source.h"
#include "engine/own/task_files.h"
#include "engine/process/interrupts.h"
#include "eval/admission.h"
#include "eval/judge/same_task.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

struct CudaTried {
  bool is_tried = false;  // There is a device.
  double root_s = 0.0;
  std::vector<eval::Finding> findings;
};

Result<CudaTried> TryCuda(engine::CampaignFactory& factory, const Task& task) {
  CudaTried tried;
  auto evaluator = factory.EvaluatorFor(task);
  if (!evaluator && evaluator.error().code == Errc::kUnavailable) return tried;
  if (!evaluator) return tl::unexpected<Error>(std::move(evaluator).error());
  tried.is_tried = true;
  TRY_ASSIGN(tried.findings, eval::ExamineNulls(**evaluator, task));
  TRY(evaluation,
      (*evaluator)
          ->Evaluate(task, {Language::kCuda, eval::SourceOf(task.root), "run"},
                     Tier::kFull));
  if (evaluation.verdict != Verdict::kPassed) {
    return Fail(Errc::kUsage, "judged against itself in wider numbers it is " +
                                  std::string(Name(evaluation.verdict)) + ": " +
                                  evaluation.log);
  }
  tried.root_s = evaluation.root_runtime_s.value_or(0.0);
  return tried;
}

Result<Exit> TellOfCuda(const CudaTried& tried, const std::string& name,
                        Streams& streams) {
  if (!tried.is_tried) {
    streams.out << "not tried out: no CUDA device; where there is one, say "
                   "coppice task check ./"
                << name << "\n";
    return Exit::kDone;
  }
  streams.out << "the kernels take " << engine::DurationText(tried.root_s)
              << "\n";
  for (const eval::Finding& finding : tried.findings) {
    if (finding.Good()) continue;
    streams.out << (finding.Condemns() ? "UNFIT: " : "not known: ")
                << Printable(finding.candidate) << " is " << Name(finding.found)
                << " on " << Printable(finding.workload) << "\n";
  }
  streams.out << "./" << name << " is the task: coppice run ./" << name << "\n";
  return eval::FitnessOf(tried.findings) == eval::Fitness::kUnfit
             ? Exit::kFailure
             : Exit::kDone;
}

}  // namespace

bool NamesCuda(const std::string& file) { return file.ends_with(".cu"); }

Result<Exit> NewFromCuda(const Invocation& invocation, Streams& streams) {
  TRY_DONE(invocation.MustNotHave({"expert", "link", "flags", "with", "inputs"},
                                  "is of no function in CUDA"));
  const std::string& file = invocation.arguments.at(0);
  TRY(wishes, WishesOf(invocation));
  TRY(text, ReadFile(file));
  const auto in_file = [&](const Error& error) {
    const bool has_line =
        !error.what.empty() && error.what[0] >= '0' && error.what[0] <= '9';
    return Fail(error.code, file + (has_line ? ":" : ": ") + error.what);
  };
  const auto source = engine::own::ReadCudaSource(text, wishes.function);
  if (!source) return in_file(source.error());
  wishes.function.clear();  // Its launches are one function now.
  const auto reading = engine::own::Read(source->as_function, wishes);
  if (!reading) return in_file(reading.error());
  TRY(name, NewTaskName(invocation, reading->name));
  engine::own::Drafting drafting;
  drafting.name = name;
  drafting.file = fs::path(file).filename().string();
  const auto draft =
      engine::own::DraftCuda(*source, *reading, wishes, drafting);
  if (!draft) return in_file(draft.error());
  TRY(factory, OpenFactory(invocation));
  engine::LeaveInterrupts();
  const auto listener = Listen(*factory, streams);
  auto tried = TryCuda(*factory, draft->task);
  if (!tried) return in_file(tried.error());
  TRY_DONE(
      engine::own::WriteFolder(name, engine::own::FilesOf(draft->task, "")));
  PrintAssumptions(*reading, draft->notes, streams);
  streams.out << "shapes: " << ShapesText(draft->task.workloads) << "\n";
  TRY(exit, TellOfCuda(*tried, name, streams));
  TRY_DONE(TellOfName(*factory, name, streams));
  return exit;
}

}  // namespace coppice::cli
