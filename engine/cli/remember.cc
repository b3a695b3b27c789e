#include "engine/cli/remember.h"

#include <cstdint>
#include <filesystem>
#include <string>

#include "config/settings.h"
#include "engine/campaign/display.h"
#include "engine/cli/campaign_means.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/memory.h"
#include "engine/process/clock.h"
#include "store/database.h"
#include "store/records/lesson.h"
#include "store/write/campaigns.h"
#include "store/write/lessons.h"

namespace coppice::cli {

void Remember(const store::CampaignRow& row, const CampaignMeans& means) {
  if (means.factory.settings().remember != "yes") return;
  const auto keep = [&]() -> Result<void> {
    const std::string file =
        std::filesystem::absolute(means.factory.settings().db).string();
    TRY(lessons, engine::EvidenceOf(means.database, file, row.spec.name));
    if (lessons.empty()) {
      means.display.Say(row.spec.name +
                        ": nothing to remember: no plan became a kernel");
      return {};
    }
    TRY(library,
        engine::OpenLibrary(means.factory.settings(), store::Access::kCreate));
    return store::KeepLessons(library, lessons,
                              means.factory.clock().UnixSeconds())
        .map([](std::int64_t) {});
  };
  if (const auto kept = keep(); !kept) {
    means.display.Say(row.spec.name +
                      ": is not remembered: " + kept.error().what +
                      "; `coppice resume --remember yes` tries again");
  }
}

}  // namespace coppice::cli
