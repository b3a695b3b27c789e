#include "engine/service/evaluator_pool.h"

#include <sys/stat.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "config/load.h"
#include "engine/campaign/cut.h"
#include "engine/campaign/evaluation_queue.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/factory/task_finder.h"
#include "engine/process/clock.h"
#include "engine/service/operation.h"
#include "eval/formats/trace_set.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/judge/same_task.h"
#include "store/records/candidate.h"
#include "store/records/environment.h"
#include "store/records/evaluation.h"

namespace coppice::service {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostSeats = 8;  // Seats that stand by for each aim.
constexpr std::size_t kMostTasks = 64;
constexpr std::size_t kMostFiles = 256;  // So many of a task's are looked at.

std::string StampOf(const fs::path& file) {
  struct stat facts {};
  if (stat(file.c_str(), &facts) != 0) return "";
  return file.filename().string() + " " + std::to_string(facts.st_size) + " " +
         std::to_string(facts.st_mtim.tv_sec) + "." +
         std::to_string(facts.st_mtim.tv_nsec) + "\n";
}

// Stamps the file or the folder that a task's name leads to; empty: the
// program's own.
std::string StampOfTask(const std::string& name) {
  std::error_code error;
  fs::path place = name;
  const std::size_t colon = name.find(':');
  if (colon != std::string::npos) {
    const fs::path set = name.substr(0, colon);
    const fs::path part = name.substr(colon + 1);
    place = fs::is_directory(set, error) ? set / part : part;
  }
  if (name.find('/') == std::string::npos && colon == std::string::npos) {
    return "";
  }
  std::string stamp = StampOf(place);
  if (!fs::is_directory(place, error)) return stamp;
  std::vector<std::string> stamps;
  for (const auto& entry : fs::directory_iterator(place, error)) {
    if (stamps.size() == kMostFiles) break;
    stamps.push_back(StampOf(entry.path()));
  }
  std::ranges::sort(stamps);
  for (const std::string& each : stamps) stamp += each;
  return stamp;
}

// The files of a trace set are many folders deep, so only the set is looked at.
bool MayChangeUnseen(const std::string& name) {
  return name.find(':') != std::string::npos && StampOfTask(name).empty();
}

store::Digest DigestOf(const Task& task) {
  store::FieldHasher hasher;
  hasher.Add(eval::SerialiseTask(task));
  for (const std::int64_t rule : {static_cast<std::int64_t>(task.format),
                                  static_cast<std::int64_t>(task.protocol),
                                  static_cast<std::int64_t>(task.delegation)}) {
    hasher.Add(rule);
  }
  return hasher.Finish();
}

std::string KindOf(const Task& task) {
  return std::to_string(static_cast<int>(task.format)) + " " +
         std::to_string(static_cast<int>(task.root.language));
}

bool IsOnProcessors(const std::vector<engine::Station>& stations) {
  return stations.front().device.empty();
}

void Tell(const Call& call, const char* stage) {
  if (call.progress) call.progress({stage});
}

tl::unexpected<Error> WasCancelled() {
  return Fail(Errc::kCancelled, "evaluation: cancelled");
}

}  // namespace

// An evaluator of each kind of tasks, for one caller at a time.
struct EvaluatorPool::Seat {
  engine::Flag cancelled;  // Outlives the factory.
  std::unique_ptr<engine::CampaignFactory> factory;
  Task adopted;  // The task that it judged last.
};

EvaluatorPool::EvaluatorPool(const config::Loaded& loaded, fs::path runner,
                             const engine::Clock& clock, std::size_t checks)
    : loaded_(loaded),
      runner_(std::move(runner)),
      clock_(clock),
      gate_(std::max<std::size_t>(checks, 1)) {}

EvaluatorPool::~EvaluatorPool() = default;

Result<std::unique_ptr<EvaluatorPool::Seat>> EvaluatorPool::MakeSeat(
    Aim aim) const {
  auto seat = std::make_unique<Seat>();
  TRY(factory, engine::CampaignFactory::Make(loaded_, runner_, clock_,
                                             seat->cancelled.up()));
  factory->evaluators().CancelBy(seat->cancelled.up());
  if (aim == Aim::kCheck) factory->evaluators().OnlyCheck();
  if (aim == Aim::kTime)
    factory->evaluators().LeaveOutCode();  // No answer has it.
  if (aim == Aim::kSanitize) {
    factory->evaluators().Invite(eval::Onlookers::kSanitizers);
  }
  if (aim == Aim::kProfile) {
    factory->evaluators().Invite(eval::Onlookers::kProfilers);
  }
  seat->factory = std::move(factory);
  return seat;
}

Result<EvaluatorPool::Seat*> EvaluatorPool::FrontSeat() {
  if (front_seat_ == nullptr) {
    TRY_ASSIGN(front_seat_, MakeSeat(Aim::kTime));
  }
  return front_seat_.get();
}

Result<std::shared_ptr<const KnownTask>> EvaluatorPool::FindTask(
    const std::string& name) {
  const std::lock_guard lock(mutex_);
  const std::string stamp = StampOfTask(name);
  const auto found = tasks_.find(name);
  if (found != tasks_.end() && found->second.stamp == stamp) {
    return found->second.known;
  }
  TRY(front_seat, FrontSeat());
  TRY(task, front_seat->factory->FindTask(name));
  const store::Digest digest = DigestOf(task);
  auto known =
      std::make_shared<const KnownTask>(KnownTask{std::move(task), digest});
  if (MayChangeUnseen(name)) return known;
  if (tasks_.size() >= kMostTasks) tasks_.clear();
  tasks_[name] = {stamp, known};
  return known;
}

std::string EvaluatorPool::Keep(const Task& task) {
  const store::Digest digest = DigestOf(task);
  std::string name = "kept " + store::ToHex(digest);
  const std::lock_guard lock(mutex_);
  if (tasks_.contains(name)) return name;
  if (tasks_.size() >= kMostTasks) tasks_.clear();
  tasks_[name] = {"",
                  std::make_shared<const KnownTask>(KnownTask{task, digest})};
  return name;
}

Result<std::vector<Task>> EvaluatorPool::BuiltInTasks() {
  const std::lock_guard lock(mutex_);
  TRY(front_seat, FrontSeat());
  return front_seat->factory->tasks().BuiltInTasks();
}

Result<std::optional<Environment>> EvaluatorPool::WhereFor(const Task& task) {
  const std::lock_guard lock(mutex_);
  const std::string kind = KindOf(task);
  const auto found = places_.find(kind);
  if (found != places_.end()) return found->second;
  TRY(front_seat, FrontSeat());
  TRY(evaluator, front_seat->factory->EvaluatorFor(task));
  TRY(where, evaluator->Where());
  places_[kind] = where;
  return where;
}

Result<std::unique_ptr<EvaluatorPool::Seat>> EvaluatorPool::TakeSeat(
    const Task& task, Aim aim) {
  {
    const std::lock_guard lock(mutex_);
    Seats& idle = idle_[aim];
    auto chosen = std::ranges::find_if(idle, [&](const auto& seat) {
      return eval::SameTask(seat->adopted, task);
    });
    if (chosen == idle.end() && idle.size() >= kMostSeats) {
      chosen = std::prev(idle.end());
    }
    if (chosen != idle.end()) {
      auto seat = std::move(*chosen);
      idle.erase(chosen);
      return seat;
    }
  }
  return MakeSeat(aim);
}

void EvaluatorPool::GiveBack(Aim aim, std::unique_ptr<Seat> seat) {
  const std::lock_guard lock(mutex_);
  idle_[aim].push_front(std::move(seat));
}

Result<Evaluation> EvaluatorPool::JudgeOn(Seat& seat, const Task& task,
                                          const Candidate& candidate, Tier tier,
                                          const Call& call) {
  seat.adopted = task;
  TRY(evaluator, seat.factory->EvaluatorFor(task));
  const engine::Cut cut(seat.cancelled, call.cancelled);
  if (call.cancelled.stop_requested()) return WasCancelled();
  return evaluator->Evaluate(task, candidate, tier);
}

Result<Evaluation> EvaluatorPool::Judge(const Task& task,
                                        const Candidate& candidate, Aim aim,
                                        Tier tier, const Call& call) {
  if (aim == Aim::kTime) return TimeIt(task, candidate, tier, call);
  TRY(seat, TakeSeat(task, aim));
  Result<Evaluation> evaluation = WasCancelled();
  const auto judge = [&] {
    Tell(call, aim == Aim::kCheck ? "checking" : "examining");
    evaluation = JudgeOn(*seat, task, candidate, tier, call);
  };
  if (aim == Aim::kProfile) {
    const eval::BackgroundWork::Silence silence(gate_);
    judge();
  } else {
    gate_.Do(judge);
  }
  GiveBack(aim, std::move(seat));
  return evaluation;
}

Result<Evaluation> EvaluatorPool::TimeIt(const Task& task,
                                         const Candidate& candidate, Tier tier,
                                         const Call& call) {
  std::vector<engine::Station> stations;
  engine::EvaluationQueue* queue = nullptr;
  {
    const std::lock_guard lock(mutex_);
    TRY(front_seat, FrontSeat());
    TRY_ASSIGN(stations, front_seat->factory->evaluators().StationsFor(task));
    auto& known = queues_[stations.front().evaluator];
    if (known == nullptr) {
      known = std::make_unique<engine::EvaluationQueue>(
          stations, clock_, engine::EvaluationQueue::Options{});
    }
    queue = known.get();
  }
  Tell(call, "waiting");
  auto turn = queue->Wait(task, candidate, call.cancelled);
  std::optional<eval::BackgroundWork::Silence> silence;
  if (IsOnProcessors(stations)) silence.emplace(gate_);
  Tell(call, "timing");
  return engine::EvaluateUntil(
      call.cancelled, front_seat_->cancelled, nullptr,
      [&] { return turn.Evaluate(task, candidate, tier); });
}

}  // namespace coppice::service
