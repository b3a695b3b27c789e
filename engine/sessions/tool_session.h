// One run of one session: its folder, its socket, and the rows of its tools.
//
// A call has a row before its tool is run and after.  In a run that goes on
// with a session that was cut off, a call of the same tool with the same
// arguments is answered by its row, each row once; one that had not ended is
// run again.  So nothing that was answered is done twice.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agents/provider/agent_session.h"
#include "engine/campaign/session_opener.h"
#include "engine/mcp/local.h"
#include "engine/mcp/session.h"
#include "engine/sessions/session_services.h"
#include "store/records/session_call.h"
#include "store/write/session_calls.h"

namespace coppice::sessions {

class ToolSession final : public agents::AgentSession {
 public:
  // Settles what its runs before told that they had used, writes the brief and
  // opens the socket.  `services` outlives it.
  static Result<std::unique_ptr<ToolSession>> Open(
      const SessionServices& services, engine::SessionMatter matter);

  const agents::SessionStart& start() const override { return start_; }
  bool HasHandedIn() const override;
  bool HasCalled() const override;
  bool IsSpent() const override;
  agents::SessionProduct Close() override;

 private:
  ToolSession(const SessionServices& services, engine::SessionMatter matter)
      : services_(services), matter_(std::move(matter)) {}

  Result<void> TakeUpRuns();
  void TakeOver(store::SessionRun& run);
  Result<void> Furnish();
  Result<void> WriteTranscript();
  Result<std::string> Ask(std::string_view tool, const std::string& request,
                          const service::Call& call);
  Result<std::string> Execute(std::string_view tool,
                              const std::string& arguments,
                              const service::Call& call);
  Result<std::string> HandIn(const std::string& arguments);
  Result<std::string> Transcript() const;
  // The call to run; none: its row has the answer, which is `answer`.
  Result<std::optional<std::int64_t>> Take(std::string_view tool,
                                           const std::string& arguments,
                                           Result<std::string>& answer);
  Result<std::string> Finish(std::int64_t number, Result<std::string> answer);
  SessionCall& Numbered(std::int64_t number) {
    return calls_[static_cast<std::size_t>(number - 1)];
  }
  std::optional<std::string> LastPassed() const;
  std::string AnswerIn(const std::string& arguments) const;

  const SessionServices& services_;
  const engine::SessionMatter matter_;
  agents::SessionStart start_;
  mcp::Terms terms_;

  mutable std::mutex mutex_;        // Guards all that follows.
  std::vector<SessionCall> calls_;  // By number.
  std::vector<bool> is_used_;       // By number: answered in this run.
  std::int64_t refused_ = 0;        // For want of calls.
  std::int64_t kept_ = 0;           // Long answers.
  bool is_lost_ = false;            // Nothing can be written any more.
  std::optional<std::string> handed_in_;

  std::unique_ptr<mcp::Local> socket_;  // Last: it uses all of the above.
};

}  // namespace coppice::sessions
