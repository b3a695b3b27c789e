// Builds what a campaign is composed of from the user's settings, and owns it:
// tasks, policy, models, evaluator, prompts.  The one place where provider,
// policy and task names become objects.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/prompt/prompt.h"
#include "agents/provider/chat_model.h"
#include "agents/provider/model.h"
#include "agents/provider/model_table.h"
#include "agents/provider/providers.h"
#include "agents/provider/throttle.h"
#include "agents/provider/transport.h"
#include "config/load.h"
#include "config/settings.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/evaluation_queue.h"
#include "engine/campaign/named_agents.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/patient_evaluator.h"
#include "engine/campaign/prompt_inputs.h"
#include "engine/factory/memory.h"
#include "engine/process/clock.h"
#include "engine/sessions/session_services.h"
#include "eval/judge/evaluator.h"
#include "search/policy.h"
#include "store/database.h"
#include "store/records/result.h"
#include "store/records/task.h"
#include "store/write/campaigns.h"

namespace coppice::engine {

class CampaignFactory {
 public:
  // All outlives the factory.  Those that work side by side have the same
  // `outages`, so that each is told once; null: it has its own.
  static Result<std::unique_ptr<CampaignFactory>> Make(
      const config::Loaded& loaded, std::filesystem::path runner,
      const Clock& clock, const std::atomic<bool>& drain,
      Outages* outages = nullptr);

  // "gemm_square" or "cuda_gemm_square" of the data that comes with the
  // program, a folder that is a task (eval/formats/task_folder.h),
  // "DIRECTORY:NAME" of another trace set or of such folders, or "fib:FILE" of
  // one of its definitions, "kernelbench:FILE", "gpumode:FOLDER", or a
  // landscape's (see landscape_tasks.h).  kUsage names the nearest task.
  Result<Task> FindTask(const std::string& name) const;

  // The task that a stored campaign is on, as it was when that started.
  Result<Task> TaskOf(const store::CampaignSpec& spec) const;

  // All built-in tasks, and their names alone.
  Result<std::vector<Task>> BuiltInTasks() const;
  Result<std::vector<std::string>> TaskNames() const;

  // Names of the built-in tasks in the language with tag level:LEVEL, which is
  // 1, 2, 3 or, of kernels that the catalogue was not tuned on, foreign.
  Result<std::vector<std::string>> TasksOfLevel(const std::string& level,
                                                Language language) const;

  // Makes what Equip needs beside a database: a mistyped policy or provider
  // shows before anything is created for it.
  Result<void> Prepare(const Task& task, const std::string& policy);

  // Everything that the campaign on `task` needs; valid while the factory, the
  // task and the database live.
  Result<CampaignParts> Equip(const Task& task,
                              const store::CampaignSpec& campaign,
                              store::Database& database);

  // The settings that its agents work with: see config/continue.h.
  Result<config::Settings> SettingsOf(
      const store::CampaignSpec& campaign) const;

  // Those; kUsage if the user has to say some of them again first.
  Result<config::Settings> SettingsToGoOn(
      const store::CampaignSpec& campaign) const;

  // What a campaign on `task` with these settings begins with, of the files
  // that their `memory` names.  They are read once.
  Result<std::vector<Lesson>> LessonsFor(const Task& task,
                                         const config::Settings& settings);

  // A line for each model that takes no temperature, though its agents have one
  // and no effort of reasoning in its place.
  Result<std::vector<std::string>> UnheededNotices(
      const Task& task, const config::Settings& settings);

  // Somebody to talk to, beside all campaigns.  kUsage of the catalogue.
  Result<std::unique_ptr<agents::ChatModel>> ChatModelFor(
      const config::ModelChoice& choice);

  // What its agents are told by; valid as long as what Equip returns.
  CampaignFacts BackdropOf(const Task& task, const store::CampaignRow& campaign,
                           const config::Settings& settings,
                           store::Database& database) const;

  // The templates that the settings choose; valid while the factory lives.
  // kUsage: neither a version nor a folder.
  Result<const agents::PromptTemplates*> PromptsOf(
      const config::Settings& settings);

  // Both are valid while the factory lives, and judge on the first of the
  // devices that are chosen.  The patient one waits for room on a full disk.
  Result<eval::Evaluator*> EvaluatorFor(const Task& task);
  Result<eval::Evaluator*> PatientEvaluatorFor(const Task& task);

  // What Equip gives to a campaign: a patient one for each device.
  Result<std::vector<Station>> StationsFor(const Task& task);

  // Attempts at the same time that keep all its devices busy, unless the user
  // says how many.
  std::int64_t ParallelOn(const std::vector<Station>& stations) const;

  // They look at candidates, too.  REQUIRES: no evaluator is there.
  void Invite(eval::Onlookers onlookers) { onlookers_ = onlookers; }

  // Nothing is timed.  REQUIRES: likewise.
  void OnlyCheck() { checks_only_ = true; }

  // No profile says how a kernel's machine code looks, which takes longer to
  // find out than a small kernel to be timed.  REQUIRES: likewise.
  void LeaveOutCode() { tells_code_ = false; }

  // Evaluations end with kCancelled once it is set; it outlives the factory.
  // REQUIRES: likewise.
  void CancelBy(const std::atomic<bool>& cancelled) { cancelled_ = &cancelled; }

  // Shapes that no agent was shown are drawn again, as a log says.
  // REQUIRES: likewise.
  void DrawShapesBy(std::uint64_t seed) { shapes_seed_ = seed; }

  const config::Loaded& loaded() const { return loaded_; }
  const config::Settings& settings() const { return settings_; }
  const Clock& clock() const { return clock_; }
  const std::atomic<bool>& drain() const { return drain_; }
  // What its campaigns wait by; the patience of their databases, too.
  Outages& outages() { return outages_; }
  agents::Timer& timer() { return timer_; }

 private:
  CampaignFactory(const config::Loaded& loaded, std::filesystem::path runner,
                  const Clock& clock, const std::atomic<bool>& drain,
                  Outages* outages);
  Result<Task> FindKernelBenchTask(const std::string& file) const;
  Result<Task> FindGpuModeTask(const std::string& folder) const;
  Result<void> MustHaveNoPrecision(const std::string& name) const;
  // One of a landscape, or of a trace set: ours or a user's.
  Result<Task> FindDocumentedTask(const std::string& name) const;
  // For a task of a user's trace set.
  Result<void> CheckSyntax(const std::string& name, const Task& task) const;
  Result<void> CheckEvalConfig(const std::string& name, TaskFormat format,
                               Protocol protocol) const;
  Result<EvalConfig> EvalConfigFor(const Definition& definition) const;
  eval::MachineLoadOptions WaitForQuiet() const;
  // The chosen devices that a task is judged on; none: it needs no GPU, or has
  // the one that torch finds.
  Result<std::vector<eval::Device>> DevicesFor(const Task& task) const;
  Result<std::vector<eval::Device>> DevicesOfTorch() const;
  Result<eval::Evaluator*> EvaluatorOn(const Task& task,
                                       const std::optional<eval::Device>& gpu);
  Result<std::unique_ptr<eval::Evaluator>> MakeEvaluator(
      const Task& task, const std::optional<eval::Device>& gpu) const;
  eval::Evaluator* Patient(eval::Evaluator& judge);
  Result<eval::PythonEvaluatorOptions> PythonOptions(
      const std::optional<eval::Device>& gpu) const;
  Result<search::Policy*> PolicyNamed(const std::string& name);
  Result<search::ModelRule*> ModelRuleNamed(const std::string& name);
  // For each of the models of a role.
  Result<std::vector<Agent>> AgentsFor(const Task& task,
                                       const config::Settings& settings,
                                       Role role);
  // For the one model of a role that somebody names.
  Result<Agent> AgentNamed(const Task& task, config::Settings settings,
                           Role role, const std::string& model);
  // Null: its agents work in no sessions.
  Result<const sessions::SessionServices*> OfficeFor(
      const config::Settings& settings, const config::ModelChoice& choice);
  Result<agents::Heeds> WhatItHeeds(const config::Settings& settings,
                                    const config::ModelChoice& choice);
  Result<agents::Model*> ModelFor(const Task& task,
                                  const config::Settings& settings,
                                  const config::ModelChoice& choice);
  // For a model that is neither simulated nor embedded.
  Result<std::unique_ptr<agents::Transport>> WireOutside(
      const config::Settings& settings, const config::ModelChoice& choice);
  // Recorded, if the settings say so.
  Result<std::unique_ptr<agents::Model>> RetryingOver(
      std::unique_ptr<agents::Transport> transport,
      const config::Settings& settings, const config::ModelChoice& choice);
  Result<std::unique_ptr<agents::Transport>> WireTo(
      const Task& task, const config::Settings& settings,
      const config::ModelChoice& choice);
  Result<const agents::ModelTable*> TableOf(const config::Settings& settings);
  // Shared by all models of an account with a provider.
  Result<std::shared_ptr<agents::Throttle>> ThrottleOf(
      const config::Settings& settings, const std::string& provider);

  const config::Loaded& loaded_;
  const config::Settings& settings_;  // Of loaded_.
  const std::filesystem::path runner_;
  const Clock& clock_;
  const std::atomic<bool>& drain_;
  std::map<std::string, agents::PromptTemplates> prompts_;  // By setting.
  SystemTimer timer_;
  Outages own_outages_;
  Outages& outages_;
  // By the user's file; each once a provider asks for it.
  std::map<std::string, agents::ModelTable> tables_;
  std::map<std::string, std::shared_ptr<agents::Throttle>> throttles_;
  std::map<std::string, std::unique_ptr<search::Policy>> policies_;
  std::map<std::string, std::unique_ptr<search::ModelRule>> model_rules_;
  std::map<std::string, std::unique_ptr<agents::Model>> models_;  // By spec.
  std::unique_ptr<sessions::Judging> judging_;  // Once a session needs it.
  std::vector<std::unique_ptr<sessions::SessionServices>> offices_;
  std::vector<std::unique_ptr<NamedAgents>> named_;  // Of what Equip returned.
  std::map<std::string, std::unique_ptr<eval::Evaluator>> evaluators_;
  std::map<eval::Evaluator*, PatientEvaluator> patient_;  // By whom they ask.
  eval::Onlookers onlookers_ = eval::Onlookers::kNone;
  bool checks_only_ = false;
  bool tells_code_ = true;
  const std::atomic<bool>* cancelled_ = nullptr;
  std::optional<std::uint64_t> shapes_seed_;
  // By what `memory` says, once it is asked.
  std::map<std::string, Memory> memories_;
  // Holds processes of tasks that are described, and about to be judged.
  std::shared_ptr<eval::torch::PrewarmedWorkers> prewarmed_workers_;
};

}  // namespace coppice::engine
