// coppice spend settle: what calls count as whose outcome nobody knows.
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "config/keys.h"
#include "engine/campaign/process_lock.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/table.h"
#include "engine/process/clock.h"
#include "store/care/maintenance.h"
#include "store/records/parse_number.h"
#include "store/write/settlement.h"

namespace coppice::cli {
namespace {

Result<std::vector<CallId>> CallsNamed(const Invocation& invocation) {
  std::vector<CallId> calls;
  for (const std::string& word : invocation.arguments) {
    const auto number = ParseNumber<std::int64_t>(word);
    if (!number) {
      return Fail(Errc::kUsage, word +
                                    ": no number of a call; the view calls "
                                    "has them as call_id");
    }
    calls.push_back(CallId{*number});
  }
  return calls;
}

nlohmann::ordered_json SettledJson(const store::Settled& one) {
  return {{"call", Index(one.call)},
          {"campaign", one.campaign},
          {"tokens_before", one.tokens_before},
          {"tokens", one.tokens},
          {"usd_before", one.usd_before},
          {"usd", one.usd}};
}

void Print(const store::Settlement& settlement, Streams& streams) {
  for (const store::Settled& one : settlement.settled) {
    streams.out << OneLine(one.campaign) << ": call " << Index(one.call)
                << " counts as " << one.tokens << " tokens and "
                << DollarText(one.usd) << ", no longer as " << one.tokens_before
                << " and " << DollarText(one.usd_before) << "\n";
  }
  for (const std::string& line : settlement.left) {
    streams.out << OneLine(line) << "\n";
  }
  if (settlement.settled.empty() && settlement.left.empty()) {
    streams.out << "nothing to settle: no call is of unknown outcome\n";
  }
}

// What a dead process had sent is in flight no longer.
Result<Exit> RunSettle(const Invocation& invocation, Streams& streams) {
  TRY(calls, CallsNamed(invocation));
  const std::filesystem::path& file = invocation.settings().db;
  TRY(database, store::Database::Open(file, store::Access::kReadWrite));
  const double now_s = engine::SystemClock().UnixSeconds();
  TRY(ended, store::EndOrphans(database, now_s, [&](const std::string& owner) {
        return engine::ProcessLock::IsAlive(file, owner);
      }));
  TRY(settlement,
      store::Settle(database, calls,
                    invocation.Has("used-nothing") ? store::SettleAs::kNothing
                                                   : store::SettleAs::kEstimate,
                    now_s));
  if (invocation.Has("json")) {
    PrintDocument({{"settled", ArrayOf(settlement.settled, SettledJson)},
                   {"left", settlement.left}},
                  streams.out);
  } else {
    Print(settlement, streams);
  }
  if (settlement.left.empty()) return Exit::kDone;
  return Fail(Errc::kUnavailable,
              std::to_string(settlement.left.size()) +
                  " left as reserved, for want of an estimate; --used-nothing "
                  "settles them too");
}

}  // namespace

Verb SpendVerb() {
  return {
      .name = "spend",
      .summary = "settle what lost calls cost; `report spend` adds up",
      .actions = {{.name = "spend settle",
                   .summary =
                       "have lost calls count as what they are likely to have "
                       "used, and no longer as all that they may",
                   .arguments = "[CALL...]",
                   .examples = "  coppice spend settle\n"
                               "  coppice spend settle 12 15 --used-nothing\n",
                   .options = {{"used-nothing", Takes::kNothing, "",
                                "they count as no more than is known of them"},
                               kJsonOption},
                   .settings = config::NamesIn({config::Group::kDatabase}),
                   .run = RunSettle}}};
}

}  // namespace coppice::cli
