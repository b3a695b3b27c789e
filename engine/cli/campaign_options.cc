#include "engine/cli/campaign_options.h"

#include <utility>

#include "engine/campaign/display.h"
#include "engine/documents/open_history.h"
#include "engine/process/terminal_text.h"
#include "store/database.h"
#include "store/write/campaigns.h"

namespace coppice::cli {

std::vector<Option> CampaignOptions() {
  return {{"json", Takes::kNothing, "", "the report as JSON"},
          {"progress", Takes::kText, "auto|terminal|plain|none|json",
           "on stderr (auto)"}};
}

engine::Surface SurfaceOf(const Invocation& invocation, bool is_terminal) {
  const auto wanted = invocation.Text("progress");
  if (wanted == "terminal") return engine::Surface::kTerminal;
  if (wanted == "plain") return engine::Surface::kPlain;
  if (wanted == "none") return engine::Surface::kNone;
  if (wanted == "json") return engine::Surface::kJson;
  return is_terminal ? engine::Surface::kTerminal : engine::Surface::kPlain;
}

Result<engine::Surface> TextSurfaceOf(const Invocation& invocation,
                                      bool is_terminal) {
  const engine::Surface surface = SurfaceOf(invocation, is_terminal);
  if (surface != engine::Surface::kJson) return surface;
  return Fail(Errc::kUsage,
              "--progress json: tells of campaigns one by one; expected auto, "
              "terminal, plain or none");
}

Result<store::CampaignRow> NamedOrChosen(const Invocation& invocation,
                                         Streams& streams,
                                         store::Database& database) {
  if (invocation.arguments.empty()) {
    return ChooseCampaign(invocation, streams, database);
  }
  const std::string& name = invocation.arguments.front();
  TRY_DONE(
      invocation.MustNotHave({"campaign"}, name + " is a campaign already"));
  TRY(rows, store::Campaigns(database).List());
  return CampaignNamed(invocation.settings().db.string(), name,
                       std::move(rows));
}

Result<void> CheckCampaignName(const std::string& name) {
  if (engine::OneLine(name) == name) return {};
  return Fail(Errc::kUsage, "--name " + name + ": has control characters");
}

}  // namespace coppice::cli
