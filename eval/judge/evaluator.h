// Judges candidates: compiles, isolates, checks and times them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/candidate.h"
#include "store/records/environment.h"
#include "store/records/result.h"
#include "store/records/verdict.h"

namespace coppice {
struct Evaluation;
enum class Tier : std::uint8_t;
}  // namespace coppice

namespace coppice::eval {

// Begins what the log of a full evaluation says where no sanitizer could look
// at the candidate; why follows.
inline constexpr std::string_view kNotSanitized = "not sanitized: ";

// Begins what it says of a candidate in Python where they found nothing; who
// they are follows.
inline constexpr std::string_view kSanitized = "clean: ";

// A null candidate (null_candidates.h), or the root, on one workload.
struct Finding {
  std::string candidate;  // A null candidate's name, or "root".
  std::string workload;   // Its uuid; empty if it concerns all.
  // A null candidate that is right by construction, as the mean of an output of
  // one number is, shall pass.
  Verdict expected = Verdict::kWrongOutput;
  Verdict found = Verdict::kInconclusive;
  // Largest error over the allowed one: how far the root is from failing.
  double worst_error_ratio = 0.0;
  // The log of an unexpected verdict, or why a null candidate is right.
  std::string log;

  bool Good() const { return found == expected; }
  // Whether the task is unfit by it.  A null candidate that neither passed nor
  // gave a wrong output, for want of memory say, tells nothing of the task.
  bool Condemns() const {
    if (Good() || found == Verdict::kInconclusive) return false;
    return candidate == "root" || found == Verdict::kPassed ||
           found == Verdict::kWrongOutput;
  }
};

// Whether what is known from before is found out again; kNever: nor what is not
// known.
enum class Anew : std::uint8_t { kNo, kYes, kNever };

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // An Error means that we could not tell (no compiler, no sandbox, disk full,
  // cancelled); whatever the candidate did is in the evaluation's verdict.
  // The task's root is itself a legal candidate.  Blocks; one call at a time.
  virtual Result<Evaluation> Evaluate(const Task& task,
                                      const Candidate& candidate,
                                      Tier tier) = 0;

  // Whether candidates for the task can be judged, as far as that shows
  // without one: kUsage, naming it, if not.  What was found out is kept for
  // Evaluate.  Blocks; not beside another call.
  virtual Result<void> CheckTask(const Task& /*task*/) { return {}; }

  // A candidate will be evaluated soon: what can be done for it without a
  // device, such as compiling it, may be done now.  May be called from any
  // thread, also while another candidate is evaluated, and disturbs no timing.
  // Blocks while it works.  Whatever goes wrong, Evaluate will meet and tell.
  virtual void Prepare(const Task& /*task*/, const Candidate& /*candidate*/) {}

  // What its next evaluations will be made in, as they say it.  None if that is
  // not known before one is made.
  virtual Result<std::optional<Environment>> Where() {
    return std::optional<Environment>();
  }

  // Judges the null candidates by a shorter way than one by one, or
  // knows from before what they do.  Nothing if it has no such way.
  // kUnavailable if they cannot be judged though the task can be used, as far
  // as is known.
  virtual Result<std::vector<Finding>> JudgeNulls(const Task& /*task*/,
                                                  Anew /*anew*/) {
    return std::vector<Finding>{};
  }
};

}  // namespace coppice::eval
