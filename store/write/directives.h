// The inbox of what people ask of campaigns, and what became of it
// (store/records/directive.h).  Rows are appended by whoever steers, and taken
// up by whoever reserves (store/write/attempts.h); nothing is ever deleted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/directive.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

class Connection;

struct Appended {
  DirectiveId id{};
  // Somebody else's, on the same subject, that its author had not seen: then
  // nothing was appended, and this is that one's id.
  bool is_conflict = false;
};

// Appends it as pending; a note or pin, which touches no decision, is applied
// at once.  A uuid that the campaign has already is not appended again, so that
// a caller may try again.  `expected_last` is the last directive of the
// campaign that its author had seen; none: he does not care.  Two are on the
// same subject if they name the same node, or neither names one and their kinds
// supersede each other. kUsage: CheckDirective, no such node, nothing of that
// number to lift, or another campaign's uuid.
Result<Appended> AppendDirective(
    Database& database, CampaignId campaign, const Directive& directive,
    std::optional<DirectiveId> expected_last = std::nullopt);

// By id, with texts.
Result<std::vector<Directive>> ReadDirectives(Database& database,
                                              CampaignId campaign);

// Changes whenever ReadDirectives would give something else.  Cheap: one look
// at an index.
struct InboxMark {
  std::int64_t last = -1;  // Id of the newest.
  std::int64_t pending = 0;
  std::int64_t attempts = 0;  // That persons chose.
  bool operator==(const InboxMark&) const = default;
};
Result<InboxMark> ReadInboxMark(Database& database, CampaignId campaign);

// How many wait; of that kind, if one is named.
Result<std::int64_t> CountPending(
    Database& database, CampaignId campaign,
    std::optional<DirectiveKind> kind = std::nullopt);

// A person's choice of a node.
struct Forced {
  DirectiveId directive{};
  std::int64_t decision = 0;
};
// By decision.
Result<std::vector<Forced>> ReadForced(Database& database, CampaignId campaign);

// Whether the view campaigns says so of one; and the names of all such.
Result<bool> IsSteered(Database& database, CampaignId campaign);
Result<std::vector<std::string>> ReadSteered(Database& database);

// kUsage: it was taken up, or withdrawn, before; kNotFound: there is none.
Result<void> WithdrawDirective(Database& database, CampaignId campaign,
                               DirectiveId id);

// Takes up without a reservation what concerns none: pauses, approvals and
// limits.  Budgets that hold become the campaign's: those of attempts and time
// in its row, those of dollars and tokens as its settings cap_usd and
// cap_tokens.  kBusy: one of them waits no longer.
Result<void> TakeUpAlone(Database& database, CampaignId campaign,
                         std::int64_t decision,
                         const std::vector<TakenUp>& taken);

// Private to this folder.  REQUIRES: the caller is inside Connection::Write.
Result<void> TakeUp(Connection& connection, CampaignId campaign,
                    std::int64_t decision, const std::vector<TakenUp>& taken);

}  // namespace coppice::store
