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

#include "engine/factory/session_openers.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice {
struct Lesson;
}
namespace coppice::agents {
class ChatModel;
class PromptTemplates;
class Timer;
}  // namespace coppice::agents
namespace coppice::eval {
class Evaluator;
enum class Onlookers : std::uint8_t;
}  // namespace coppice::eval
namespace coppice::search {
class ModelRule;
class Policy;
}  // namespace coppice::search
namespace coppice::store {
struct CampaignRow;
struct CampaignSpec;
class Database;
}  // namespace coppice::store

namespace coppice::engine {

struct CampaignFacts;
struct CampaignParts;
class Outages;
struct Station;

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
  CampaignFacts FactsOf(const Task& task, const store::CampaignRow& campaign,
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
  void Invite(eval::Onlookers onlookers);

  // Nothing is timed.  REQUIRES: likewise.
  void OnlyCheck();

  // No profile says how a kernel's machine code looks, which takes longer to
  // find out than a small kernel to be timed.  REQUIRES: likewise.
  void LeaveOutCode();

  // Evaluations end with kCancelled once it is set; it outlives the factory.
  // REQUIRES: likewise.
  void CancelBy(const std::atomic<bool>& cancelled);

  // Shapes that no agent was shown are drawn again, as a log says.
  // REQUIRES: likewise.
  void DrawShapesBy(std::uint64_t seed);

  const config::Loaded& loaded() const { return loaded_; }
  const config::Settings& settings() const { return settings_; }
  const Clock& clock() const { return clock_; }
  const std::atomic<bool>& drain() const { return drain_; }
  // What its campaigns wait by; the patience of their databases, too.
  Outages& outages();
  agents::Timer& timer();

 private:
  struct Factories;

  CampaignFactory(const config::Loaded& loaded,
                  const std::filesystem::path& runner, const Clock& clock,
                  const std::atomic<bool>& drain, Outages* outages,
                  std::unique_ptr<SessionOpeners> sessions);
  Result<search::Policy*> PolicyNamed(const std::string& name);
  Result<search::ModelRule*> ModelRuleNamed(const std::string& name);

  const config::Loaded& loaded_;
  const config::Settings& settings_;  // Of loaded_.
  const Clock& clock_;
  const std::atomic<bool>& drain_;
  const std::unique_ptr<Factories> factories_;
};

}  // namespace coppice::engine
