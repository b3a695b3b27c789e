#include "engine/service/jobs.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "engine/service/caught.h"

namespace coppice::service {
namespace {

// As many as a pipe has requests under way (stdio_front.cc): a batch of it
// fits.
constexpr std::size_t kMostQueued = 128;
constexpr std::size_t kMostKept = 1000;  // Jobs that have ended.
constexpr double kSilence_s = 5.0;       // At most between two tellings.
constexpr double kCancelWait_s = 5.0;

std::chrono::duration<double> Span(double seconds) {
  return std::chrono::duration<double>(seconds);
}

}  // namespace

std::string_view Name(JobState state) {
  constexpr std::string_view kNames[] = {"queued", "running", "done",
                                         "cancelled"};
  return kNames[static_cast<std::size_t>(state)];
}

struct Jobs::Job {
  std::vector<std::string> ids;  // One for each who asked.
  std::set<std::string> wanted;  // Those of them that were not taken back.
  std::string client;
  Work work;
  JobState state = JobState::kQueued;
  OperationProgress progress{"waiting"};
  std::uint64_t told = 0;  // How often it has told of its progress.
  std::stop_source stop{};
  Result<std::string> answer = std::string("{}");

  bool HasEnded() const {
    return state == JobState::kDone || state == JobState::kCancelled;
  }
};

Jobs::Jobs(std::array<std::size_t, kLanes> threads, const engine::Clock& clock)
    : most_(threads), clock_(clock) {}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    const auto all = jobs_;  // Those that end may go from it.
    for (const auto& [id, job] : all) {
      if (!job->HasEnded()) Cancel(job);
    }
  }
  begun_.notify_all();
  moved_.notify_all();
  for (Queue& queue : queues_) queue.threads.clear();  // Joined.
}

JobView Jobs::ViewOf(const Asked& asked) {
  const Job& job = *asked.job;
  return {asked.id, job.state, job.progress, job.answer};
}

Result<Jobs::Asked> Jobs::Find(const std::string& id) const {
  const auto found = jobs_.find(id);
  if (found != jobs_.end()) return Asked{id, found->second};
  return Fail(Errc::kNotFound, "job: there is none of the id " +
                                   id.substr(0, 64) +
                                   "; the last 1,000 that have ended are kept");
}

Result<JobView> Jobs::Do(const Call& call, Work work, double wait_s) {
  std::unique_lock lock(mutex_);
  if (is_ending_) return Fail(Errc::kCancelled, "the service ends");
  const auto same = under_way_.find(work.key);
  const bool joins = !work.key.empty() && same != under_way_.end();
  Shared job;
  if (joins) {
    job = same->second;
  } else {
    TRY(entered, Enter(call, std::move(work)));
    job = std::move(entered);
  }
  const Asked asked{"j" + std::to_string(++given_), job};
  job->ids.push_back(asked.id);
  job->wanted.insert(asked.id);
  jobs_[asked.id] = job;
  auto view = Await(lock, call, asked, wait_s);
  if (!view) TakeBack(asked);
  return view;
}

Result<JobView> Jobs::Wait(const Call& call, const std::string& id,
                           double wait_s) {
  std::unique_lock lock(mutex_);
  TRY(asked, Find(id));
  return Await(lock, call, asked, wait_s);
}

Result<JobView> Jobs::Cancel(const Call& call, const std::string& id) {
  std::unique_lock lock(mutex_);
  TRY(asked, Find(id));
  if (TakeBack(asked)) return ViewOf(asked);
  return Await(lock, call, asked, kCancelWait_s);
}

Result<Jobs::Shared> Jobs::Enter(const Call& call, Work work) {
  std::size_t queued = 0;
  for (const Queue& queue : queues_) queued += queue.queued;
  if (queued >= kMostQueued) {
    return Fail(Errc::kBusy, "128 jobs wait for their turn already");
  }
  auto job = std::make_shared<Job>();
  job->client = call.client;
  job->work = std::move(work);
  if (!job->work.key.empty()) under_way_[job->work.key] = job;
  const auto lane = static_cast<std::size_t>(job->work.lane);
  Queue& queue = queues_[lane];
  auto& own = queue.by_client[job->client];
  if (own.empty()) queue.turns.push_back(job->client);
  own.push_back(job);
  ++queue.queued;
  if (queue.idle < queue.queued && queue.threads.size() < most_[lane]) {
    queue.threads.emplace_back([this, lane] { Serve(lane); });
  }
  begun_.notify_all();
  return job;
}

// The oldest of the client whose turn it is; null: there is none.
Jobs::Shared Jobs::Next(Queue& queue) {
  while (!queue.turns.empty()) {
    const std::string client = std::move(queue.turns.front());
    queue.turns.pop_front();
    auto& own = queue.by_client[client];
    Shared job;
    while (!own.empty() && job == nullptr) {
      if (!own.front()->HasEnded()) job = own.front();  // Else cancelled.
      own.pop_front();
    }
    if (own.empty()) {
      queue.by_client.erase(client);
    } else {
      queue.turns.push_back(client);
    }
    if (job != nullptr) return job;
  }
  return nullptr;
}

bool Jobs::TakeBack(const Asked& asked) {
  Job& job = *asked.job;
  if (job.HasEnded()) return false;
  job.wanted.erase(asked.id);
  if (!job.wanted.empty()) return true;
  Cancel(asked.job);
  return false;
}

// A job that has not begun ends here; one that runs, soon.
void Jobs::Cancel(const Shared& job) {
  job->stop.request_stop();
  Forget(job);
  if (job->state == JobState::kQueued) {
    --queues_[static_cast<std::size_t>(job->work.lane)].queued;
    Finish(job, Fail(Errc::kCancelled, "the job was cancelled"));
  }
}

// Nobody joins it any more.
void Jobs::Forget(const Shared& job) {
  const auto same = under_way_.find(job->work.key);
  if (same != under_way_.end() && same->second == job) under_way_.erase(same);
}

void Jobs::Finish(const Shared& job, Result<std::string> answer) {
  const bool is_cancelled = !answer && answer.error().code == Errc::kCancelled;
  job->state = is_cancelled ? JobState::kCancelled : JobState::kDone;
  job->answer = std::move(answer);
  job->work.run = nullptr;
  Forget(job);
  ended_.push_back(job);
  if (ended_.size() > kMostKept) {
    for (const std::string& id : ended_.front()->ids) jobs_.erase(id);
    ended_.pop_front();
  }
  moved_.notify_all();
}

void Jobs::Serve(std::size_t lane) {
  Queue& queue = queues_[lane];
  std::unique_lock lock(mutex_);
  for (;;) {
    const Shared job = Next(queue);
    if (job == nullptr) {
      if (is_ending_) return;
      ++queue.idle;
      begun_.wait(lock);
      --queue.idle;
      continue;
    }
    --queue.queued;
    job->state = JobState::kRunning;
    job->progress = {"started"};
    auto run = std::move(job->work.run);
    const Call call{job->client, job->stop.get_token(),
                    [this, job](const OperationProgress& progress) {
                      const std::lock_guard guard(mutex_);
                      job->progress = progress;
                      ++job->told;
                      moved_.notify_all();
                    }};
    lock.unlock();
    Result<std::string> answer = Caught([&] { return run(call); });
    run = nullptr;  // What it holds may take a while to close.
    lock.lock();
    Finish(job, std::move(answer));
  }
}

Result<JobView> Jobs::Await(std::unique_lock<std::mutex>& lock,
                            const Call& call, const Asked& asked,
                            double wait_s) {
  const Shared& job = asked.job;
  const double end_s = clock_.Monotonic() + wait_s;
  double told_s = clock_.Monotonic();
  std::uint64_t told = job->told;
  double left_s = wait_s;
  while (!job->HasEnded() && left_s > 0.0 && !call.cancelled.stop_requested()) {
    moved_.wait_for(lock, call.cancelled, Span(std::min(left_s, kSilence_s)),
                    [&] { return job->HasEnded() || job->told != told; });
    const double now_s = clock_.Monotonic();
    left_s = end_s - now_s;
    const bool is_time = job->told != told || now_s - told_s >= kSilence_s;
    if (job->HasEnded() || !is_time) continue;
    told = job->told;
    told_s = now_s;
    if (!call.progress) continue;
    const OperationProgress progress = job->progress;
    lock.unlock();
    call.progress(progress);
    lock.lock();
  }
  if (call.cancelled.stop_requested()) {
    return Fail(Errc::kCancelled, "cancelled by the caller");
  }
  return ViewOf(asked);
}

}  // namespace coppice::service
