#include "engine/service/service.h"

#include "store/write/verdict_cache.h"

namespace coppice::service {

Service::Service(ServiceOptions options, const engine::Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

Service::~Service() {
  while (!parts_.empty()) parts_.pop_back();
}

std::filesystem::path Service::verdicts() const {
  return options_.verdicts.value_or(settings().cache_directory /
                                    store::VerdictCache::kFileName);
}

Result<std::filesystem::path> Service::database() const {
  if (options_.database) return *options_.database;
  return Fail(Errc::kUsage,
              "this service has no database: start it with --db FILE");
}

}  // namespace coppice::service
