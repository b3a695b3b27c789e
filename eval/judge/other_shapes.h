// Shapes that no agent was shown, on which a kernel must be right before it
// counts as the best.
//
// A task's varying axes may take any size from 1 to the largest of its
// workloads, but for those of which a tag says what they are by the others, as
// size:ENDS=N+1 does.  A kernel that knows the sizes by heart, drops a tail or
// takes an axis to be even is right on the workloads and nowhere else.  Sizes
// are drawn by a secret seed, which is told once a candidate has failed by it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eval/judge/call_channel.h"
#include "store/records/evaluation.h"
#include "store/records/random.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// Draws of one seed, each of a kind of its own: a workload with all axes odd
// and up to halved; all small; one long and the others short; any sizes; beside
// powers of two.
inline constexpr int kOtherShapes = 5;

// None of the workloads, and in bytes and operations no larger than the largest
// of them, most a good deal smaller.  Draw `number` in [0, kOtherShapes), at
// the `attempt`-th attempt.  None where WhyShapesAreFixed, or nothing was found
// that is not among the workloads.
std::optional<Workload> DrawOtherShape(const Task& task, std::uint64_t seed,
                                       int number, int attempt);

// What became of both on one such workload, on inputs of one seed.  Where the
// root is not right, nobody has asked the candidate.
struct OnShape {
  Outcome root;
  Outcome candidate;
};
using ShapeJudge = std::function<Result<OnShape>(const Workload& workload,
                                                 std::uint64_t seed)>;

struct OtherShape : Outcome {
  std::string shape;  // "M=7, N=3"; empty if there was none.
  std::string
      of_root{};  // Then: why the root failed on the last that was drawn.
  FailedShape drawn{};
};

// Puts the `number`-th draw on which the root is right before `check`; of
// others a few are tried, and no two draws of a seed are the same shape.  The
// log of a failure says how to draw the same again.
Result<OtherShape> CheckOtherShape(const Task& task, std::uint64_t seed,
                                   int number, const ShapeJudge& check);

// All of them one after the other, until one fails; enters what comes of it.
Result<void> CheckOtherShapes(const Task& task, std::uint64_t seed,
                              const ShapeJudge& check, Evaluation& evaluation);

// The verdict becomes that of the first failure, an inconclusive one if there
// is no other; the log says it, or on which shapes the candidate is right, too,
// and what could not be looked at.
void Enter(const std::vector<OtherShape>& shapes, Evaluation& evaluation);

}  // namespace coppice::eval
