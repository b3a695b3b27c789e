#include "engine/campaign/cut.h"

#include <chrono>
#include <thread>
#include <utility>

#include "store/records/evaluation.h"

namespace coppice::engine {
namespace {

constexpr std::chrono::milliseconds kAgainAfter(10);

}  // namespace

Cut::Cut(Flag& flag, const std::stop_token& stop)
    : flag_(flag), callback_(std::in_place, stop, [this] {
        flag_.Raise();
        is_raised_ = true;
      }) {}

Cut::~Cut() {
  callback_.reset();
  if (is_raised_) flag_.Lower();
}

Result<Evaluation> EvaluateUntil(
    const std::stop_token& stop, Flag& flag, const std::atomic<bool>* is_over,
    const std::function<Result<Evaluation>()>& evaluate) {
  for (;;) {
    {
      const Cut cut(flag, stop);
      if (stop.stop_requested()) {
        return Fail(Errc::kCancelled, "evaluation: cancelled");
      }
      auto evaluation = evaluate();
      const bool is_cut =
          !evaluation && evaluation.error().code == Errc::kCancelled;
      const bool all_end = is_over != nullptr && is_over->load();
      if (!is_cut || all_end || stop.stop_requested()) return evaluation;
    }
    std::this_thread::sleep_for(kAgainAfter);
  }
}

}  // namespace coppice::engine
