// For tests: what campaigns of drifting machines on one file share.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "config/load.h"
#include "engine/process/clock.h"
#include "store/database.h"

namespace coppice {
struct DriftingFile;
struct Task;
}  // namespace coppice
namespace coppice::agents {
class Model;
}
namespace coppice::engine {
class CampaignFactory;
}
namespace coppice::eval {
class Evaluator;
}
namespace coppice::store {
struct CampaignRow;
}

namespace coppice {

class DriftingPlace {
 public:
  // `file` outlives it.
  DriftingPlace(const DriftingFile& file,
                const config::Surroundings& surroundings);
  ~DriftingPlace();

  engine::CampaignFactory& factory() { return *factory_; }
  store::Database& database() { return database_; }
  const engine::Clock& clock() const { return clock_; }
  const std::atomic<bool>& drain() const { return drain_; }

  store::CampaignRow Row(const std::string& name);

  // As far as its budget goes, and until its leader is confirmed.
  void Run(const std::string& name, const Task& task,
           eval::Evaluator& evaluator);

 private:
  bool RunOnce(const std::string& name, const Task& task,
               eval::Evaluator& evaluator);

  const DriftingFile& file_;
  const engine::SystemClock clock_{};
  const std::atomic<bool> drain_{false};
  const config::Loaded loaded_;
  const std::unique_ptr<engine::CampaignFactory> factory_;
  store::Database database_;
  const std::unique_ptr<agents::Model> model_;
};

}  // namespace coppice
