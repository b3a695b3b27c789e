#include "eval/cuda/runner_pool.h"

#include <chrono>
#include <thread>

namespace coppice::eval::cuda {
namespace {

constexpr int kMostStarts = 4;
constexpr double kRestartSeconds = 0.5;

}  // namespace

RunnerOptions RunnerPool::OptionsFor(
    const std::filesystem::path& libraries) const {
  RunnerOptions options = options_;
  options.libraries = libraries;
  return options;
}

Result<Runner> RunnerPool::Start() const {
  TRY(started, RunnerProcess::Start(options_));
  return Runner(std::move(started));
}

Result<void> RunnerPool::StartNext() {
  if (next_ != nullptr) return {};
  TRY_ASSIGN(next_, Start());
  return {};
}

Result<Runner> RunnerPool::Take(const std::filesystem::path& libraries) {
  Runner runner = libraries.empty() ? std::exchange(next_, nullptr) : Runner();
  for (int start = 1;; ++start) {
    if (runner == nullptr) {
      TRY_ASSIGN(runner, RunnerProcess::Start(OptionsFor(libraries)));
    }
    const auto ready = runner->Ready();
    if (ready) return runner;
    const bool final =
        start == kMostStarts || ready.error().code == Errc::kCancelled;
    if (final) return tl::unexpected(ready.error());
    // The driver may still be taking memory back that the one before had taken
    // all of.
    runner.reset();
    std::this_thread::sleep_for(std::chrono::duration<double>(kRestartSeconds));
  }
}

}  // namespace coppice::eval::cuda
