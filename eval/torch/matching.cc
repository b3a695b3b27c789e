#include "eval/torch/matching.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "eval/formats/float8.h"
#include "eval/judge/call_channel.h"
#include "eval/judge/compare.h"
#include "eval/torch/kernel_worker.h"
#include "eval/torch/verdicts.h"

namespace coppice::eval::torch {
namespace {

constexpr double kLeastSize = 1e-8;
constexpr auto kLeastScale = static_cast<float>(kLeastSize);
constexpr double kLowBitShare = 0.95;
constexpr double kBoundless = std::numeric_limits<double>::infinity();

float ElementOf(const std::byte* bytes, DType dtype) {
  switch (dtype) {
    case DType::kFloat8E4M3FN:
      return FromFloat8E4M3FN(std::to_integer<std::uint8_t>(*bytes));
    case DType::kFloat8E5M2:
      return FromFloat8E5M2(std::to_integer<std::uint8_t>(*bytes));
    default:
      return static_cast<float>(ElementValue(bytes, dtype));
  }
}

std::vector<float> FloatsOf(const Returned& tensor) {
  const std::size_t size = BytesPerElement(tensor.dtype);
  std::vector<float> floats(tensor.bytes.size() / size);
  for (std::size_t k = 0; k < floats.size(); ++k) {
    floats[k] = ElementOf(tensor.bytes.data() + k * size, tensor.dtype);
  }
  return floats;
}

struct Apart {
  float absolute;
  float relative;

  // The error over what is allowed; NaN where the relative error is none.
  float Ratio(const Matching& matching) const {
    return std::min(relative / static_cast<float>(matching.relative),
                    absolute / static_cast<float>(matching.absolute));
  }
  bool IsMatch(const Matching& matching) const {
    return !(absolute > static_cast<float>(matching.absolute) &&
             relative > static_cast<float>(matching.relative));
  }
};

Apart Between(float y, float r) {
  const float absolute = std::abs(y - r);
  return {absolute, absolute / (std::abs(r) + kLeastScale)};
}

// If any error of a tensor is NaN, the tensor counts for nothing.
void Widen(double& most, const std::vector<float>& errors) {
  for (const float error : errors) {
    if (std::isnan(error)) return;
  }
  for (const float error : errors) {
    most = std::max(most, static_cast<double>(error));
  }
}

// The elements that are `wrong`, and the first of them.
template <class IsWrong>
Mismatch Find(const std::vector<float>& y, const std::vector<float>& r,
              const Matching& matching, const IsWrong& is_wrong) {
  Mismatch mismatch;
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (!is_wrong(k) || mismatch.wrong++ > 0) continue;
    mismatch.element = k;
    mismatch.got = y[k];
    mismatch.expected = r[k];
    mismatch.allowed =
        std::max(matching.absolute,
                 matching.relative * (std::abs(double{r[k]}) + kLeastSize));
  }
  return mismatch;
}

}  // namespace

Matching MatchingOf(const Task& task) {
  const bool is_low_bit =
      task.definition.name.find("moe_fp8_block_scale") != std::string::npos;
  const EvalConfig& config = task.eval_config;
  return {.least = config.required_matched_ratio.value_or(
              is_low_bit ? kLowBitShare : 1.0),
          .absolute = config.atol,
          .relative = config.rtol};
}

void Match(const Returned& returned, const Returned& expected,
           const Matching& matching, std::size_t i, std::size_t outputs,
           Judgement& judgement) {
  const std::vector<float> y = FloatsOf(returned);
  const std::vector<float> r = FloatsOf(expected);
  const auto fail = [&](const Mismatch& mismatch) {
    const Judgement found = Differing(mismatch, expected, i, outputs);
    judgement.verdict = found.verdict;
    judgement.log = found.log;
  };
  const Mismatch infinite =
      Find(y, r, matching, [&](std::size_t k) { return !std::isfinite(y[k]); });
  if (infinite.wrong > 0) {
    judgement.worst_error_ratio = kBoundless;
    judgement.max_absolute_error = kBoundless;
    judgement.max_relative_error = kBoundless;
    return fail(infinite);
  }
  std::vector<float> absolute(y.size());
  std::vector<float> relative(y.size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    const Apart apart = Between(y[k], r[k]);
    absolute[k] = apart.absolute;
    relative[k] = apart.relative;
    judgement.worst_error_ratio =
        std::max<double>(judgement.worst_error_ratio, apart.Ratio(matching));
  }
  Widen(judgement.max_absolute_error, absolute);
  Widen(judgement.max_relative_error, relative);
  const Mismatch mismatch = Find(y, r, matching, [&](std::size_t k) {
    return !Between(y[k], r[k]).IsMatch(matching);
  });
  const double share =
      1.0 - static_cast<double>(mismatch.wrong) /
                static_cast<double>(std::max<std::size_t>(y.size(), 1));
  if (share < matching.least) fail(mismatch);
}

}  // namespace coppice::eval::torch
