#include "engine/campaign/live_tree.h"

#include <algorithm>
#include <utility>

#include "engine/campaign/agent_choice.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/process/clock.h"
#include "engine/steering/external_choice.h"
#include "engine/steering/steering.h"
#include "search/policy.h"
#include "search/tree.h"
#include "store/records/random.h"
#include "store/write/attempts.h"
#include "store/write/campaigns.h"
#include "store/write/directives.h"

namespace coppice::engine {

struct LiveTree::Inbox {
  store::InboxMark mark;
  std::vector<Directive> directives;
};

LiveTree::LiveTree(const CampaignParts& parts, const store::CampaignRow& row,
                   LeaseTerms terms)
    : parts_(parts),
      campaign_(row.id),
      seed_(row.spec.seed),
      terms_(std::move(terms)),
      tree_(std::make_unique<search::Tree>(search::MakeTreeFor(parts.policy))),
      inbox_(std::make_unique<Inbox>()),
      frost_(std::make_unique<Frost>()) {}

LiveTree::~LiveTree() = default;

const search::Policy& LiveTree::policy() const {
  return policy_ ? *policy_ : parts_.policy;
}

const FamilyTree& LiveTree::family() const { return *tree_; }

std::int64_t LiveTree::nodes() const { return tree_->Size(); }

const VerdictCounts& LiveTree::verdicts() const { return tree_->Verdicts(); }

const NodeSummary& LiveTree::Node(NodeId node) const {
  return tree_->Node(node);
}

std::optional<NodeId> LiveTree::Best() const { return tree_->Best(); }

Result<void> LiveTree::ReadInbox() {
  TRY(mark, store::ReadInboxMark(parts_.database, campaign_));
  if (mark == inbox_->mark) return {};
  TRY_ASSIGN(inbox_->directives,
             store::ReadDirectives(parts_.database, campaign_));
  inbox_->mark = mark;
  return Enforce();
}

Result<void> LiveTree::Enforce() {
  in_force_ = InForce(inbox_->directives, next_decision_);
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
      inbox_->directives, next_decision_, *tree_, all, ConcernsNoDecision);
  if (taken.empty()) return {};
  const auto done =
      store::TakeUpAlone(parts_.database, campaign_, next_decision_, taken);
  inbox_->mark = {};
  // Whoever was faster has taken it up, or taken it back.
  if (!done && done.error().code == Errc::kBusy) return ReadInbox();
  TRY_DONE(done);
  Tell(taken);
  return ReadInbox();
}

Result<std::set<DirectiveId>> LiveTree::LimitsInForce() const {
  TRY(directives, store::ReadDirectives(parts_.database, campaign_));
  std::set<DirectiveId> limits;
  for (const Directive* each : InForce(directives, next_decision_)) {
    if (each->kind == DirectiveKind::kBudget) limits.insert(each->id);
  }
  return limits;
}

Result<RulesInForce> LiveTree::RulesOn(const AttemptRecord& attempt) const {
  RulesInForce rules;
  TRY_ASSIGN(rules.directives,
             store::ReadDirectives(parts_.database, campaign_));
  rules.in_force = RulesFor(
      InForce(rules.directives, attempt.reservation.decision),
      attempt.reservation.parent,
      [&](NodeId node, NodeId top) { return tree_->IsWithin(node, top); });
  return rules;
}

Result<std::optional<double>> LiveTree::TemperatureFor(
    Role role, const AttemptRecord& attempt) const {
  TRY(directives, store::ReadDirectives(parts_.database, campaign_));
  return FindTemperature(InForce(directives, attempt.reservation.decision),
                         role);
}

const Directive* LiveTree::HeldBackBy(double used_usd) const {
  const Directive* pause = FindPause(in_force_);
  return pause != nullptr ? pause
                          : FindGate(in_force_, next_decision_, used_usd);
}

Result<std::optional<JudgeRequest>> LiveTree::TakeJudgement() {
  for (;;) {
    auto next =
        NextJudgement(inbox_->directives, next_decision_, *tree_, judging_);
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
  inbox_->mark = {};
  TRY_DONE(ReadInbox());
  Tell({{judgement.directive, ""}});
  return {};
}

// `inbox_->directives` says what became of them.
void LiveTree::Tell(const std::vector<TakenUp>& taken) {
  for (const TakenUp& each : taken) {
    const auto found =
        std::ranges::find(inbox_->directives, each.id, &Directive::id);
    if (found != inbox_->directives.end()) news_.push_back(*found);
  }
}

Result<std::optional<AttemptRecord>> LiveTree::Reserve(
    std::int64_t limit, const TicketTerms* ticket) {
  for (;;) {
    TRY_DONE(CatchUp());
    if (next_decision_ >= limit) return std::optional<AttemptRecord>();
    TRY_DONE(ReadInbox());
    const store::InboxMark heard = inbox_->mark;
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
    inbox_->mark = {};
    TRY_DONE(ReadInbox());
    if (next_decision_ == before && inbox_->mark == heard) {
      return tl::unexpected<Error>(std::move(attempt).error());
    }
  }
}

Result<AttemptRecord> LiveTree::Choose(std::int64_t limit,
                                       const TicketTerms* ticket) {
  RandomStream stream(seed_, Purpose::kSelect,
                      static_cast<std::uint64_t>(next_decision_));
  std::vector<TakenUp> taken = TakeUpPending(
      inbox_->directives, next_decision_, *tree_, {}, ConcernsDecision,
      [this](const Directive& each) { return WhyNotAsked(parts_, each); });
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
    TRY_ASSIGN(picks, PickModels(parts_, {*tree_, in_force_, selection.node,
                                          campaign_, seed_, next_decision_}));
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
  if (!taken.empty() || choice.by != nullptr) inbox_->mark = {};
  store::Attempts attempts(parts_.database);
  TRY_ASSIGN(attempt.id, attempts.Reserve(campaign_, attempt.reservation, taken,
                                          attempt.candidate));
  Tell(taken);
  return attempt;
}

}  // namespace coppice::engine
