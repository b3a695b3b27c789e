// For benchmarks: the campaign of a file, with so many attempts more to make
// and all that it takes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

namespace coppice::engine {
struct CampaignParts;
}
namespace coppice::eval {
class Evaluator;
}
namespace coppice::store {
struct CampaignRow;
enum class Durability;
}  // namespace coppice::store

namespace coppice {

class PlantedSite {
 public:
  // Models take `latency_s` (MakePacedModel), and requests have a ledger.
  PlantedSite(const std::filesystem::path& file, std::int64_t attempts,
              double latency_s, eval::Evaluator& evaluator,
              store::Durability durability);
  ~PlantedSite();

  const engine::CampaignParts& parts() const;
  const store::CampaignRow& row() const;

 private:
  struct Kept;

  const std::unique_ptr<Kept> kept_;
};

}  // namespace coppice
