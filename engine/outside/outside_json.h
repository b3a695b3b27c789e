// Offers and receipts as JSON, which verbs print and operations answer.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace coppice {
struct Ticket;
}

namespace coppice::engine {

struct Asked;
struct Receipt;

// {"ticket": ..., "role": "plan", ...}; without an offer "ticket" is null, and
// "reason" says why.  If there are several, the first is in its place and the
// others are in "more".
nlohmann::ordered_json AskedJson(const Asked& asked);
nlohmann::ordered_json ReceiptJson(const Receipt& receipt);
// {"ticket": ..., "state": "open", "deadline_s": ...}
nlohmann::ordered_json TicketJson(const Ticket& ticket);

}  // namespace coppice::engine
