#include "eval/judge/other_shapes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "eval/formats/axis_expression.h"
#include "eval/formats/shapes.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/operation_count.h"

namespace coppice::eval {
namespace {

// One draw is tried so often, until its shape fits.
constexpr int kTries = 32;
// On which the root may fail, before a draw is given up.
constexpr int kAttempts = 4;

// All draws but the first have at most so many bytes, unless an eighth of the
// largest is more.  Inputs are made on the host for each of them, a tenth of a
// second for 64 MB.
constexpr double kBytes = 4 << 20;
// After so many tries axes may be half as long.
constexpr int kTriesOfASize = 4;

constexpr std::int64_t kSmall = 7;
constexpr std::int64_t kShort = 3;

// Draws from [low, high].
std::int64_t Between(std::int64_t low, std::int64_t high,
                     RandomStream& stream) {
  const auto sizes = static_cast<std::uint64_t>(high - low + 1);
  return low + static_cast<std::int64_t>(stream.Below(sizes));
}

// At least half of `most`, or one less.
std::int64_t OddAndLarge(std::int64_t most, RandomStream& stream) {
  const std::int64_t size = Between((most + 1) / 2, most, stream);
  return size % 2 == 0 ? size - 1 : size;
}

// Each power of two is as likely to begin the range that it falls into.
std::int64_t AnySize(std::int64_t most, RandomStream& stream) {
  int doublings = 0;
  while ((std::int64_t{2} << doublings) <= most) ++doublings;
  const std::int64_t low = std::int64_t{1} << Between(0, doublings, stream);
  return Between(low, std::min(2 * low - 1, most), stream);
}

std::int64_t BesideAPowerOfTwo(std::int64_t most, RandomStream& stream) {
  int doublings = 0;
  while ((std::int64_t{2} << doublings) <= most) ++doublings;
  const std::int64_t power = std::int64_t{1} << Between(0, doublings, stream);
  return std::clamp(power + Between(-1, 1, stream), std::int64_t{1}, most);
}

// Draws an axis for a draw of kind `number`; it is chosen if it shall be long.
// `shown` is its size in one of the workloads, `most` its largest.
std::int64_t SizeOf(int number, bool is_chosen, std::int64_t shown,
                    std::int64_t most, RandomStream& stream) {
  switch (number) {
    case 0:
      return OddAndLarge(shown, stream);
    case 1:
      return Between(1, std::min(most, kSmall), stream);
    case 2:
      return is_chosen ? OddAndLarge(most, stream)
                       : Between(1, std::min(most, kShort), stream);
    case 3:
      return AnySize(most, stream);
    default:
      return BesideAPowerOfTwo(most, stream);
  }
}

struct Size {
  double bytes = 0.0;
  double flops = 0.0;
};

using Sizes = std::map<std::string, std::int64_t>;

// Also of types that kernels in C++ do not take.
double BytesOf(const std::vector<TensorSpec>& tensors, const Sizes& sizes) {
  double bytes = 0.0;
  for (const TensorSpec& tensor : tensors) {
    if (!tensor.shape) continue;
    double own = BitsOf(tensor.dtype) / 8.0;
    for (const std::string& axis : *tensor.shape) {
      own *= static_cast<double>(sizes.at(axis));
    }
    bytes += own;
  }
  return bytes;
}

// None if its operations cannot be counted.
std::optional<Size> SizeOf(const Task& task, const Workload& workload) {
  const Definition& definition = task.definition;
  Sizes sizes(workload.axes.begin(), workload.axes.end());
  for (const Axis& axis : definition.axes) {
    if (axis.constant) sizes[axis.name] = *axis.constant;
  }
  const auto flops = StatedFlops(definition, workload);
  if (!flops) return std::nullopt;
  return Size{
      BytesOf(definition.inputs, sizes) + BytesOf(definition.outputs, sizes),
      *flops};
}

// Those that tags say by the others, as size:ENDS=N+1 does.  False: one would
// be no size.
bool GiveDerivedSizes(const Definition& definition, Workload& drawn) {
  constexpr std::string_view kTag = "size:";
  for (const std::string& tag : definition.tags) {
    const std::size_t is = tag.find('=');
    if (!tag.starts_with(kTag) || is == tag.npos) continue;
    const std::string axis = tag.substr(kTag.size(), is - kTag.size());
    Sizes sizes(drawn.axes.begin(), drawn.axes.end());
    for (const Axis& one : definition.axes) {
      if (one.constant) sizes[one.name] = *one.constant;
    }
    const auto size = eval::SizeOf(tag.substr(is + 1), sizes);
    if (!size || *size < 1) return false;
    for (auto& [name, own] : drawn.axes) {
      if (name == axis) own = *size;
    }
  }
  return true;
}

Sizes LargestSizes(const Task& task) {
  Sizes largest;
  for (const Workload& workload : task.workloads) {
    for (const auto& [axis, size] : workload.axes) {
      largest[axis] = std::max(largest[axis], size);
    }
  }
  return largest;
}

// The attempts of each draw: first of all the first one, and no shape twice.
std::array<std::vector<Workload>, kOtherShapes> DistinctDraws(
    const Task& task, std::uint64_t seed) {
  std::array<std::vector<Workload>, kOtherShapes> draws;
  std::set<std::string> seen;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    for (int number = 0; number < kOtherShapes; ++number) {
      auto drawn = DrawOtherShape(task, seed, number, attempt);
      if (!drawn || !seen.insert(ShapeText(*drawn)).second) continue;
      draws[static_cast<std::size_t>(number)].push_back(*std::move(drawn));
    }
  }
  return draws;
}

}  // namespace

std::optional<Workload> DrawOtherShape(const Task& task, std::uint64_t seed,
                                       int number, int attempt) {
  if (WhyShapesAreFixed(task) || task.workloads.empty()) return {};
  const Sizes largest = LargestSizes(task);
  Size most;
  for (const Workload& workload : task.workloads) {
    const auto size = SizeOf(task, workload);
    if (!size) return {};
    most = {std::max(most.bytes, size->bytes),
            std::max(most.flops, size->flops)};
  }
  if (number > 0) {
    most.bytes = std::min(most.bytes, std::max(kBytes, most.bytes / 8));
  }
  RandomStream stream(seed, Purpose::kShapes,
                      static_cast<std::uint64_t>(number * kAttempts + attempt));
  for (int i = 0; i < kTries; ++i) {
    Workload drawn = task.workloads[stream.Below(task.workloads.size())];
    drawn.uuid = "other_shape_" + std::to_string(number);
    const std::uint64_t chosen = stream.Below(drawn.axes.size());
    for (std::size_t axis = 0; axis < drawn.axes.size(); ++axis) {
      auto& [name, size] = drawn.axes[axis];
      const std::int64_t longest = largest.at(name) >> (i / kTriesOfASize);
      size = SizeOf(number, axis == chosen, size,
                    std::max(longest, std::int64_t{1}), stream);
    }
    if (!GiveDerivedSizes(task.definition, drawn)) continue;
    const bool is_shown = std::ranges::any_of(
        task.workloads,
        [&](const Workload& workload) { return workload.axes == drawn.axes; });
    const auto size = SizeOf(task, drawn);
    if (!is_shown && size && size->bytes <= most.bytes &&
        size->flops <= most.flops) {
      return drawn;
    }
  }
  return {};
}

Result<OtherShape> CheckOtherShape(const Task& task, std::uint64_t seed,
                                   int number, const ShapeJudge& check) {
  std::string of_root;
  const auto draws = DistinctDraws(task, seed);
  for (const Workload& drawn : draws.at(static_cast<std::size_t>(number))) {
    RandomStream inputs(seed, Purpose::kInputs,
                        static_cast<std::uint64_t>(number));
    TRY(judged, check(drawn, inputs.NextU64()));
    if (judged.root.verdict != Verdict::kPassed) {
      of_root = ShapeText(drawn) + ": " + judged.root.log;
      // On a quiet machine it may be right: the same seed shall draw the same.
      const bool is_for_time = judged.root.verdict == Verdict::kInconclusive ||
                               judged.root.verdict == Verdict::kTimedOut;
      if (is_for_time) break;
      continue;
    }
    OtherShape shape{std::move(judged.candidate), ShapeText(drawn)};
    shape.drawn = {drawn.axes, seed};
    if (shape.verdict != Verdict::kPassed) {
      shape.log = "on a shape that was not shown, " + shape.shape +
                  " (--shapes-seed " + std::to_string(seed) +
                  " draws it again): " + shape.log;
    }
    return shape;
  }
  return OtherShape{{}, "", std::move(of_root)};
}

Result<void> CheckOtherShapes(const Task& task, std::uint64_t seed,
                              const ShapeJudge& check, Evaluation& evaluation) {
  std::vector<OtherShape> shapes;
  for (int number = 0; number < kOtherShapes; ++number) {
    TRY(shape, CheckOtherShape(task, seed, number, check));
    shapes.push_back(std::move(shape));
    const Verdict verdict = shapes.back().verdict;
    if (verdict != Verdict::kPassed && verdict != Verdict::kInconclusive) break;
  }
  Enter(shapes, evaluation);
  return {};
}

void Enter(const std::vector<OtherShape>& shapes, Evaluation& evaluation) {
  std::string list;
  bool is_any_missing = false;
  std::string of_root;
  const OtherShape* failed = nullptr;  // The first; or of which none can tell.
  for (const OtherShape& shape : shapes) {
    if (shape.verdict != Verdict::kPassed) {
      if (failed == nullptr || (failed->verdict == Verdict::kInconclusive &&
                                shape.verdict != Verdict::kInconclusive)) {
        failed = &shape;
      }
      continue;
    }
    if (!shape.of_root.empty()) of_root = shape.of_root;
    if (shape.shape.empty()) {
      is_any_missing = is_any_missing || shape.of_root.empty();
      continue;
    }
    list += (list.empty() ? "" : "; ") + shape.shape;
  }
  if (failed != nullptr) {
    evaluation.verdict = failed->verdict;
    evaluation.breach = failed->breach;
    evaluation.log += failed->log;
    evaluation.failed_shape = failed->drawn;
    return;
  }
  if (!list.empty()) {
    evaluation.log += "also right on shapes that were not shown: " + list +
                      (is_any_missing ? " (no others were found)\n" : "\n");
  }
  if (of_root.empty()) return;
  evaluation.log +=
      "some shapes were not looked at, for the root fails there, as on " +
      of_root + (of_root.ends_with('\n') ? "" : "\n");
}

}  // namespace coppice::eval
