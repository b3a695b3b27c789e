#include "engine/python_policy/policy_process.h"

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stop_token>
#include <utility>

namespace coppice::engine {
namespace {

// A rebuilt tree that differs in more than one of so many nodes is told whole.
constexpr std::size_t kManyOf = 4;
// Beyond the time of a decision, for each node that it has to be made from.
constexpr double kSecondsANode = 50e-6;
// The child stops itself where it is too late, and says where that was.
constexpr double kGraceS = 1.0;
constexpr std::size_t kLongestAnswer = std::size_t{1} << 20;  // Bytes.

// What a policy may go by.  Nodes of one tree differ in it only if they count
// for something else than they did.
bool LookAlike(const NodeSummary& a, const NodeSummary& b) {
  return a.parent == b.parent && a.verdict == b.verdict &&
         a.runtime_s == b.runtime_s && a.kernel_hash == b.kernel_hash &&
         a.is_repeat == b.is_repeat && a.is_frozen == b.is_frozen &&
         a.log_hint == b.log_hint && a.cost_s == b.cost_s &&
         a.behaviour.limit == b.behaviour.limit &&
         a.behaviour.family == b.behaviour.family;
}

agents::ChildOptions OptionsOf(const PythonTerms& terms) {
  agents::ChildOptions options;
  // Isolated (-I): no folder of the user's, and no variable, changes it.
  options.arguments = {terms.python, "-I", "-B", terms.script.string(),
                       "serve"};
  options.directory = "/";
  options.output_limit = kLongestAnswer;
  return options;
}

}  // namespace

PolicyProcess::PolicyProcess(const PolicyFile& policy, const PythonTerms& terms)
    : name_(policy.name),
      hello_(HelloLine(policy, terms.timeout_s)),
      terms_(terms),
      added_(NodeLines::Kind::kAdd) {}

Result<std::unique_ptr<PolicyProcess>> PolicyProcess::Begin(
    const PolicyFile& policy, const PythonTerms& terms) {
  std::unique_ptr<PolicyProcess> process(new PolicyProcess(policy, terms));
  TRY_DONE(process->Start());
  return process;
}

Result<void> PolicyProcess::Start() {
  std::promise<Result<std::unique_ptr<agents::LineChild>>> promise;
  auto started = promise.get_future();
  keeper_ =
      std::jthread([promise = std::move(promise), options = OptionsOf(terms_),
                    timer = terms_.timer](const std::stop_token& stop) mutable {
        promise.set_value(agents::LineChild::Start(options, *timer));
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        never.wait(lock, stop, [] { return false; });
      });
  auto child = started.get();
  if (!child) {
    return Fail(Errc::kUsage, name_ + ": " + child.error().what +
                                  "; --policy-python says which runs it");
  }
  child_ = *std::move(child);
  unsent_ = hello_;
  auto line = Exchange();
  if (!line) return Failed(line.error());
  auto traits = ParseHello(*line);
  if (!traits) return Failed(traits.error());
  traits_ = *traits;
  return {};
}

void PolicyProcess::Say(const std::string& line) {
  unsent_ += added_.Take();
  unsent_ += line;
}

void PolicyProcess::Add(const NodeSummary& node) {
  known_.push_back(node);
  added_.Add(node);
  ++untold_;
}

void PolicyProcess::SetFlight(NodeId parent, int in_flight) {
  int& known = in_flight_[parent];
  for (; known < in_flight; ++known) Say(FlightLine(true, parent));
  for (; known > in_flight; --known) Say(FlightLine(false, parent));
  if (known == 0) in_flight_.erase(parent);
}

void PolicyProcess::AddFrom(const search::Tree& tree, std::size_t first) {
  const auto size = static_cast<std::size_t>(tree.Size());
  for (std::size_t i = first; i < size; ++i) {
    Add(tree.Node(NodeId{static_cast<std::int64_t>(i)}));
  }
  // Nodes that had some, and those that have some now.
  std::map<NodeId, int> now;
  for (const auto& [node, count] : in_flight_) now[node] = 0;
  tree.VisitInFlight([&](NodeId node, int count) { now[node] = count; });
  for (const auto& [node, count] : now) SetFlight(node, count);
}

void PolicyProcess::LearnAnew(const search::Tree& tree) {
  known_.clear();
  in_flight_.clear();
  added_.Take();
  unsent_ = TreeLine();
  untold_ = 0;
  AddFrom(tree, 0);
}

void PolicyProcess::Learn(const search::Tree& tree) {
  const std::size_t known = known_.size();
  if (known == 0 || known > static_cast<std::size_t>(tree.Size())) {
    return LearnAnew(tree);
  }
  NodeLines changed(NodeLines::Kind::kQuarantine);
  std::size_t changes = 0;
  for (NodeSummary& node : known_) {
    const NodeSummary& now = tree.Node(node.id);
    if (LookAlike(node, now)) continue;
    if (++changes > known / kManyOf) return LearnAnew(tree);
    node = now;
    changed.Add(now);
  }
  if (changes > 0) {
    Say(changed.Take());
    untold_ += known;
  }
  AddFrom(tree, known);
}

Result<ChildChoice> PolicyProcess::Ask(
    const RandomStream& stream, std::optional<std::int64_t> attempts_left) {
  Say(SelectLine(stream, traits_.looks_ahead ? attempts_left : std::nullopt));
  auto line = Exchange();
  if (!line) return Failed(line.error());
  auto choice = ParseChoice(*line);
  if (!choice) return Failed(choice.error());
  return choice;
}

// Sends what is unsent, and waits for one answer.
Result<std::string> PolicyProcess::Exchange() {
  const double end_s = terms_.timer->Monotonic() + terms_.timeout_s + kGraceS +
                       kSecondsANode * static_cast<double>(untold_);
  TRY_DONE(child_->Send(unsent_, end_s));
  unsent_.clear();
  untold_ = 0;
  return child_->ReadLine(end_s);
}

// Says it in words for whoever wrote the policy.
tl::unexpected<Error> PolicyProcess::Failed(const Error& error) const {
  std::string what;
  if (error.code == Errc::kTimeout) {
    what = "gave no answer in " +
           std::to_string(static_cast<std::int64_t>(terms_.timeout_s)) +
           " s (--policy-timeout-s)";
  } else if (error.code == Errc::kUnavailable) {
    what = "its process died";
  } else {
    what = error.what;
  }
  // An answer that it failed says all that there is to say.
  const std::string complaint =
      error.code == Errc::kUsage ? "" : child_->Complaint();
  if (!complaint.empty()) what += "; it said:\n" + complaint;
  return Fail(Errc::kUsage, std::move(what));
}

}  // namespace coppice::engine
