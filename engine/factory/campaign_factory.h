// Builds what a campaign is composed of from the user's settings, and owns it:
// tasks, policy, models, evaluator, prompts.  It has one factory for each of
// these, where names become objects.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice {
struct Lesson;
}
namespace coppice::agents {
class Model;
class PromptTemplates;
class Timer;
}  // namespace coppice::agents
namespace coppice::config {
struct Loaded;
struct ModelChoice;
struct Settings;
}  // namespace coppice::config
namespace coppice::eval {
class Evaluator;
}
namespace coppice::store {
struct CampaignRow;
struct CampaignSpec;
class Database;
}  // namespace coppice::store

namespace coppice::engine {

struct CampaignFacts;
struct CampaignParts;
class CampaignEquipment;
class Clock;
class EvaluatorFactory;
class Outages;
class SessionOpeners;
struct Station;
class TaskFinder;

// Who makes the openers of sessions (session_openers.h) is passed in.  `loaded`
// and `clock` outlive what it makes.
using MakeSessionOpeners = std::unique_ptr<SessionOpeners> (*)(
    const config::Loaded& loaded, const std::filesystem::path& runner,
    const Clock& clock);

class CampaignFactory {
 public:
  // All outlives the factory.  Those that work side by side have the same
  // `outages`, so that each is told once; null: it has its own.  Without
  // `make_sessions` no agent works in sessions.
  static Result<std::unique_ptr<CampaignFactory>> Make(
      const config::Loaded& loaded, const std::filesystem::path& runner,
      const Clock& clock, const std::atomic<bool>& drain,
      Outages* outages = nullptr, MakeSessionOpeners make_sessions = nullptr);
  ~CampaignFactory();

  // "gemm_square" or "cuda_gemm_square" of the data that comes with the
  // program, a folder that is a task (eval/formats/task_folder.h),
  // "DIRECTORY:NAME" of another trace set or of such folders, or "fib:FILE" of
  // one of its definitions, "kernelbench:FILE", "gpumode:FOLDER", or a
  // landscape's (see landscape_tasks.h).  kUsage names the nearest task.
  Result<Task> FindTask(const std::string& name) const;

  // The task that a stored campaign is on, as it was when that started.
  Result<Task> TaskOf(const store::CampaignSpec& spec) const;

  // By which it finds tasks and has kernels judged; valid while it lives.
  const TaskFinder& tasks() const;
  EvaluatorFactory& evaluators();

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
  Result<std::shared_ptr<const std::vector<Lesson>>> LessonsFor(
      const Task& task, const config::Settings& settings);

  // A line for each model that takes no temperature, though its agents have one
  // and no effort of reasoning in its place.
  Result<std::vector<std::string>> UnheededNotices(
      const Task& task, const config::Settings& settings);

  // Somebody to talk to, beside all campaigns.  kUsage of the catalogue.
  Result<std::unique_ptr<agents::Model>> ChatModelFor(
      const config::ModelChoice& choice);

  // What its agents are told by; valid as long as what Equip returns.
  CampaignFacts FactsOf(const Task& task, const store::CampaignRow& campaign,
                        const config::Settings& settings,
                        store::Database& database) const;

  // The templates that the settings choose; valid while the factory lives.
  // kUsage: neither a version nor a folder.
  Result<const agents::PromptTemplates*> PromptsOf(
      const config::Settings& settings);

  // As evaluators() has it.
  Result<eval::Evaluator*> EvaluatorFor(const Task& task);

  // Attempts at the same time that keep all its devices busy, unless the user
  // says how many.
  std::int64_t ParallelOn(const std::vector<Station>& stations) const;

  const config::Loaded& loaded() const { return loaded_; }
  const config::Settings& settings() const { return settings_; }
  const Clock& clock() const { return clock_; }
  const std::atomic<bool>& drain() const { return drain_; }
  // What its campaigns wait by; the patience of their databases, too.
  Outages& outages();
  agents::Timer& timer();

 private:
  struct Factories;
  CampaignEquipment& equipment();

  CampaignFactory(const config::Loaded& loaded,
                  const std::filesystem::path& runner, const Clock& clock,
                  const std::atomic<bool>& drain, Outages* outages,
                  std::unique_ptr<SessionOpeners> sessions);

  const config::Loaded& loaded_;
  const config::Settings& settings_;  // Of loaded_.
  const Clock& clock_;
  const std::atomic<bool>& drain_;
  const std::unique_ptr<Factories> factories_;
};

}  // namespace coppice::engine
