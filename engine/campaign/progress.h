// What a running campaign tells whoever watches it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/speedup.h"
#include "store/records/verdict.h"

namespace coppice {
struct Directive;
struct NodeRecord;
}  // namespace coppice

namespace coppice::engine {

struct Outage;  // engine/campaign/outages.h

struct Progress {
  std::string campaign;
  std::int64_t attempts = 0;  // Committed; the root is not one.
  std::int64_t budget_attempts = 0;
  VerdictCounts verdicts{};  // Of attempts.
  std::optional<double> root_runtime_s;
  NodeId best{};
  // Over the root; 1 by definition while that is the best.
  Speedup best_speedup{1.0, Interval{1.0, 1.0}};
  std::int64_t since_gain = 0;  // Attempts after the one that made the best.
  bool nothing_left = false;    // To propose, that was not judged already.
  std::int64_t made_again = 0;  // Rounds that were disturbed, in this process.
  std::int64_t judged_again = 0;  // Evaluations beside attempts, likewise.
  double elapsed_s = 0.0;         // Over all processes of the campaign.
  std::optional<double> left_s;   // Estimate; none before the first attempt.
  int answers_coming = 0;         // Streamed now, by language models,
  std::int64_t tokens_come = 0;   // and about how much of them is here.
};

class Observer {
 public:
  virtual ~Observer() = default;

  // After each commit, the root's too.  `node` is what was committed.
  virtual void OnCommit(const Progress& progress, const NodeRecord& node) = 0;

  // Before a node is measured again, which takes some seconds: one that leads,
  // one that is not decided, or one that a person asks for.
  virtual void OnConfirm(const Progress& progress, NodeId node) = 0;

  // An attempt is put off, since a model gave no answer to it in time.
  virtual void OnUnanswered(const Progress&, std::int64_t /*decision*/,
                            const Error&) {}

  // A device is set aside, as the line says: from any thread.
  virtual void OnAside(const std::string& /*line*/) {}

  // What a person asked was taken up: it holds from now on, or is refused.
  virtual void OnSteered(const Progress&, const Directive&) {}

  // Something of the outside is waited for: once a minute, from any thread.
  virtual void OnOutage(const Outage&) {}

  // Many times a second while answers come.
  virtual void OnTokens(const Progress&) {}
};

}  // namespace coppice::engine
