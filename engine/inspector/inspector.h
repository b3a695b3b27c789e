// What the Inspector's page asks: routes over the databases of a server.
//
// A route is a file NAME_route.cc with a function, its declaration in routes.h
// and a row of the table in route_table.cc.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/conversant.h"
#include "engine/clock.h"
#include "engine/http/request.h"
#include "engine/inspector/failure_groups.h"
#include "engine/inspector/files.h"
#include "engine/inspector/tree_cache.h"

namespace coppice::inspector {

struct Terms {
  std::vector<std::filesystem::path> files;
  bool is_read_only = false;  // Only questions are answered.
  std::string user = {};      // Whose name steering bears.
  // Makes who answers questions in words; null: there is nobody.
  std::function<Result<std::unique_ptr<agents::Conversant>>()> assistant = {};
  std::optional<double> assistant_usd_day = {};  // Most that it may cost.
};

class Inspector {
 public:
  // `clock` outlives it.
  Inspector(Terms terms, const engine::Clock& clock)
      : terms_(std::move(terms)), clock_(clock), files_(terms_.files) {}

  // By any thread.
  http::Answer Answer(const http::Request& request);

  // Questions at work are given up, and none begins.
  void End() { is_over_ = true; }

  const Terms& terms() const { return terms_; }
  const engine::Clock& clock() const { return clock_; }
  Files& files() { return files_; }
  TreeCache& trees() { return trees_; }
  PerCampaign<FailureLines>& failures() { return failures_; }

  // Whether so many seconds are over, or the server ends.
  std::function<bool()> Deadline(double seconds) const;

 private:
  const Terms terms_;
  const engine::Clock& clock_;
  std::atomic<bool> is_over_ = false;
  Files files_;
  TreeCache trees_;
  PerCampaign<FailureLines> failures_;
};

}  // namespace coppice::inspector
