#include "eval/python/ground.h"

#include <algorithm>
#include <utility>

#include "eval/floor.h"

namespace coppice::eval::python {

double FloorSeconds(const Writing& writing) {
  if (writing.bytes_per_s <= 0.0) return 0.0;
  return std::max(writing.bytes - writing.cache_bytes, 0.0) /
         writing.bytes_per_s;
}

Result<double> Ground::BytesPerSecond(double bytes, Anew anew) {
  if (!compiler_) {
    TRY(found, Compiler::Find(options_.cache_directory, options_.timeout_s,
                              options_.cancelled, options_.cache_bytes));
    compiler_.emplace(std::move(found));
  }
  if (!roof_ || anew == Anew::kYes) {
    TRY(roof, anew == Anew::kYes ? RaiseRoof(*compiler_, options_.threads)
                                 : FindRoof(*compiler_, options_.threads));
    roof_ = std::move(roof);
  }
  return ReadSpeed(*roof_, bytes);
}

Result<double> Ground::FloorSeconds(Bench& bench, Anew anew) {
  if (anew == Anew::kYes) bench.ForgetWriting();
  TRY(writing, bench.LeastWriting());
  if (IsCpu(options_.device)) {
    TRY(speed, BytesPerSecond(writing.bytes, anew));
    writing.bytes_per_s = speed;
  }
  return python::FloorSeconds(writing);
}

Result<void> Ground::Hold(Bench& bench, Evaluation& evaluation) {
  WorkloadResult& result = evaluation.workloads.front();
  for (const Anew anew : {Anew::kNo, Anew::kYes}) {
    const auto floor_s = FloorSeconds(bench, anew);
    if (!floor_s && floor_s.error().code == Errc::kCancelled) {
      return tl::make_unexpected(floor_s.error());
    }
    if (!floor_s) {
      evaluation.log += "no floor is known: " + floor_s.error().what + "\n";
      return {};
    }
    if (*floor_s <= 0.0) return {};
    result.floor_s = *floor_s;
    // The speed may have been measured at a bad moment.
    if (!IsBelowFloor(result)) return {};
  }
  evaluation.verdict = Verdict::kInconclusive;
  evaluation.log += CondemnBelowFloor(result);
  return {};
}

}  // namespace coppice::eval::python
