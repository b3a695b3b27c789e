// What a call of host code takes, by a clock that it cannot reach.
//
// Host code shares its process with the events that time it, and could put its
// own in their place.  So many calls, each on data of its own that nobody has
// seen, are timed together by the parent: from before the trusted runner puts
// the data there until it has copied the outputs away, which are judged as
// always.  What that takes beside the calls is known from the root, whose
// process has no host code of anybody's; and it weighs little, divided by the
// number of calls.
#pragma once

#include <memory>

#include "eval/cuda/bench.h"

namespace coppice::eval::cuda {

class HostClock {
 public:
  // `usual`: the workload's bench.  `options`: of a bench with the number that
  // the next workload of these runners has.  `memory_bytes`: of the device.
  static Result<std::unique_ptr<HostClock>> Open(const TrustedRunners& runners,
                                                 CudaBenchOptions options,
                                                 const CudaBench& usual,
                                                 std::uint64_t memory_bytes);

  // A verdict other than kPassed has ended the process or not.
  struct Told : Outcome {
    double call_s = 0.0;
  };

  // `number`: how many workloads the process was opened for before.
  // `expected_s`: what events say that a call takes.  As long as the clock says
  // more, it is asked again, a few times.
  Result<Told> Time(std::shared_ptr<RunnerProcess> process,
                    std::uint32_t number, const RunnerProgram& runner_program,
                    double expected_s, double timeout_s);

 private:
  HostClock() = default;
  Result<void> Renew();
  // What a batch takes beside its calls.
  Result<double> TimeNothing();
  Result<Told> Judge();

  std::unique_ptr<CudaBench> bench_;
  double alone_s_ = 0.0;  // TimeNothing(), before this task met host code.
};

// What the wall clock says of a call is more than what events say, and more
// than how exact it is explains.
bool Exceeds(double call_s, double event_s);

// What is believed of `nothing_s`, where `alone_s` was told before anybody
// could leave work on the device: who makes it seem long makes its calls seem
// short.
double Believed(double nothing_s, double alone_s);

// Calls that are timed together: the more, the less what is beside them counts,
// as far as memory, the protocol and the time for `data_set_cost_s` go.
std::uint32_t BatchSize(const Shapes& shapes, double data_set_cost_s,
                        std::uint64_t memory_bytes);

}  // namespace coppice::eval::cuda
