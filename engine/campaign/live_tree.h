// The campaign's tree with the attempts in flight on it, and the moves that
// change them.  A move is made in the file first, and other processes may move
// there, too; so each begins with catching up.
//
// Selecting and reserving are one critical section: threads of this process
// exclude each other by the mutex, processes by the number of the decision,
// which only one of them gets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/records/directive.h"
#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/verdict.h"

namespace coppice {
struct AttemptRecord;
class FamilyTree;
struct NodeRecord;
struct NodeSummary;
struct Speedup;
enum class Role : std::uint8_t;
enum class Stage : std::uint8_t;
}  // namespace coppice
namespace coppice::search {
class Policy;
class Tree;
}  // namespace coppice::search
namespace coppice::store {
struct CampaignRow;
}

namespace coppice::engine {

struct CampaignParts;
class Frost;
struct JudgeRequest;
struct Used;

struct LeaseTerms {
  std::filesystem::path database;
  std::string owner;  // Of this process's leases.
  double lease_s = 60.0;
};

// Whose attempts are taken over: those of dead processes, or also of live ones
// whose lease has run out, since they were stopped.
enum class Orphans : std::uint8_t { kDead, kStoppedToo };

struct RulesInForce {
  std::vector<Directive> directives;
  std::vector<const Directive*> in_force;  // Of these.
};

// For whom an attempt is reserved or adopted that an outside agent is to have.
struct TicketTerms {
  std::string owner;  // Ticket::LeaseOwner
  double lease_s = 0.0;
  // The node that the agent wants to go on from; none: the policy chooses.
  std::optional<NodeId> parent{};
  std::string why{};  // It does: the beginning of the reason.
};

class LiveTree {
 public:
  LiveTree(const CampaignParts& parts, const store::CampaignRow& row,
           LeaseTerms terms);
  ~LiveTree();

  // Guards the live tree and parts.database, which has one connection for all
  // threads: SQLite has one writer at a time anyway, and waits for it by
  // sleeping.  All that follows REQUIRES that the caller holds it, or that no
  // other thread works on the campaign: none does before and after attempts.
  std::mutex& mutex() { return mutex_; }

  // From the file alone, but for which attempts are ours.
  Result<void> Rebuild();
  // What others have added since.  Where old nodes count for something else by
  // now, since they were evaluated further, the tree is built anew.
  Result<void> CatchUp();

  const search::Tree& tree() const { return *tree_; }
  const FamilyTree& family() const;  // The same, as windows are made of it.
  // What is asked of the tree most.
  std::int64_t nodes() const;
  const VerdictCounts& verdicts() const;  // Of all nodes.
  const NodeSummary& Node(NodeId node) const;
  std::optional<NodeId> Best() const;

  std::int64_t decisions() const { return next_decision_; }
  std::int64_t further() const { return further_; }  // Evaluations it knows.

  // Whether a candidate of this speedup is faster than the leader by more than
  // both are unsure of; or at all, where intervals are not known.
  Result<bool> WouldLead(const Speedup& speedup) const;

  // Takes up what people asked of the next decision, lets them or the policy
  // choose, and makes the choice an attempt of ours, or a ticket's.  None: as
  // many decisions as `limit` have been made.
  Result<std::optional<AttemptRecord>> Reserve(
      std::int64_t limit, const TicketTerms* ticket = nullptr);

  // Takes up what people asked that concerns no decision: pauses, approvals and
  // limits, with what of these is `used`.
  Result<void> HearPeople(const Used& used);
  // What holds the next attempt back, a pause or a gate; null: nothing does.
  const Directive* HeldBackBy(double used_usd) const;
  // People's limits that hold at the next decision, by the file.
  Result<std::set<DirectiveId>> LimitsInForce() const;
  // What people's rules are on the candidate of an attempt: by its decision,
  // whatever they have asked since.
  Result<RulesInForce> RulesOn(const AttemptRecord& attempt) const;
  // The temperature that they want it to be asked with; none: any.
  Result<std::optional<double>> TemperatureFor(
      Role role, const AttemptRecord& attempt) const;
  // What holds at the next decision, as it was taken up.
  const std::vector<const Directive*>& in_force() const { return in_force_; }
  // The next node that somebody wants judged again, which is nobody's from now
  // on but the caller's; what cannot be is refused here.
  Result<std::optional<JudgeRequest>> TakeJudgement();
  // What came of it is in the file, or another process was faster.
  Result<void> EndJudgement(const JudgeRequest& judgement);
  // What was taken up since this was asked last, each as it is by now.
  std::vector<Directive> TakeNews() { return std::exchange(news_, {}); }

  // What dead processes had sent is under way no longer.
  Result<void> EndOrphans();

  // Takes over the first attempt that is nobody's, for us or for a ticket, of
  // those that are `wanted` at such a stage and on such a parent.  Empty: all
  // are.  What a ticket holds is nobody's once its lease has run out.
  using Wanted = std::function<bool(Stage stage, NodeId parent)>;
  Result<std::optional<AttemptRecord>> AdoptOrphan(
      Orphans orphans, const Wanted& wanted = {},
      const TicketTerms* ticket = nullptr);

  // What a ticket held is ours from now on.  False: it was before, or is over.
  bool Take(const AttemptRecord& attempt);

  // How many attempts on its parent an attempt in flight came after.  0 if
  // another process has taken it over and ended it: its answer will not count.
  std::int64_t EarlierAttempts(std::int64_t decision) const;

  // Leaves an attempt of ours as it is to whoever goes on, or has taken it
  // over.
  void Leave(const AttemptRecord& attempt);

  // Whether others work on attempts, or have left some behind.
  bool HasForeign() const;

  // Numbers the node, commits it, catches up, and says what its verdict is; of
  // no attempt: the root.
  Result<void> Commit(const AttemptRecord* attempt, NodeRecord& node);

 private:
  struct Flight {
    NodeId parent{};
    bool is_ours = false;
    std::int64_t earlier = 0;  // Attempts on the parent.
  };
  void TakeOff(std::int64_t decision, NodeId parent, bool is_ours);
  Result<void> Land(const NodeSummary& node,
                    std::optional<std::int64_t> decision);
  Result<AttemptRecord> Choose(std::int64_t limit, const TicketTerms* ticket);
  Result<void> ReadInbox();
  // Takes these to be in force from now on; the tree follows.
  Result<void> Enforce();
  const search::Policy& policy() const;
  void Tell(const std::vector<TakenUp>& taken);

  const CampaignParts& parts_;
  const CampaignId campaign_;
  const std::uint64_t seed_;
  const LeaseTerms terms_;
  std::mutex mutex_;
  const std::unique_ptr<search::Tree> tree_;
  std::map<std::int64_t, Flight> in_flight_;  // By decision.
  std::int64_t next_decision_ = 0;
  std::int64_t further_ = 0;  // Evaluations of old nodes in the tree.
  struct Inbox;  // What people asked, as far as the file was looked at.
  const std::unique_ptr<Inbox> inbox_;
  std::vector<const Directive*> in_force_;  // Of these, at the next decision.
  std::vector<Directive> news_;
  std::set<DirectiveId> judging_;           // Begun here.
  const std::unique_ptr<Frost> frost_;      // That the tree was grown with.
  std::unique_ptr<search::Policy> policy_;  // By a person's wish.
  std::string policy_text_;                 // What that was.
};

}  // namespace coppice::engine
