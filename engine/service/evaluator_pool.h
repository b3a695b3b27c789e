// Who judges kernels for the operations: evaluators, which take turns at
// processors and devices as those of `coppice eval` and of campaigns do.
//
// Checks run on all processors at a time, each by an evaluator of its own that
// has adopted its task before: as many tasks are kept adopted as there is room
// for.  Nothing of that runs beside a timed evaluation on the processors.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "eval/host/background_work.h"
#include "store/digest.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice {
struct Candidate;
struct Environment;
struct Evaluation;
enum class Tier : std::uint8_t;
}  // namespace coppice
namespace coppice::config {
struct Loaded;
}
namespace coppice::engine {
class Clock;
class EvaluationQueue;
}  // namespace coppice::engine
namespace coppice::eval {
class Evaluator;
}

namespace coppice::service {

struct Call;

enum class Aim : std::uint8_t { kCheck, kTime, kSanitize, kProfile };

// A task, and what no other one has in common with it.
struct KnownTask {
  Task task;
  store::Digest digest;
};

class EvaluatorPool {
 public:
  // `loaded` and `clock` outlive it.  So many checks run at a time.
  EvaluatorPool(const config::Loaded& loaded, std::filesystem::path runner,
                const engine::Clock& clock, std::size_t checks);
  ~EvaluatorPool();

  // Finds a task as CampaignFactory::FindTask does.  One of files is read again
  // once these have changed.
  Result<std::shared_ptr<const KnownTask>> FindTask(const std::string& name);

  // Has FindTask() return `task`, such as that of a campaign as it was when it
  // began, by the name that this returns.
  std::string Keep(const Task& task);

  Result<std::vector<Task>> BuiltInTasks();

  // Where its candidates are judged, as far as that is known before.
  Result<std::optional<Environment>> WhereFor(const Task& task);

  // By any thread that outlives this object, or its processes are started
  // anew.  Ends within a second with kCancelled once `call.cancelled` is.
  Result<Evaluation> Judge(const Task& task, const Candidate& candidate,
                           Aim aim, Tier tier, const Call& call);

 private:
  struct Seat;
  using Seats = std::list<std::unique_ptr<Seat>>;

  Result<std::unique_ptr<Seat>> MakeSeat(Aim aim) const;
  Result<std::unique_ptr<Seat>> TakeSeat(const Task& task, Aim aim);
  void GiveBack(Aim aim, std::unique_ptr<Seat> seat);
  Result<Evaluation> JudgeOn(Seat& seat, const Task& task,
                             const Candidate& candidate, Tier tier,
                             const Call& call);
  Result<Evaluation> TimeIt(const Task& task, const Candidate& candidate,
                            Tier tier, const Call& call);
  Result<Seat*> FrontSeat();  // REQUIRES: mutex_ is held.

  const config::Loaded& loaded_;
  const std::filesystem::path runner_;
  const engine::Clock& clock_;
  eval::BackgroundWork gate_;

  std::mutex mutex_;  // Guards all that follows; not held while judging.
  std::unique_ptr<Seat> front_seat_;  // Finds tasks, and times.
  struct Read {
    std::string stamp;  // Of its files.
    std::shared_ptr<const KnownTask> known;
  };
  std::map<std::string, Read> tasks_;
  std::map<std::string, std::optional<Environment>> places_;
  std::map<eval::Evaluator*, std::unique_ptr<engine::EvaluationQueue>> queues_;
  std::map<Aim, Seats> idle_;  // Last used first.
};

}  // namespace coppice::service
