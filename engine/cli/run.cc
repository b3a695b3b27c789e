// coppice run TASK...: searches for faster kernels.
#include <filesystem>
#include <system_error>
#include <utility>

#include "config/keys.h"
#include "engine/cli/campaign_options.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/screening.h"
#include "engine/cli/start_campaign.h"
#include "engine/cli/verbs.h"
#include "engine/factory/agent_models.h"
#include "engine/run/session.h"
#include "eval/formats/task_folder.h"
#include "eval/judge/evaluator.h"
#include "store/database.h"

namespace coppice::cli {
namespace {

// What shows before anything is created: that nobody could write a candidate,
// and that a reference, which is others' code, does not run.
Result<void> CheckBeforehand(engine::CampaignFactory& factory, const Task& task,
                             const std::string& task_name) {
  std::error_code ignored;
  const config::Settings& settings = factory.settings();
  if (std::filesystem::exists(settings.db, ignored)) return {};
  TRY_DONE(engine::CheckAgents(task, settings, settings.budget_attempts));
  if (task.format == TaskFormat::kNative ||
      task.format == TaskFormat::kKernelBench) {
    return {};
  }
  TRY(evaluator, factory.EvaluatorFor(task));
  auto checked = evaluator->CheckTask(task);
  const bool is_the_tasks = !checked && (checked.error().code == Errc::kUsage ||
                                         checked.error().code == Errc::kUnfit);
  if (!is_the_tasks) return checked;
  return Fail(checked.error().code,
              task_name + ": its reference: " + checked.error().what);
}

Result<Exit> RunRun(const Invocation& invocation, Streams& streams) {
  const std::string name = invocation.Text("name").value_or("");
  if (!name.empty() && invocation.arguments.size() > 1) {
    return Fail(Errc::kUsage, "--name " + name + ": names one campaign, but " +
                                  std::to_string(invocation.arguments.size()) +
                                  " tasks are given");
  }
  TRY_DONE(CheckCampaignName(name));
  Screening screening(invocation);
  TRY(factory, OpenFactory(invocation));
  std::vector<CampaignJob> jobs;
  Screened screened;
  for (const std::string& task_name : invocation.arguments) {
    TRY(task, factory->FindTask(task_name));
    TRY_DONE(factory->Prepare(task, invocation.settings().policy));
    // The name of a file's or a folder's task is shorter than the path to it.
    const bool is_file =
        task.format != TaskFormat::kNative || eval::IsTaskFolder(task_name);
    const std::string known = is_file ? task.definition.name : task_name;
    TRY_DONE(CheckBeforehand(*factory, task, task_name));
    const std::string campaign =
        name.empty() ? engine::CampaignName(invocation.settings(), known)
                     : name;
    TRY(fitness, screening.Judge(*factory, task, campaign, streams.err));
    TRY_DONE(MustBeKept(known, fitness));
    Enter(task, fitness, streams.err, screened);
    // No bench is of trace sets, where others' tasks are beside their expert.
    const bool with_expert = task.format == TaskFormat::kFlashInferBench;
    jobs.push_back({.task = std::move(task),
                    .task_name = known,
                    .campaign = name,
                    .with_expert = with_expert});
  }
  return StartCampaigns(invocation, streams, *factory, jobs,
                        std::move(screened));
}

}  // namespace

Verb RunVerb() {
  std::vector<Option> options = CampaignOptions();
  options.push_back({"name", Takes::kText, "NAME",
                     "of the campaign; by default TASK.POLICY.sSEED"});
  options.push_back(kUnfitOption);
  return {
      .name = "run",
      .summary = "search for faster kernels of a task, or of several",
      .arguments = "TASK...",
      .examples =
          "  coppice run gemm_square\n"
          "  coppice run softmax_rows gelu_tanh --budget 60 --db mine.db\n"
          "  coppice run sim:hill/1 --seed 7 --budget 300\n"
          "  coppice run recorded:gemm_RTX_3090 --budget 300\n"
          "  coppice run kernelbench:KernelBench/level1/19_ReLU.py "
          "--code-model openai:MODEL\n"
          "  coppice run fib:set/definitions/gemm/gemm_k8.json "
          "--code-model openai:MODEL\n"
          "  coppice run my_tasks:my_kernel --plan-model openai:MODEL\n",
      .options = std::move(options),
      .settings = config::AllNames(),
      .first = {"budget", "db", "code-model", "parallel", "cap-usd"},
      .run = RunRun,
  };
}

}  // namespace coppice::cli
