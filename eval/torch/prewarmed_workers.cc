#include "eval/torch/prewarmed_workers.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "eval/torch/trusted_preload.h"
#include "store/records/io_error.h"

namespace coppice::eval::torch {
namespace {

// With their places, which some compilers look for where there is nothing.
Result<ScratchFolder> MakeCaches(const std::filesystem::path& parent) {
  TRY(folder, ScratchFolder::Create(parent));
  for (const char* name : {"triton", "inductor"}) {
    std::error_code error;
    std::filesystem::create_directory(folder.path() / name, error);
    if (error) {
      return Fail(IoErrc(error.value()),
                  folder.path().string() + ": " + error.message());
    }
  }
  return folder;
}

}  // namespace

Result<StandbyWorker> LaunchOne(WorkerOptions options, WorkerRole role) {
  StandbyWorker one{
      .role = role, .cache = {}, .provided = {}, .kernel_worker = nullptr};
  TRY_ASSIGN(one.cache, MakeCaches(options.caches));
  options.cache = one.cache.path();
  TRY_ASSIGN(one.provided, MakeCaches(options.caches));
  options.provided = one.provided.path();
  // Triton compiles in a call.
  if (role == WorkerRole::kBuilder)
    options.limits.call_s = options.limits.load_s;
  TRY_ASSIGN(one.kernel_worker, KernelWorker::Launch(options, role));
  return one;
}

Result<void> Await(const WorkerOptions& options, StandbyWorker& one) {
  TRY_DONE(one.kernel_worker->Ready());
  one.kernel_worker->CompileBy(options.extensions);
  if (options.trusted_preload == nullptr) return {};
  return options.trusted_preload->PutInto(one.provided.path());
}

Result<void> PrewarmedWorkers::Launch(const WorkerOptions& options,
                                      WorkerRole role, std::size_t count) {
  const auto stand = static_cast<std::size_t>(
      std::ranges::count(standing_, role, &StandbyWorker::role));
  for (std::size_t i = stand; i < count; ++i) {
    TRY(one, LaunchOne(options, role));
    standing_.push_back(std::move(one));
  }
  return {};
}

Result<StandbyWorker> PrewarmedWorkers::Take(const WorkerOptions& options,
                                             WorkerRole role) {
  TRY_DONE(Launch(options, role, 1));
  const auto found = std::ranges::find(standing_, role, &StandbyWorker::role);
  StandbyWorker one = std::move(*found);
  standing_.erase(found);
  TRY_DONE(Await(options, one));
  return one;
}

void PrewarmedWorkers::Return(StandbyWorker standing) {
  standing_.push_back(std::move(standing));
}

std::unique_ptr<Problem> PrewarmedWorkers::TakeProblem(
    const WorkerOptions& worker, const ProblemOptions& wanted) {
  std::unique_ptr<Problem> taken = std::move(problem_);
  if (taken != nullptr && !taken->IsOf(worker, wanted)) taken.reset();
  return taken;
}

}  // namespace coppice::eval::torch
