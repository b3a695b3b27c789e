// What judging CUDA candidates needs of one workload and outlives them: the
// trusted runner's tensors and data sets (runner/protocol.h), and the root to
// compare with.
//
// Expected values are computed by the trusted runner's process when a
// candidate's outputs for the data set have been committed, and stay in its
// context.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "eval/cuda/kernel_process.h"
#include "store/records/random.h"
#include "store/records/task.h"

namespace coppice::eval::cuda {

class AdversarialInputs;

// The two trusted processes; one of each serves all workloads of a task.
struct TrustedRunners {
  std::shared_ptr<RunnerProcess> trusted_runner;
  std::shared_ptr<RunnerProcess> root;
};

struct CudaBenchOptions {
  RunnerProgram root;
  RunnerProgram oracle;
  std::uint32_t number = 0;  // Of the workload within the task.
  std::uint64_t seed = 0;    // Of all inputs; keep it secret.
  std::uint64_t stream = 0;  // Tells the benches of a seed apart.
  std::unique_ptr<AdversarialInputs> adversarial;  // Of the same workload.
  // Sets, and data sets, for so many calls at a time.  0: the usual ones.
  std::uint32_t batch = 0;
};

class CudaBench {
 public:
  // `task` outlives the bench.
  static Result<std::unique_ptr<CudaBench>> Open(const TrustedRunners& runners,
                                                 CudaBenchOptions options,
                                                 const Task& task,
                                                 const Workload& workload);
  ~CudaBench();

  std::uint32_t sets() const { return sets_; }  // Calls alternate in them.

  const Workload& workload() const { return workload_; }
  const Task& task() const { return task_; }
  const Shapes& shapes() const { return shapes_; }
  std::span<const UniqueFd> tensors() const { return tensors_; }

  // How many plain data sets are kept, and seconds for a new one with its
  // answer.
  std::uint32_t data_sets() const {
    return static_cast<std::uint32_t>(data_.size() - adversarial_kinds_);
  }
  double data_set_cost_s() const { return data_set_cost_s_; }
  // What a call on a data set meets, once this is staged.
  CallSurroundings SurroundingsOf(std::uint32_t data);

  // Fills data set `data` anew; nobody has seen it and its answer is unknown.
  Result<void> Renew(std::uint32_t data);

  // What the task is checked on beside plain inputs, and the data set of one
  // kind, which is made once.
  AdversarialInputs& adversarial() { return *adversarial_; }
  Result<std::uint32_t> AdversarialData(std::size_t kind);

  // The data set's inputs in a set, poison in its outputs.
  Result<void> Stage(std::uint32_t set, std::uint32_t data);

  // What was committed in a set since it was staged.  Asks the oracle first,
  // unless the answer is known.
  Result<CallErrors> Judge(std::uint32_t set, std::uint32_t data);

  // The root on a set that is staged.  A verdict other than kPassed is an
  // error: the root does not fail.
  Result<KernelCall> CallRoot(std::uint32_t set, std::uint32_t data);

  // Calls on the first `count` sets, data set i in set i, by our clock: from
  // before the data are there until the outputs of all sets were committed.
  struct Batch : Outcome {
    double wall_s = 0.0;
  };
  Result<Batch> GoAll(KernelProcess& kernel_process, std::uint32_t count,
                      double timeout_s);

  // All data sets have the scalars of the first: calls of a batch share them.
  void ShareScalars();

  // One checked call of the root on a data set: whether the device still
  // computes, and the root is right there.
  Result<void> CheckRoot(std::uint32_t data = 0);

  KernelProcess& root() { return *root_; }

  // What a call of the root takes while nobody else's process is there.
  double root_alone_s() const { return root_alone_s_; }

  // Whether the root took so much longer than alone that something else must
  // have used the device.
  bool IsSlow(double root_s) const { return root_s > 1.5 * root_alone_s_; }

  // Random numbers that no candidate can foresee.
  std::uint64_t Secret() { return secrets_.NextU64(); }

 private:
  struct Data {
    Cells cells{};
    bool filled = false;
    bool revealed = false;
  };

  CudaBench(const TrustedRunners& runners, CudaBenchOptions options,
            const Task& task, const Workload& workload);
  Result<void> Prepare();
  Result<void> OpenTrustedRunner();
  Result<void> TimeRootAlone();
  void MakePatterns();
  Result<void> Upload(std::uint32_t data, std::size_t input,
                      const SharedMemory& memory);
  Result<RunnerAnswer> Keep(const RunnerRequest& request,
                            std::span<const int> descriptors = {});
  tl::unexpected<Error> Broken(const char* role, const std::string& log) const;
  Control& keeper_control() {
    return *reinterpret_cast<Control*>(keeper_control_.data());
  }

  TrustedRunners runners_;
  CudaBenchOptions options_;
  const Task& task_;
  Workload workload_;
  Shapes shapes_;
  SharedMemory keeper_control_;
  std::vector<UniqueFd> tensors_;
  std::optional<KernelProcess> root_;
  std::unique_ptr<AdversarialInputs> adversarial_;
  std::uint32_t sets_ = 2;
  std::size_t adversarial_kinds_ = 0;
  std::vector<Data> data_;  // The plain ones, then one of each of those.
  RandomStream secrets_;
  std::uint64_t poisonings_ = 0;
  double data_set_cost_s_ = 0.0;
  double root_alone_s_ = 0.0;
};

// REQUIRES: the finding is not faultless.  `log` is what is said of it.
Outcome OutcomeOf(const OutputErrors& finding, std::string log);

// "output C[5, 3] (element 88): got ..." of a finding that is not faultless;
// empty if it is.
std::string DescribeFinding(const OutputErrors& finding,
                            const TensorShape& shape,
                            const Tolerance& tolerance);

}  // namespace coppice::eval::cuda
