// The engine's own search among the configurations of a candidate whose source
// leaves numbers to be tuned (store/records/tuning.h).  It costs no model's
// call, only evaluations.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/result.h"
#include "store/records/tuning.h"

namespace coppice::engine {

// A walk uphill from one configuration: to the next choice of one parameter, in
// the order of its list, up and down, and from where it was faster on.  It ends
// where no such step is left untried.  Pure: equal answers, equal walk.
class ConfigurationWalk {
 public:
  // `start` has been tried: its logarithm of the speedup.
  ConfigurationWalk(std::span<const TuningParameter> parameters,
                    Configuration start, double log_speedup);

  // The one to try now; none: the walk has ended.
  std::optional<Configuration> Next();
  // What that was; none: it failed.
  void Tell(const Configuration& tried, std::optional<double> log_speedup);

 private:
  std::optional<Configuration> Step(std::size_t parameter, bool up) const;

  std::span<const TuningParameter> parameters_;
  Configuration best_;
  double best_log_speedup_;
  std::set<Configuration> tried_;
  // The step that was tried last, which is tried again from where it led to.
  std::size_t parameter_ = 0;
  bool up_ = true;
};

struct TuningTrial {
  Configuration configuration;
  Evaluation evaluation;
};

struct Tuned {
  std::vector<TuningTrial> trials;  // The first is of the author's choice.
  std::size_t best = 0;             // Of them, as ChooseTrial has it.
};

// The trial with the largest speedup, if it is told apart from the author's
// choice; else that.  REQUIRES: the first has a speedup.
std::size_t ChooseTrial(std::span<const TuningTrial> trials);

// Tries at most so many configurations of a source that passed, as `first`
// says. REQUIRES: `parameters` are the source's, `first` has a speedup.
Result<Tuned> Tune(
    const Candidate& candidate, std::span<const TuningParameter> parameters,
    Evaluation first, std::int64_t most_trials,
    const std::function<Result<Evaluation>(const Candidate&)>& judge);

}  // namespace coppice::engine
