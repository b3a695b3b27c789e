#include "engine/campaign/notices.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "agents/provider/child.h"
#include "agents/provider/timer.h"
#include "engine/campaign/outages.h"
#include "engine/process/terminal_text.h"
#include "engine/steering/constraints.h"
#include "store/records/formatted.h"
#include "store/records/node.h"
#include "store/records/speedup_text.h"

namespace coppice::engine {
namespace {

constexpr double kCommandLimit_s = 30.0;
constexpr double kIdleLook_s = 0.05;
constexpr std::size_t kMostSaid = std::size_t{64} << 10;  // Bytes.

// "1.31x (95 % interval 1.28-1.34) as fast as the root", or that this cannot
// be told.
std::string Beside(const Speedup& best) {
  return SpeedupText(best, kInterval) + " as fast as the root" +
         (best.Sign() == 0 ? " (cannot tell)" : "");
}

// As a line of a mail takes it, whatever a server has put in.
std::string Sentence(const std::string& text) {
  constexpr std::size_t kLongest = 4'000;
  std::string line = OneLine(text);
  if (line.size() > kLongest) line.resize(kLongest);
  return line;
}

}  // namespace

Notices::Notices(const config::Settings& settings, Observer& next,
                 agents::Timer& timer, const std::atomic<bool>& stop,
                 std::function<void(const std::string&)> say)
    : settings_(settings),
      next_(next),
      timer_(timer),
      stop_(stop),
      say_(std::move(say)) {
  if (settings.on_done || settings.on_best || settings.on_trouble ||
      settings.on_steered) {
    thread_ = std::thread([this] { Work(); });
  }
}

Notices::~Notices() {
  if (!thread_.joinable()) return;
  const auto is_idle = [this] {
    const std::lock_guard lock(mutex_);
    return waiting_.empty() && !is_running_;
  };
  const double end_s = timer_.Monotonic() + kCommandLimit_s;
  while (!is_idle() && !stop_.load() && timer_.Monotonic() < end_s) {
    timer_.Wait(kIdleLook_s, &stop_);
  }
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();  // Else each would be begun only to be killed.
    is_ending_ = true;
  }
  give_up_ = true;
  wake_.notify_all();
  thread_.join();
}

void Notices::Begin(const std::string& campaign, const std::string& task,
                    std::int64_t budget, std::function<double()> cost_usd) {
  cost_usd_ = std::move(cost_usd);
  const std::lock_guard lock(mutex_);
  facts_ = {.campaign = campaign, .task = task, .budget = budget};
  is_in_trouble_ = false;
}

void Notices::Note(const Progress& progress) {
  facts_.attempts = progress.attempts;
  facts_.budget = progress.budget_attempts;
  facts_.best = progress.best;
  facts_.speedup = progress.best_speedup;
}

void Notices::Done(const Progress& progress) {
  if (!settings_.on_done) return;
  const double cost_usd = cost_usd_();
  const std::lock_guard lock(mutex_);
  Note(progress);
  facts_.cost_usd = cost_usd;
  Send("done", settings_.on_done, "",
       facts_.campaign + " is done: " + std::to_string(facts_.attempts) +
           " attempts, and " +
           (facts_.best == kRootNode
                ? "nothing beats the root."
                : "the best kernel is " + Beside(facts_.speedup) + "."));
}

void Notices::Trouble(const std::string& why) {
  const std::lock_guard lock(mutex_);
  Send("trouble", settings_.on_trouble, why, facts_.campaign + ": " + why);
}

void Notices::OnCommit(const Progress& progress, const NodeRecord& node) {
  next_.OnCommit(progress, node);
  if (!thread_.joinable()) return;
  const bool is_best = node.id != kRootNode && progress.best == node.id;
  const bool is_told = is_best && settings_.on_best;
  // The thread that commits may use the database.
  const double cost_usd = is_told ? cost_usd_() : 0.0;
  const std::lock_guard lock(mutex_);
  Note(progress);
  is_in_trouble_ = false;
  const std::string& log = node.evaluation.log;
  if (node.evaluation.verdict == Verdict::kNoCandidate &&
      log.find(kBrokeRule) != std::string::npos) {
    Send("steered", settings_.on_steered, log,
         facts_.campaign + ": node " + std::to_string(Index(node.id)) +
             " is no candidate: " + log);
  }
  if (!is_told) return;
  facts_.cost_usd = cost_usd;
  Send("best", settings_.on_best, "",
       facts_.campaign + ": node " + std::to_string(Index(node.id)) + " is " +
           Beside(progress.best_speedup) + ".");
}

void Notices::OnConfirm(const Progress& progress, NodeId leader) {
  next_.OnConfirm(progress, leader);
}

void Notices::OnUnanswered(const Progress& progress, std::int64_t decision,
                           const Error& error) {
  next_.OnUnanswered(progress, decision, error);
  const std::lock_guard lock(mutex_);
  Note(progress);
  if (std::exchange(is_in_trouble_, true)) return;
  Send("trouble", settings_.on_trouble, error.what,
       facts_.campaign + ": an attempt is put off: " + error.what);
}

void Notices::OnSteered(const Progress& progress, const Directive& directive) {
  next_.OnSteered(progress, directive);
  const std::lock_guard lock(mutex_);
  Note(progress);
  const std::string what = SteeredText(directive);
  Send("steered", settings_.on_steered, what, facts_.campaign + ": " + what);
}

void Notices::OnOutage(const Outage& outage) {
  next_.OnOutage(outage);
  if (!outage.is_news) return;
  const std::lock_guard lock(mutex_);
  is_in_trouble_ = true;
  Send("trouble", settings_.on_trouble, outage.what,
       facts_.campaign + ": " + OutageText(outage));
}

void Notices::OnTokens(const Progress& progress) { next_.OnTokens(progress); }

// A best kernel that nobody was told of is no news once there is a better one.
void Notices::Send(const std::string& event,
                   const std::optional<std::string>& command,
                   const std::string& reason, const std::string& message) {
  if (!command) return;
  if (event == "best") {
    std::erase_if(waiting_,
                  [&](const Notice& notice) { return notice.event == event; });
  }
  const auto end = [this](double Interval::*which) {
    const auto& interval = facts_.speedup.interval;
    return interval ? Formatted("%.4g", (*interval).*which) : std::string();
  };
  waiting_.push_back(
      {event,
       *command,
       {"COPPICE_EVENT=" + event,
        "COPPICE_CAMPAIGN=" + Sentence(facts_.campaign),
        "COPPICE_TASK=" + Sentence(facts_.task),
        "COPPICE_DB=" + settings_.db.string(),
        "COPPICE_NODE=" + std::to_string(Index(facts_.best)),
        "COPPICE_SPEEDUP=" + Formatted("%.4g", facts_.speedup.ratio),
        "COPPICE_SPEEDUP_LOW=" + end(&Interval::low),
        "COPPICE_SPEEDUP_HIGH=" + end(&Interval::high),
        "COPPICE_ATTEMPTS=" + std::to_string(facts_.attempts),
        "COPPICE_BUDGET=" + std::to_string(facts_.budget),
        "COPPICE_COST_USD=" + Formatted("%.6f", facts_.cost_usd),
        "COPPICE_REASON=" + Sentence(reason),
        "COPPICE_MESSAGE=" + Sentence(message)}});
  wake_.notify_all();
}

void Notices::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Notice notice = std::move(waiting_.front());
    waiting_.pop_front();
    is_running_ = true;
    lock.unlock();
    Run(notice);
    lock.lock();
    is_running_ = false;
  }
}

void Notices::Run(const Notice& notice) {
  agents::ChildOptions child;
  child.arguments = {"/bin/sh", "-c", notice.command};
  child.environment = agents::ChildEnvironment::kOurs;
  child.variables = notice.variables;
  child.timeout_s = kCommandLimit_s;
  child.output_limit = kMostSaid;
  child.cancel = &give_up_;
  const auto ran = agents::RunChild(child, timer_);
  const std::string name = "--on " + notice.event + ": ";
  if (!ran) {
    say_(name + ran.error().what);
    return;
  }
  for (const std::string& said : {ran->out, ran->errors}) {
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line);) say_(name + line);
  }
  if (ran->exit_code != 0) {
    say_(name + "exit code " + std::to_string(ran->exit_code));
  }
}

}  // namespace coppice::engine
