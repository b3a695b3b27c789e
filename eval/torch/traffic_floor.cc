#include "eval/torch/traffic_floor.h"

#include <algorithm>
#include <utility>

#include "eval/judge/evaluator.h"
#include "eval/judge/roofline.h"
#include "eval/torch/bench.h"

namespace coppice::eval::torch {

double FloorSeconds(const Writing& writing) {
  if (writing.bytes_per_s <= 0.0) return 0.0;
  return std::max(writing.bytes - writing.cache_bytes, 0.0) /
         writing.bytes_per_s;
}

Result<double> TrafficFloor::BytesPerSecond(double bytes, Anew anew) {
  if (!compiler_) {
    TRY(found, Compiler::Find(options_.cache_directory, options_.timeout_s,
                              options_.cancelled, options_.cache_bytes));
    compiler_.emplace(std::move(found));
  }
  if (!roof_ || anew == Anew::kYes) {
    TRY_ASSIGN(roof_, anew == Anew::kYes
                          ? RaiseRoofline(*compiler_, options_.threads)
                          : FindRoofline(*compiler_, options_.threads));
  }
  return ReadSpeed(*roof_, bytes);
}

Result<Writing> TrafficFloor::LeastWriting(TorchBench& bench,
                                           std::size_t number, Anew anew) {
  if (anew == Anew::kYes) bench.ForgetWriting(number);
  TRY(writing, bench.LeastWriting(number));
  if (IsCpu(options_.device)) {
    TRY_ASSIGN(writing.bytes_per_s, BytesPerSecond(writing.bytes, anew));
  }
  return writing;
}

Result<void> TrafficFloor::Hold(TorchBench& bench, Evaluation& evaluation) {
  auto result = evaluation.workloads.begin();
  for (std::size_t i = 0; i < bench.cases().size(); ++i) {
    if (!bench.cases()[i].is_timed) continue;
    TRY_DONE(HoldOn(bench, i, *result++, evaluation));
  }
  return {};
}

Result<void> TrafficFloor::HoldOn(TorchBench& bench, std::size_t number,
                                  WorkloadResult& result,
                                  Evaluation& evaluation) {
  for (const Anew anew : {Anew::kNo, Anew::kYes}) {
    const auto writing = LeastWriting(bench, number, anew);
    if (!writing && writing.error().code == Errc::kCancelled) {
      return tl::make_unexpected(writing.error());
    }
    if (!writing) {
      evaluation.log += "no floor is known: " + writing.error().what + "\n";
      return {};
    }
    const double floor_s = FloorSeconds(*writing);
    if (floor_s <= 0.0) return {};
    result.floor_s = floor_s;
    if (result.profile) {
      result.profile->roof_bytes_per_s = writing->bytes_per_s;
      result.profile->bytes = floor_s * writing->bytes_per_s;
    }
    // The speed may have been measured at a bad moment.
    if (!IsBelowFloor(result)) return {};
  }
  evaluation.verdict = Verdict::kInconclusive;
  evaluation.log += CondemnBelowFloor(result);
  return {};
}

}  // namespace coppice::eval::torch
