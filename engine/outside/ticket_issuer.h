// Where outside agents ask for attempts and tell what they made of them: any
// program, one attempt at a time or several.  What the engine does for its own
// agents is done for these, too: select, reserve, brief, evaluate, commit, with
// the same rows.  Only who answers is another.
//
// An agent holds an attempt by a ticket (store/records/ticket.h), which
// outlives this process and the agent's.  Whatever is returned here is durable.
//
// By any thread of a process; any number of processes may serve one campaign.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/write/campaigns.h"

namespace coppice {
struct AttemptRecord;
struct CallEnd;
struct Candidate;
enum class Role : std::uint8_t;
class Roles;
enum class Stage : std::uint8_t;
struct Ticket;
}  // namespace coppice

namespace coppice::store {
struct Caps;
}  // namespace coppice::store

namespace coppice::engine {

struct AgentContext;
struct AgentWish;
struct Asked;
struct CampaignParts;
struct ClaimedUse;
class EvaluationQueue;
class Flag;
class Ledger;
class LiveTree;
class Outages;
struct Receipt;
struct TicketOffer;
struct TicketTerms;
struct Told;
struct Understood;
struct Used;

class TicketIssuer {
 public:
  struct Options {
    std::filesystem::path database;
    double lease_s = 60.0;  // For what this process evaluates.
    const std::atomic<bool>* drain = nullptr;  // Not owned; may be null.
    // As in Campaign::Options.
    bool confirm = true;
    Outages* outages = nullptr;
    // The flag that cuts evaluations of `parts`; without it a caller that no
    // longer waits cuts nothing.
    Flag* cut = nullptr;
    // Attempts at the same time, of all agents together.
    std::int64_t most_in_flight = 64;
  };

  // `parts` outlives it, and its database is asked by nobody else meanwhile.
  // REQUIRES: the root was measured.  kBusy if another process has the campaign
  // alone.
  static Result<std::unique_ptr<TicketIssuer>> Open(const CampaignParts& parts,
                                                    store::CampaignRow row,
                                                    Options options);
  ~TicketIssuer();
  TicketIssuer(const TicketIssuer&) = delete;
  TicketIssuer& operator=(const TicketIssuer&) = delete;

  enum class Judging : std::uint8_t {
    kHere,   // By this process, until the node is there.
    kLater,  // By whoever runs the campaign, or asks or tells next.
  };
  // Judges orphans first, unless others do.  kUsage names all that is
  // wrong with the wish; kSpent: a cap would be passed.
  Result<Asked> Ask(const AgentWish& wish, Judging orphans = Judging::kHere);

  // kUsage: it is refused with all reasons, and the ticket stays open; or it
  // was told before, in other words.  kLost: another has the attempt by now.
  // Any other error is of its judging, which is tried again once it is told
  // again; kCancelled: once `stop` was, and its judging was cut, for whoever
  // asks or tells next.
  Result<Receipt> Tell(const Uuid& ticket, const Told& told, Judging judging,
                       const std::stop_token& stop = {});

  // The candidate of a lost ticket as an attempt of its own on the same parent,
  // which counts against the budget; a plan that is told with it is passed
  // over.  kSpent: there is no room for it; kBusy: not now.
  Result<Receipt> TellAsExtra(const Uuid& ticket, const Told& told,
                              Judging judging,
                              const std::stop_token& stop = {});

  // kLost; kUsage: it is not open.
  Result<Ticket> Renew(const Uuid& ticket, double lease_s);

  // The attempt is nobody's then, and the first to be asked for again; where
  // something was claimed for it, it ends without a candidate.
  Result<Receipt> GiveUp(const Uuid& ticket, const std::string& reason,
                         Judging judging = Judging::kHere);

  // Judges what was told to processes that have died since, or to be
  // judged later.  What cannot be judged is left to other processes; who tells
  // it again hears why.
  Result<void> JudgeOrphans(const std::stop_token& stop = {});
  // Whether there are any.
  Result<bool> HasOrphans();

  // Whether nothing is left to be decided, and nothing in flight.
  Result<bool> IsDone();

 private:
  TicketIssuer(const CampaignParts& parts, store::CampaignRow row,
               Options options);

  struct Room {
    std::int64_t limit = 0;  // Decisions at most.
    std::string none_because;
    bool is_spent = false;
  };
  Result<std::optional<Asked>> AskOnce(const AgentWish& wish);
  Result<std::optional<std::vector<TicketOffer>>> OffersOf(
      const AgentWish& wish);
  Result<Room> FindRoom();
  Result<void> HearPeople(const Used& used);
  Result<std::optional<std::string>> RuleThatIsMet(std::int64_t nodes);
  Result<std::vector<Ticket>> Issue(const AgentWish& wish, std::int64_t limit);
  Result<std::optional<Ticket>> IssueOne(const AgentWish& wish,
                                         std::int64_t place,
                                         std::int64_t limit);
  Result<std::optional<AttemptRecord>> FindAttempt(const AgentWish& wish,
                                                   const TicketTerms& terms,
                                                   std::int64_t limit);
  bool TakesAny(Roles roles) const;
  bool IsFor(Roles roles, Stage stage, NodeId parent) const;
  Role RoleOf(Stage stage, NodeId parent) const;
  Result<void> PutQuestion(const Ticket& ticket, const AttemptRecord& attempt,
                           std::optional<double> max_cost_usd);
  Result<void> PutQuestionTo(Role role, const Ticket& ticket,
                             const AttemptRecord& attempt,
                             std::optional<double> max_cost_usd);
  Result<void> PutUnder(const store::Caps& caps, Role role,
                        const Ticket& ticket, const AttemptRecord& attempt,
                        std::optional<double> max_cost_usd);
  Result<TicketOffer> OfferOf(const Ticket& ticket);
  Result<void> Group(const std::function<Result<void>()>& body);

  struct Held;
  Result<Ticket> FindTicket(const Uuid& uuid);
  Result<Held> FindHeld(const Ticket& ticket);
  Result<Understood> Read(const Held& open, const Told& told);
  // The next question of an open ticket.  Caps are asked when a ticket is given
  // and not here, so that no claim is undone because it passes one.
  Result<void> GoOn(const Held& open, Role role, const ClaimedUse& use);
  Result<void> Charge(Held& open, const Told& told, const Error& fault);
  Result<void> TakeIn(const Ticket& ticket, const Told& told, Judging judging);
  Result<void> Take(Held& open, const Told& told, Understood understood,
                    Judging judging);
  Result<void> End(Held& open, const Told& told,
                   const std::optional<Candidate>& candidate,
                   const std::string& none_reason, Judging judging);
  CallEnd EndOf(const Held& open, const std::string& answer,
                const ClaimedUse* use) const;
  Result<Receipt> Lost(const Ticket& ticket, const Told& told);
  Result<Receipt> ToldBefore(const Ticket& ticket, const Told& told,
                             Judging judging, const std::stop_token& stop);
  Result<Receipt> Finish(const Ticket& ticket, Judging judging,
                         const std::stop_token& stop);
  Result<void> Judge(AttemptRecord attempt, const std::stop_token& stop);
  Result<void> SetAside(const AttemptRecord& attempt, const Error& fault);
  Result<void> AwaitNode(AttemptId attempt, const std::stop_token& stop);
  Result<Receipt> ReceiptOf(const Ticket& ticket);
  void CountTime();
  Result<void> Account();
  bool IsDraining() const;
  AgentContext AgentContextNow();

  const CampaignParts& parts_;
  store::CampaignRow row_;
  const Options options_;
  const std::string owner_;  // Of the leases of this process.
  struct Shared;             // By all threads of this process.
  const std::unique_ptr<Shared> shared_;
  EvaluationQueue& queue_;
  LiveTree& live_tree_;  // Its mutex guards all that follows.
  Ledger& ledger_;
  // What could not be judged here, and why: not tried again before it is told
  // again, though it is nobody's.
  std::map<AttemptId, Error> faults_;
  std::set<DirectiveId> limits_;  // People's limits that it goes by.
  int judging_ = 0;               // Attempts, at this time;
  double counted_s_ = 0.0;        // Monotonic: since when that was not counted.
  double used_s_ = 0.0;           // In judging, and not in the file yet.
};

}  // namespace coppice::engine
