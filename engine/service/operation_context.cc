#include "engine/service/operation_context.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "engine/service/service.h"
#include "eval/host/replaced_file.h"
#include "eval/host/thread_pool.h"
#include "store/digest.h"

namespace coppice::service {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMostVerdicts = 200'000;
constexpr auto kKeptFor = std::chrono::hours(24 * 7);

// One that is timed, and two that are compiled meanwhile.
constexpr std::size_t kTimed = 3;
constexpr std::size_t kTools = 1;
constexpr std::size_t kCampaigns = 4;

// One more than there are processors: each waits at times, for a disk or for a
// sandbox.  Many more would wait for each other's threads that spin.
std::size_t Checks() { return eval::OtherProcessors() + 2; }

}  // namespace

void RemoveOld(const fs::path& folder) {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto written = entry.last_write_time(error);
    if (!error && now - written > kKeptFor) fs::remove_all(entry.path(), error);
  }
}

OperationContext::OperationContext(Service& service)
    : files_(service.settings().cache_directory / "service"),
      evaluator_pool_(service.config(), service.runner(), service.clock(),
                      Checks()),
      verdicts_(service.verdicts(), kMostVerdicts),
      jobs_({Checks(), kTimed, kTools, kCampaigns}, service.clock()) {
  RemoveOld(files_);
}

std::string OperationContext::Leave(const std::string& name,
                                    const std::string& text) const {
  RemoveOld(files_);        // A service may live for longer than files do.
  std::string here = name;  // A campaign's name may be a stranger's.
  std::ranges::replace_if(
      here, [](char c) { return c == '/' || c == '\0'; }, '_');
  const fs::path file = files_ / here;
  return eval::ReplaceWhole(file, text) ? file.string() : "";
}

std::string TextAddress(std::string_view text) {
  return store::ToHex(store::Sha256(text)).substr(0, 16);
}

OperationContext& OperationContextOf(Service& service) {
  const auto made = service.Part<OperationContext>(
      [&]() -> Result<std::unique_ptr<OperationContext>> {
        return std::make_unique<OperationContext>(service);
      });
  return **made;  // Nothing in making it can fail.
}

}  // namespace coppice::service
