// The tickets of outside agents.  Who issues one, or takes in what is told,
// does so in one transaction with what it does to the attempt
// (store/write/shared_transaction.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/ids.h"
#include "store/records/model_call.h"
#include "store/records/result.h"

namespace coppice {
struct Ticket;
struct Uuid;
}  // namespace coppice

namespace coppice::store {

class Database;

class Tickets {
 public:
  explicit Tickets(Database& database) : database_(database) {}

  // Its id.  kBusy: the request has one in that place already.  An attempt has
  // one ticket in each epoch at most.
  Result<TicketId> Issue(const Ticket& ticket);

  // kNotFound: there is none.
  Result<Ticket> Find(const Uuid& uuid);

  // Those of that request, by place.
  Result<std::vector<Ticket>> OfRequest(CampaignId campaign,
                                        std::string_view agent,
                                        std::string_view request);

  // The extra by which a lost ticket's candidate came; none: it did not.
  Result<std::optional<Ticket>> ExtraOf(TicketId lost);

  // The lease of an open one, and its attempt's, which it holds: until
  // `deadline_s`.  kLost.
  Result<void> Extend(const Ticket& ticket, double deadline_s);

  // SHA-256 of what was told.
  Result<void> NotePlan(TicketId ticket, std::string_view sha256);
  Result<void> NoteTold(TicketId ticket, std::string_view sha256, double now_s);
  Result<void> NoteGivenUp(TicketId ticket, double now_s);

  // Whether its agent has claimed to have spent anything on the attempt.
  Result<bool> HasClaimed(const Ticket& ticket);
  // Whether the call that a lost ticket was to answer was charged nevertheless.
  Result<bool> IsChargedLate(const Ticket& lost);

  // The call that the agent is to answer, and the request that is charged for
  // it.  kNotFound: none is open.
  struct OpenCall {
    CallId call{};
    WireCallId wire{};
    Role role = Role::kPlan;
    double sent_at_s = 0.0;
    std::string system_prompt;
    std::string user_prompt;
  };
  Result<OpenCall> FindCall(const Ticket& ticket);

  // Nodes in the order in which its agent was shown them, and as what.
  struct Shown {
    NodeId node{};
    std::string kinship;
  };
  Result<std::vector<Shown>> ShownIn(CallId call);

  // How many attempts of the campaign are in flight, and the time at which the
  // first lease of these runs out.
  struct InFlight {
    std::int64_t attempts = 0;
    std::optional<double> first_deadline_s;
  };
  Result<InFlight> CountInFlight(CampaignId campaign);

  // The node of its attempt; none: it has none yet.
  Result<std::optional<NodeId>> NodeOf(AttemptId attempt);

 private:
  Result<void> Note(TicketId ticket, std::string_view sql,
                    std::string_view sha256, double now_s);
  Database& database_;
};

}  // namespace coppice::store
