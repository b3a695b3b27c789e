// What takes longer than a caller may wait: jobs, done by threads of the
// service, by lanes of so many at a time.  Within a lane clients take turns,
// and each one's jobs begin as they came.
//
// Who asks for the same while it is under way waits for the same job, by an id
// of its own: that is what is taken back, and the job goes on until all are.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engine/process/clock.h"
#include "engine/service/operation.h"
#include "store/records/result.h"

namespace coppice::service {

// What keeps jobs from each other: processors, a device, nothing much.
enum class Lane : std::uint8_t { kChecks, kTimed, kTools, kCampaigns };
inline constexpr std::size_t kLanes = 4;

enum class JobState : std::uint8_t { kQueued, kRunning, kDone, kCancelled };
std::string_view Name(JobState state);

struct Work {
  Lane lane = Lane::kChecks;
  // Two of one key are one job while it is under way; empty: like no other.
  std::string key{};
  // Its answer, a JSON object, which is kept with the job.  `call.cancelled` is
  // the job's.
  std::function<Result<std::string>(const Call& call)> run{};
};

struct JobView {
  std::string id;
  JobState state = JobState::kQueued;
  OperationProgress progress{};
  Result<std::string> answer = std::string("{}");  // Once it is done.
};

class Jobs {
 public:
  // So many jobs of each lane at a time.  `clock` outlives it.
  Jobs(std::array<std::size_t, kLanes> threads, const engine::Clock& clock);
  // Cancels all jobs, and waits for them.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Begins it, and waits for so long.  kCancelled: the caller was.  kBusy: 128
  // have not begun, and this would be another.
  Result<JobView> Do(const Call& call, Work work, double wait_s);

  // kNotFound: there is no such job, or it was long ago.
  Result<JobView> Wait(const Call& call, const std::string& id, double wait_s);

  // Takes back what was asked for by that id, once however often it is told:
  // the job ends soon, which is waited for a while, unless it has ended or
  // others have asked for the same.
  Result<JobView> Cancel(const Call& call, const std::string& id);

 private:
  struct Job;
  using Shared = std::shared_ptr<Job>;
  struct Asked {
    std::string id;  // Of one who asked for the job.
    Shared job;
  };
  struct Queue {
    std::deque<std::string> turns;  // Clients that have some, in turn.
    std::map<std::string, std::deque<Shared>> by_client;
    std::vector<std::jthread> threads;
    std::size_t idle = 0;    // Threads, some of which were woken already.
    std::size_t queued = 0;  // Jobs that have not begun.
  };

  // REQUIRES, of those that follow: mutex_ is held.
  Result<JobView> Await(std::unique_lock<std::mutex>& lock, const Call& call,
                        const Asked& asked, double wait_s);
  // Whether it goes on nevertheless.
  bool TakeBack(const Asked& asked);
  Result<Shared> Enter(const Call& call, Work work);
  Shared Next(Queue& queue);
  void Finish(const Shared& job, Result<std::string> answer);
  Result<Asked> Find(const std::string& id) const;
  void Cancel(const Shared& job);
  void Forget(const Shared& job);
  static JobView ViewOf(const Asked& asked);

  void Serve(std::size_t lane);

  const std::array<std::size_t, kLanes> most_;
  const engine::Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable_any begun_;  // For lanes.
  std::condition_variable_any moved_;  // For who waits.
  bool is_ending_ = false;
  std::uint64_t given_ = 0;
  std::map<std::string, Shared> jobs_;       // By each of their ids.
  std::deque<Shared> ended_;                 // As they ended.
  std::map<std::string, Shared> under_way_;  // By key.
  std::array<Queue, kLanes> queues_;
};

}  // namespace coppice::service
