#include "engine/campaign/live_tree.h"

#include <algorithm>
#include <utility>

#include "config/settings.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/model_picks.h"
#include "engine/campaign/named_agents.h"
#include "engine/campaign/process_lock.h"
#include "engine/process/clock.h"
#include "engine/steering/external_choice.h"
#include "engine/steering/steering.h"
#include "search/landscapes/point_text.h"
#include "search/tree.h"
#include "store/care/maintenance.h"
#include "store/read/history.h"
#include "store/read/snapshot.h"
#include "store/records/node.h"
#include "store/records/node_summary.h"
#include "store/records/random.h"
#include "store/write/attempts.h"
#include "store/write/campaigns.h"
#include "store/write/model_picks.h"
#include "store/write/nodes.h"

namespace coppice::engine {

namespace {

// The plan of a point of a landscape shows when it is written.
Behaviour BehaviourOf(const NodeRecord& node) {
  Behaviour behaviour{LimitOf(node.evaluation), TechniqueFamily::kOther};
  if (node.plan) behaviour.family = FamilyOf(node.plan->technique);
  if (!node.candidate || node.candidate->language != Language::kSim) {
    return behaviour;
  }
  const auto point = search::ParsePoint(node.candidate->source);
  if (point) behaviour.family = FamilyOfPart(point->point.part);
  return behaviour;
}

}  // namespace

LiveTree::LiveTree(const CampaignParts& parts, const store::CampaignRow& row,
                   LeaseTerms terms)
    : parts_(parts),
      campaign_(row.id),
      seed_(row.spec.seed),
      terms_(std::move(terms)),
      tree_(std::make_unique<search::Tree>(search::MakeTreeFor(parts.policy))),
      frost_(std::make_unique<Frost>()) {}

LiveTree::~LiveTree() = default;

const search::Policy& LiveTree::policy() const {
  return policy_ ? *policy_ : parts_.policy;
}

Result<void> LiveTree::Rebuild() {
  search::Tree tree = search::MakeTreeFor(policy());
  Frost frost(frost_->marks());
  TRY(snapshot, store::ReadSnapshot(parts_.database, campaign_,
                                    [&](const NodeSummary& node) {
                                      NodeSummary touched = node;
                                      frost.Touch(touched);
                                      tree.Add(touched);
                                    }));
  *frost_ = std::move(frost);
  std::map<std::int64_t, Flight> before = std::exchange(in_flight_, {});
  *tree_ = std::move(tree);
  for (const store::Decided& decided : snapshot.in_flight) {
    TakeOff(decided.decision, decided.parent, false);
    const auto known = before.find(decided.decision);
    if (known != before.end()) in_flight_[decided.decision] = known->second;
  }
  next_decision_ = snapshot.decisions;
  further_ = snapshot.further;
  return {};
}

Result<bool> LiveTree::WouldLead(const Speedup& speedup) const {
  TRY(leaders, store::ReadLeaders(parts_.database, campaign_, 1));
  const Speedup leading =
      leaders.empty() ? Speedup{} : leaders.front().line.speedup.value();
  const Speedup over = Over(speedup, leading);
  return over.interval ? over.Sign() > 0 : over.ratio > 1.0;
}

Result<void> LiveTree::CatchUp() {
  TRY(growth, store::ReadGrowth(parts_.database, campaign_, next_decision_,
                                tree_->Size()));
  if (growth.further != further_) return Rebuild();
  // A parent may be among the arrivals, and an arrival's decision among these.
  auto decided = growth.decided.begin();
  const auto begin_until = [&](std::int64_t nodes) {
    for (; decided != growth.decided.end() && Index(decided->parent) < nodes;
         ++decided) {
      TakeOff(decided->decision, decided->parent, false);
      next_decision_ = decided->decision + 1;
    }
  };
  begin_until(tree_->Size());
  for (const store::Arrival& arrival : growth.arrivals) {
    TRY_DONE(Land(arrival.node, arrival.decision));
    begin_until(tree_->Size());
  }
  return {};
}

void LiveTree::TakeOff(std::int64_t decision, NodeId parent, bool is_ours) {
  in_flight_[decision] = {
      parent, is_ours,
      std::int64_t{tree_->ChildCount(parent)} + tree_->InFlight(parent)};
  tree_->BeginAttempt(parent);
}

Result<void> LiveTree::Land(const NodeSummary& node,
                            std::optional<std::int64_t> decision) {
  if (decision) {
    const auto flight = in_flight_.find(*decision);
    if (flight == in_flight_.end()) {
      return Fail(Errc::kCorrupt, "node " + std::to_string(Index(node.id)) +
                                      " is of decision " +
                                      std::to_string(*decision) +
                                      ", which nothing is made of now");
    }
    tree_->EndAttempt(flight->second.parent);
    in_flight_.erase(flight);
  }
  NodeSummary touched = node;
  frost_->Touch(touched);
  tree_->Add(touched);
  return {};
}

Result<void> LiveTree::ReadInbox() {
  TRY(mark, store::ReadInboxMark(parts_.database, campaign_));
  if (mark == inbox_) return {};
  TRY_ASSIGN(directives_, store::ReadDirectives(parts_.database, campaign_));
  inbox_ = mark;
  return Enforce();
}

Result<void> LiveTree::Enforce() {
  in_force_ = InForce(directives_, next_decision_);
  const Directive* by = FindPolicy(in_force_);
  const std::string wanted = by == nullptr ? "" : by->text;
  std::vector<FreezeMark> marks = FreezeMarks(in_force_);
  if (wanted == policy_text_ && marks == frost_->marks()) return {};
  if (wanted != policy_text_) {
    std::unique_ptr<search::Policy> policy;
    if (by != nullptr) {
      TRY_ASSIGN(policy, search::MakePolicy(wanted));
    }
    // The tree keeps an index for the one before, which must outlive it.
    std::swap(policy_, policy);
    policy_text_ = wanted;
  }
  *frost_ = Frost(std::move(marks));
  search::Tree tree = search::MakeTreeFor(policy());
  for (std::int64_t number = 0; number < tree_->Size(); ++number) {
    NodeSummary node = tree_->Node(NodeId{number});
    frost_->Touch(node);
    tree.Add(node);
  }
  for (const auto& [decision, flight] : in_flight_) {
    tree.BeginAttempt(flight.parent);
  }
  *tree_ = std::move(tree);
  return {};
}

Result<void> LiveTree::HearPeople(const Used& used) {
  TRY_DONE(ReadInbox());
  Used all = used;
  all.attempts = next_decision_;
  const std::vector<TakenUp> taken = TakeUpPending(
      directives_, next_decision_, *tree_, all, ConcernsNoDecision);
  if (taken.empty()) return {};
  const auto done =
      store::TakeUpAlone(parts_.database, campaign_, next_decision_, taken);
  inbox_ = {};
  // Whoever was faster has taken it up, or taken it back.
  if (!done && done.error().code == Errc::kBusy) return ReadInbox();
  TRY_DONE(done);
  Tell(taken);
  return ReadInbox();
}

const Directive* LiveTree::HeldBackBy(double used_usd) const {
  const Directive* pause = FindPause(in_force_);
  return pause != nullptr ? pause
                          : FindGate(in_force_, next_decision_, used_usd);
}

Result<std::optional<JudgeRequest>> LiveTree::TakeJudgement() {
  for (;;) {
    auto next = NextJudgement(directives_, next_decision_, *tree_, judging_);
    if (!next) return next;
    judging_.insert(next->directive);
    if (next->refusal.empty()) return next;
    const auto done =
        store::TakeUpAlone(parts_.database, campaign_, next_decision_,
                           {{next->directive, next->refusal}});
    if (!done && done.error().code != Errc::kBusy) {
      return tl::unexpected<Error>(done.error());
    }
    TRY_DONE(EndJudgement(*next));
  }
}

Result<void> LiveTree::EndJudgement(const JudgeRequest& judgement) {
  judging_.erase(judgement.directive);
  inbox_ = {};
  TRY_DONE(ReadInbox());
  Tell({{judgement.directive, ""}});
  return {};
}

// `directives_` says what became of them.
void LiveTree::Tell(const std::vector<TakenUp>& taken) {
  for (const TakenUp& each : taken) {
    const auto found = std::ranges::find(directives_, each.id, &Directive::id);
    if (found != directives_.end()) news_.push_back(*found);
  }
}

Result<std::optional<AttemptRecord>> LiveTree::Reserve(
    std::int64_t limit, const TicketTerms* ticket) {
  for (;;) {
    TRY_DONE(CatchUp());
    if (next_decision_ >= limit) return std::optional<AttemptRecord>();
    TRY_DONE(ReadInbox());
    const store::InboxMark heard = inbox_;
    auto attempt = Choose(limit, ticket);
    if (attempt) {
      TakeOff(next_decision_++, attempt->reservation.parent,
              attempt->reservation.lease_owner == terms_.owner);
      return std::optional(std::move(*attempt));
    }
    if (attempt.error().code != Errc::kBusy) {
      return tl::unexpected<Error>(std::move(attempt).error());
    }
    // Another process was faster, or SQLite did not come to it.
    const std::int64_t before = next_decision_;
    TRY_DONE(CatchUp());
    inbox_ = {};
    TRY_DONE(ReadInbox());
    if (next_decision_ == before && inbox_ == heard) {
      return tl::unexpected<Error>(std::move(attempt).error());
    }
  }
}

Result<AttemptRecord> LiveTree::Choose(std::int64_t limit,
                                       const TicketTerms* ticket) {
  RandomStream stream(seed_, Purpose::kSelect,
                      static_cast<std::uint64_t>(next_decision_));
  std::vector<TakenUp> taken = TakeUpPending(
      directives_, next_decision_, *tree_, {}, ConcernsDecision,
      [this](const Directive& each) { return WhyNotAsked(each); });
  TRY_DONE(Enforce());
  tree_->SetAttemptsLeft(limit - next_decision_);
  Choice choice = MakeChoice(policy(), *tree_, in_force_, stream);
  search::Selection& selection = choice.selection;
  if (selection.failure) return tl::unexpected(*std::move(selection.failure));
  const bool is_asked_for = ticket != nullptr && ticket->parent;
  if (is_asked_for) {
    selection = ExternalChoice(
        *ticket->parent, ticket->why,
        choice.by == nullptr ? policy().Name() : kHumanPolicy, selection);
    choice.by = nullptr;  // Whose wish waits for the next decision.
  }
  std::vector<ModelPick> picks;
  if (ticket == nullptr) {
    TRY_ASSIGN(picks, PickModels(selection.node));
  }
  const double now = parts_.clock.UnixSeconds();
  AttemptRecord attempt;
  attempt.reservation.uuid = FreshUuid(parts_.clock);
  attempt.reservation.decision = next_decision_;
  attempt.reservation.parent = selection.node;
  attempt.reservation.mate = selection.mate;
  attempt.reservation.policy =
      choice.by == nullptr ? policy().Name() : kHumanPolicy;
  if (is_asked_for) attempt.reservation.policy = kOutsidePolicy;
  attempt.reservation.reason = std::move(selection.reason);
  attempt.reservation.lease_owner = ticket ? ticket->owner : terms_.owner;
  attempt.reservation.lease_until_s =
      now + (ticket ? ticket->lease_s : terms_.lease_s);
  attempt.reservation.reserved_at_s = now;
  attempt.reservation.nodes_seen = tree_->Size();
  attempt.reservation.further_seen = further_;
  attempt.reservation.attempts_left = tree_->AttemptsLeft();
  attempt.reservation.picks = std::move(picks);
  if (choice.by != nullptr) {
    attempt.reservation.directive = choice.by->id;
    if (choice.by->kind == DirectiveKind::kInsert) {
      attempt.reservation.is_inserted = true;
      attempt.reservation.picks.clear();  // Nobody is asked.
      attempt.reservation.lease_owner = terms_.owner;
      attempt.reservation.lease_until_s = now + terms_.lease_s;
      attempt.stage = Stage::kCoded;
      attempt.candidate = Candidate{parts_.task.root.language, choice.by->text,
                                    parts_.task.root.entry_symbol};
    }
  }
  // What was found of people's wishes is to be read again, but where there are
  // none: they were taken up, or their attempts are more by one.
  if (!taken.empty() || choice.by != nullptr) inbox_ = {};
  store::Attempts attempts(parts_.database);
  TRY_ASSIGN(attempt.id, attempts.Reserve(campaign_, attempt.reservation, taken,
                                          attempt.candidate));
  Tell(taken);
  return attempt;
}

// Why the model that somebody names cannot be asked in a role it is named for.
std::string LiveTree::WhyNotAsked(const Directive& directive) const {
  if (directive.kind != DirectiveKind::kModel) return "";
  if (parts_.named == nullptr) return "this campaign can ask no other model";
  for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
    if (directive.role && *directive.role != role) continue;
    const auto agent = parts_.named->Get(role, directive.text);
    if (!agent) return agent.error().what;
  }
  return "";
}

// For those who will be asked, as far as can be told now.
Result<std::vector<ModelPick>> LiveTree::PickModels(NodeId parent) {
  std::vector<ModelPick> picks;
  const bool passes = tree_->Node(parent).verdict == Verdict::kPassed;
  for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
    const bool is_asked = parts_.agents == config::Agents::kAlone
                              ? role == Role::kCode
                              : passes == (role != Role::kDebug);
    if (!is_asked) continue;
    if (const Directive* by = FindModel(in_force_, role)) {
      // Its key may have gone since it was taken up.
      if (std::string why = WhyNotAsked(*by); !why.empty()) {
        return Fail(Errc::kUsage, "directive " + std::to_string(Index(by->id)) +
                                      " of " + by->author + ": " + why +
                                      "; `coppice steer withdraw " +
                                      std::to_string(Index(by->id)) +
                                      "` asks the model of the settings again");
      }
      picks.push_back(NamedPick(role, *by));
      continue;
    }
    const auto roster = std::ranges::find(parts_.rosters, role, &Roster::role);
    if (roster == parts_.rosters.end()) continue;
    TRY(asked, store::ReadAsked(parts_.database, campaign_));
    picks.push_back(PickModel(*parts_.model_rule, role, roster->names,
                              roster->models,
                              {*tree_, asked, seed_, next_decision_}));
  }
  return picks;
}

Result<void> LiveTree::EndOrphans() {
  return store::EndOrphans(parts_.database, parts_.clock.UnixSeconds(),
                           [this](const std::string& owner) {
                             return ProcessLock::IsAlive(terms_.database,
                                                         owner);
                           })
      .map([](const auto&) {});
}

Result<std::optional<AttemptRecord>> LiveTree::AdoptOrphan(
    Orphans orphans, const Wanted& wanted, const TicketTerms* ticket) {
  TRY_DONE(CatchUp());
  if (!HasForeign()) return std::optional<AttemptRecord>();
  store::Attempts attempts(parts_.database);
  TRY(leases, attempts.Leases(campaign_));
  std::map<std::string, bool> lives;
  for (const store::Lease& lease : leases) {
    const auto flight = in_flight_.find(lease.decision);
    if (flight == in_flight_.end() || flight->second.is_ours) continue;
    if (wanted && !wanted(lease.stage, flight->second.parent)) continue;
    if (!lives.contains(lease.owner)) {
      TRY_ASSIGN(lives[lease.owner],
                 ProcessLock::IsAlive(terms_.database, lease.owner));
    }
    const double now = parts_.clock.UnixSeconds();
    const bool waits_for_its_time = orphans == Orphans::kStoppedToo ||
                                    lease.owner.starts_with(kTicketOwner);
    if (lives[lease.owner] && (!waits_for_its_time || lease.until_s > now)) {
      continue;
    }
    auto adopted =
        attempts.Adopt(lease.attempt, ticket ? ticket->owner : terms_.owner,
                       now, now + (ticket ? ticket->lease_s : terms_.lease_s),
                       lives[lease.owner] ? "" : lease.owner);
    if (!adopted && adopted.error().code == Errc::kBusy) continue;
    if (adopted) flight->second.is_ours = ticket == nullptr;
    return std::move(adopted).map([](AttemptRecord&& attempt) {
      return std::optional(std::move(attempt));
    });
  }
  return std::optional<AttemptRecord>();
}

std::int64_t LiveTree::EarlierAttempts(std::int64_t decision) const {
  const auto flight = in_flight_.find(decision);
  return flight == in_flight_.end() ? 0 : flight->second.earlier;
}

bool LiveTree::Take(const AttemptRecord& attempt) {
  const auto flight = in_flight_.find(attempt.reservation.decision);
  if (flight == in_flight_.end()) return false;
  return !std::exchange(flight->second.is_ours, true);
}

void LiveTree::Leave(const AttemptRecord& attempt) {
  const auto flight = in_flight_.find(attempt.reservation.decision);
  if (flight != in_flight_.end()) flight->second.is_ours = false;
}

bool LiveTree::HasForeign() const {
  return std::ranges::any_of(
      in_flight_, [](const auto& flight) { return !flight.second.is_ours; });
}

Result<void> LiveTree::Commit(const AttemptRecord* attempt, NodeRecord& node) {
  store::Nodes nodes(parts_.database);
  const auto holding =
      attempt ? std::optional(attempt->AsHeld()) : std::nullopt;
  for (;;) {
    TRY_DONE(CatchUp());
    node.id = NodeId{tree_->Size()};
    node.behaviour = BehaviourOf(node);
    auto committed =
        nodes.Commit(campaign_, holding, node, parts_.clock.UnixSeconds());
    if (committed) {
      TRY_DONE(CatchUp());
      node.worth.verdict = tree_->Node(node.id).verdict;
      return {};
    }
    if (committed.error().code != Errc::kBusy) return committed;
    TRY_DONE(CatchUp());
    if (NodeId{tree_->Size()} == node.id) return committed;
  }
}

}  // namespace coppice::engine
