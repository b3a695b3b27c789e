// What an agent in a session prints, read as it comes: by which name it knows
// the session, and what it has cost so far.
//
//   kText    any lines; of those that are JSON objects `session_id`,
//            `total_cost_usd` and `usage` of this run up to now
//   kClaude  `claude -p --output-format stream-json`
//   kCodex   `codex exec --json`
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agents/provider/model_table.h"
#include "agents/provider/prices.h"
#include "store/records/model_call.h"

namespace coppice::agents {

class SessionOutput {
 public:
  // `prices` are those of its tokens, where it tells no money.
  SessionOutput(ExecAnswer form, std::optional<Prices> prices)
      : form_(form), prices_(std::move(prices)) {}

  // The next bytes.  A line of more than a megabyte is passed over.
  void Add(std::string_view bytes);

  const std::string& own_id() const { return own_id_; }
  const std::string& error() const { return error_; }  // In its own words.
  Usage usage() const;
  // Whether it has told of any; what there is counts all the same if it is cut
  // off.
  bool has_usage() const;
  std::optional<double> cost_usd() const;
  // Where cost_usd() is from: "provider", or the version of the prices.
  std::string price_version() const;

 private:
  void ReadLine(std::string_view line);
  void ReadTotals(std::string_view line);

  const ExecAnswer form_;
  const std::optional<Prices> prices_;
  std::string rest_;         // Of a line that has not ended,
  bool is_dropped_ = false;  // which is too long.
  std::string own_id_;
  std::string error_;
  std::optional<double> told_usd_;
  std::optional<Usage> total_;
  std::map<std::string, Usage> of_messages_;  // Until there is a total.
};

}  // namespace coppice::agents
