#include "engine/cli/show_prompts.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>

#include "engine/cli/prompt_text.h"
#include "engine/documents/document.h"
#include "engine/documents/verb.h"
#include "store/database.h"
#include "store/read/trajectories.h"
#include "store/records/model_call.h"
#include "store/write/campaigns.h"

namespace coppice::cli {

Result<Exit> ShowPrompts(const Invocation& invocation,
                         store::Database& database,
                         const store::CampaignRow& campaign, NodeId id,
                         Streams& streams) {
  const std::optional<Role> only = RoleOf(invocation);
  auto calls = nlohmann::ordered_json::array();
  const auto show = [&](const store::Trajectory& call) {
    if (only && call.asked.role != *only) return true;
    calls.push_back({{"role", Name(call.asked.role)},
                     {"call", ToString(call.asked.uuid)},
                     {"decision", call.attempt.decision},
                     {"system", call.asked.system_prompt},
                     {"user", call.asked.user_prompt},
                     {"answer", call.end.answer}});
    if (!invocation.Has("json")) {
      PrintPrompt(call.asked.role, call.asked.system_prompt,
                  call.asked.user_prompt, streams);
    }
    return bool(streams.out);
  };
  TRY_DONE(store::ScanTrajectoriesOf(database, campaign.id, id, show));
  if (invocation.Has("json")) {
    PrintDocument(calls, streams.out);
  } else if (calls.empty()) {
    return Fail(Errc::kUsage,
                campaign.spec.name + ": no " +
                    (only ? std::string(Name(*only)) + " agent" : "agent") +
                    " was asked for node " + std::to_string(Index(id)));
  }
  return Exit::kDone;
}

}  // namespace coppice::cli
