// What judging needs of one workload and outlives single candidates: shapes,
// input memory, the root's and the oracle's processes, and a pool of inputs
// with their expected outputs.
//
// Expected values are computed by the oracle's process and kept in this
// process; no candidate's process ever maps them.  Each candidate meets at
// least one data set whose answer did not exist while it ran; the pool
// supplies the others, none of which is shown to one process twice.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "eval/cpu/call_plan.h"
#include "eval/cpu/cpu_runner.h"
#include "eval/formats/shapes.h"
#include "eval/host/shared_memory.h"
#include "eval/judge/distributions.h"
#include "eval/judge/operation_count.h"
#include "store/records/random.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

struct DataSet;

struct CpuBenchOptions {
  CpuRunnerOptions session;    // Of the root's and the oracle's process.
  CpuRunnerOptions candidate;  // Of a candidate's process.
  Program root;
  Program oracle;
  std::uint64_t seed = 0;    // Of all inputs; keep it secret.
  std::uint64_t stream = 0;  // Tells the workloads of a seed apart.
  double pool_s = 0.15;      // For filling the pool, at most.
};

class CpuBench {
 public:
  // Starts the oracle and fills the pool.  `task` outlives the bench.
  static Result<std::unique_ptr<CpuBench>> Open(CpuBenchOptions options,
                                                const Task& task,
                                                const Workload& workload);

  // Calls the root while nobody else works.  REQUIRES: no candidate has this
  // bench's inputs before it.
  Result<void> EstimateRoot();

  const Workload& workload() const { return workload_; }
  const Shapes& shapes() const { return shapes_; }
  const CallPlan& plan() const { return plan_; }
  const SharedMemory& inputs() const { return inputs_; }
  std::uint32_t slots() const { return slots_; }
  const std::deque<std::shared_ptr<DataSet>>& pool() const { return pool_; }
  double data_set_cost_s() const { return data_set_cost_s_; }
  // REQUIRES: EstimateRoot() once.
  double root_call_s() const { return root_call_s_; }
  const OperationCount& work() const { return work_; }
  const Program& root() const { return root_.program; }

  // Where root, control and candidate are called from now on; none: anywhere.
  void KeepTo(std::optional<int> processor);
  std::optional<int> processor() const { return processor_; }
  const std::vector<int>& processors() const {
    return options_.candidate.processors;
  }

  // A data set nobody has seen, its answer unknown.
  Result<std::shared_ptr<DataSet>> NewDataSet(
      Distribution distribution = Distribution::kPlain);

  // What the task is checked on beside plain inputs.
  const std::vector<Distribution>& adversarial() const { return adversarial_; }

  // The kept one of that number, from 0 on, or else a new one.
  Result<std::shared_ptr<DataSet>> AdversarialDataSet(Distribution distribution,
                                                      std::size_t number);

  // Asks the oracle, unless it is known.  REQUIRES: the candidate's outputs
  // for this data set, if it is new, have been collected.
  Result<void> Reveal(DataSet& data);

  // Adds a revealed data set to the pool, where the oldest one gives way, or to
  // the adversarial ones, if there is room.
  void Keep(std::shared_ptr<DataSet> data);

  void LoadSlot(std::uint32_t slot, const DataSet& data);

  // Outputs that a kernel may work in hold what the slot's inputs hold; its
  // process is stopped meanwhile.
  void StartOutputs(std::uint32_t slot, const CpuRunner& session) const;

  // Starts runners for candidates to come, until so many stand by or are on
  // their way, and one for the next control.  Does not wait for them, so that
  // they start while a candidate is compiled, or thought of.
  Result<void> Prestart(std::size_t count);

  // A confined runner that has loaded nothing; one that stands by, if any.
  Result<std::unique_ptr<CpuRunner>> TakeRunner();

  // A new pool, of inputs that nobody has seen, for at most 0.05 s: no two
  // sessions share any.
  Result<void> Reseed();

  // Zeros in every slot that has been loaded.
  void ClearSlots();

  // Random numbers that no candidate can foresee.
  std::uint64_t Secret() { return secrets_.NextU64(); }

  // Seconds of the root's process for the slots [0, count), by the wall clock
  // but for what it waited for a processor; its outputs poisoned like a
  // candidate's.
  Result<double> TimeRoot(std::uint32_t count);

  // The same of the control: the root in another process, which stands to the
  // first as a candidate of the root's source would.
  Result<double> TimeControl(std::uint32_t count);

  // Starts another control.
  Result<void> RenewControl();

  // The control, if there is one, stands for the root from now on: no process
  // of the root's, with its luck, shall be what all are held against.
  void PromoteControl();

  // The shortest of `times` doorbells that the root's process answered
  // without a call.
  Result<double> RootDoorbell(int times);

 private:
  // The root's or the oracle's process.  It is started when needed, and again
  // when it has died (it does with the thread that started it).
  struct Trusted {
    const char* role;
    Program program;
    std::unique_ptr<CpuRunner> session;
  };

  CpuBench(CpuBenchOptions options, const Task& task, const Workload& workload);

  Result<void> Prepare();
  Result<void> FillPool(double seconds);
  Result<void> Start(Trusted& trusted, const CallPlan& plan,
                     const SharedMemory& inputs, std::uint32_t slots);
  Result<void> Load(Trusted& trusted, std::unique_ptr<CpuRunner> session);
  CpuRunnerOptions TrustedOptions() const;
  Result<double> Call(Trusted& trusted, const CallPlan& plan,
                      const SharedMemory& inputs, std::uint32_t slots,
                      std::uint32_t count);
  tl::unexpected<Error> Broken(const Trusted& trusted,
                               const ObservedCall& observed) const;

  CpuBenchOptions options_;
  const Task& task_;
  Workload workload_;
  Shapes shapes_;
  CallPlan plan_;
  CallPlan oracle_plan_;
  SharedMemory inputs_;
  SharedMemory oracle_inputs_;  // One slot.
  std::uint32_t slots_ = 0;
  std::uint32_t loaded_slots_ = 0;  // [0, loaded_slots_) hold some inputs.
  Trusted root_;
  Trusted control_;
  std::unique_ptr<CpuRunner> next_control_;  // On its way, with nothing loaded.
  Trusted oracle_;
  std::vector<Distribution> adversarial_;
  std::vector<std::shared_ptr<DataSet>> adversarial_sets_;
  std::size_t adversarial_capacity_ = 0;
  std::deque<std::unique_ptr<CpuRunner>> runners_;  // For candidates to come.
  std::deque<std::shared_ptr<DataSet>> pool_;
  std::size_t pool_capacity_ = 0;
  RandomStream secrets_;
  std::uint64_t next_data_set_ = 0;
  double data_set_cost_s_ = 0.0;  // Generating and answering one.
  double root_call_s_ = 0.0;      // Estimate.
  std::optional<int> processor_;
  OperationCount work_;
};

}  // namespace coppice::eval
