#include "engine/python_policy/python_policy.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/python_policy/policy_process.h"
#include "search/indexed_policy.h"

namespace coppice::engine {
namespace {

constexpr std::uint64_t kCheckedEach = 16;  // Decisions.

// The children of one text: as many as there are trees at a time.
class Children {
 public:
  Children(PolicyFile policy, PythonTerms terms)
      : policy_(std::move(policy)), terms_(std::move(terms)) {}

  const PolicyFile& policy() const { return policy_; }
  const PythonTerms& terms() const { return terms_; }

  Result<std::unique_ptr<PolicyProcess>> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<PolicyProcess> process = std::move(idle_.back());
        idle_.pop_back();
        return process;
      }
    }
    return PolicyProcess::Begin(policy_, terms_);
  }

  void GiveBack(std::unique_ptr<PolicyProcess> process) {
    const std::lock_guard lock(mutex_);
    if (process) idle_.push_back(std::move(process));
  }

 private:
  const PolicyFile policy_;
  const PythonTerms terms_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PolicyProcess>> idle_;
};

std::string NumberText(std::int64_t node) {
  return "node " + std::to_string(node);
}

std::string ChoiceText(const ChildChoice& choice) {
  std::string text = NumberText(choice.node);
  if (choice.mate) text += " and " + NumberText(*choice.mate);
  return text + " (" + choice.reason + ")";
}

// Why a tree's rule, or the tree, does not let it be chosen.
std::optional<std::string> WhyNot(const search::Tree& tree,
                                  const ChildChoice& choice) {
  const auto is_there = [&](std::int64_t node) {
    return node >= 0 && node < tree.Size();
  };
  const std::string chosen = "chose " + NumberText(choice.node);
  if (!is_there(choice.node)) {
    return chosen + ", and there are " + std::to_string(tree.Size());
  }
  const NodeId node{choice.node};
  const bool is_last_resort = node == kRootNode && tree.Eligible().Count() == 0;
  if (!tree.Eligible().Contains(node) && !is_last_resort) {
    return chosen + ", which is not eligible";
  }
  if (!choice.mate) return std::nullopt;
  const bool may_mate = is_there(*choice.mate) && *choice.mate != choice.node &&
                        tree.Node(NodeId{*choice.mate}).kernel_hash != 0;
  if (may_mate) return std::nullopt;
  return "chose " + NumberText(*choice.mate) +
         " as a mate, which is no other node with a candidate";
}

// The conversation about one tree.
class Session {
 public:
  explicit Session(std::shared_ptr<Children> children)
      : children_(std::move(children)) {}
  ~Session() {
    // One that has failed is asked no more.
    if (failure_) return;
    children_->GiveBack(std::move(asked_));
    children_->GiveBack(std::move(witness_));
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void Add(const NodeSummary& node) {
    if (asked_) asked_->Add(node);
  }
  void SetFlight(NodeId parent, int in_flight) {
    if (asked_) asked_->SetFlight(parent, in_flight);
  }

  search::Selection Select(const search::Tree& tree,
                           const RandomStream& stream) {
    search::Selection selection;
    auto choice =
        failure_ ? tl::unexpected<Error>(*failure_) : Decide(tree, stream);
    if (choice) {
      selection.node = NodeId{choice->node};
      selection.reason = std::move(choice->reason);
      if (choice->mate) selection.mate = NodeId{*choice->mate};
      return selection;
    }
    if (!failure_) {
      failure_ = Error{Errc::kUsage, children_->policy().name + ": decision " +
                                         std::to_string(stream.index()) + ": " +
                                         choice.error().what};
    }
    selection.failure = failure_;
    return selection;
  }

 private:
  Result<ChildChoice> Decide(const search::Tree& tree,
                             const RandomStream& stream) {
    if (!asked_) {
      TRY_ASSIGN(asked_, children_->Take());
      asked_->Learn(tree);
    }
    TRY(choice, asked_->Ask(stream, tree.AttemptsLeft()));
    if (auto why = WhyNot(tree, choice)) return Blame(*why);
    const bool is_checked = children_->terms().check_all ||
                            stream.index() % kCheckedEach == kCheckedEach - 1;
    if (is_checked) TRY_DONE(CheckPure(tree, stream, choice));
    return choice;
  }

  Result<void> CheckPure(const search::Tree& tree, const RandomStream& stream,
                         const ChildChoice& choice) {
    if (!witness_) {
      TRY_ASSIGN(witness_, children_->Take());
    }
    witness_->LearnAnew(tree);
    // Twice: what counts its questions may have been asked as many.
    std::optional<ChildChoice> other;
    for (int i = 0; i < 2 && !other; ++i) {
      TRY(again, witness_->Ask(stream, tree.AttemptsLeft()));
      if (again != choice) other = std::move(again);
    }
    if (!other) return {};
    const std::string& suspects = asked_->traits().suspects;
    return Blame(
        "is not a pure function of the tree: it chose " + ChoiceText(choice) +
        ", and where it was told of the same tree from nothing " +
        ChoiceText(*other) + (suspects.empty() ? "" : "; look at " + suspects));
  }

  // Adds where its method begins.
  tl::unexpected<Error> Blame(const std::string& what) const {
    const std::string& place = asked_->traits().place;
    return Fail(Errc::kUsage, place.empty() ? what : place + ": " + what);
  }

  const std::shared_ptr<Children> children_;
  std::unique_ptr<PolicyProcess> asked_;
  std::unique_ptr<PolicyProcess> witness_;
  std::optional<Error> failure_;
};

class PythonIndex final : public search::TreeIndex {
 public:
  explicit PythonIndex(std::shared_ptr<Children> children)
      : session_(std::make_unique<Session>(std::move(children))) {}

  // Changes the process, and none of the tree's facts.
  Session& session() const { return *session_; }

  void OnAdd(const search::Tree& tree, NodeId node) override {
    session_->Add(tree.Node(node));
  }
  void OnFlight(const search::Tree& tree, NodeId parent) override {
    session_->SetFlight(parent, tree.InFlight(parent));
  }

 private:
  const std::unique_ptr<Session> session_;
};

class PythonPolicy final : public search::IndexedPolicy<PythonIndex> {
 public:
  PythonPolicy(std::shared_ptr<Children> children, const PolicyTraits& traits)
      : children_(std::move(children)), traits_(traits) {}

  std::string_view Name() const override { return children_->policy().name; }
  search::Eligibility Rule() const override { return traits_.rule; }
  bool LooksAhead() const override { return traits_.looks_ahead; }
  std::unique_ptr<search::TreeIndex> MakeIndex() const override {
    return std::make_unique<PythonIndex>(children_);
  }

 private:
  search::Selection Select(const search::Tree& tree, const PythonIndex& index,
                           RandomStream& stream) const override {
    return index.session().Select(tree, stream);
  }

  const std::shared_ptr<Children> children_;
  const PolicyTraits traits_;
};

Result<std::unique_ptr<search::Policy>> MakeOf(
    const std::shared_ptr<Children>& children) {
  auto process = children->Take();
  if (!process) {
    const std::string& name = children->policy().name;
    const std::string& what = process.error().what;
    return Fail(Errc::kUsage,
                what.starts_with(name) ? what : name + ": " + what);
  }
  const PolicyTraits traits = (*process)->traits();
  children->GiveBack(*std::move(process));
  return std::make_unique<PythonPolicy>(children, traits);
}

}  // namespace

Result<std::unique_ptr<search::Policy>> MakePythonPolicy(
    const PolicyFile& policy, const PythonTerms& terms) {
  return MakeOf(std::make_shared<Children>(policy, terms));
}

void LendPythonPolicy(std::string_view typed, const PythonTerms& terms) {
  auto policy = ReadPolicyFile(typed);
  if (!policy) {
    search::AddPolicy(
        typed, typed,
        [error = policy.error()]() -> Result<std::unique_ptr<search::Policy>> {
          return tl::unexpected<Error>(error);
        });
    return;
  }
  const std::string name = policy->name;
  const auto children = std::make_shared<Children>(*std::move(policy), terms);
  search::AddPolicy(typed, name, [children] { return MakeOf(children); });
}

}  // namespace coppice::engine
