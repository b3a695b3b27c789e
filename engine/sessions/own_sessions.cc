#include "engine/sessions/own_sessions.h"

#include <optional>
#include <utility>
#include <vector>

#include "agents/provider/model_table.h"
#include "config/load.h"
#include "engine/campaign/session_opener.h"
#include "engine/process/installation.h"
#include "engine/service/operation_context.h"
#include "engine/sessions/session_services.h"
#include "engine/sessions/tool_session.h"

namespace coppice::sessions {
namespace {

class OwnOpener final : public engine::SessionOpener {
 public:
  explicit OwnOpener(SessionServices services)
      : services_(std::move(services)) {}

  Result<std::unique_ptr<agents::AgentSession>> Open(
      engine::SessionMatter matter) const override {
    return ToolSession::Open(services_, std::move(matter));
  }

 private:
  const SessionServices services_;
};

class OwnSessions final : public engine::SessionOpeners {
 public:
  OwnSessions(const config::Loaded& loaded, std::filesystem::path runner,
              const engine::Clock& clock)
      : loaded_(loaded), runner_(std::move(runner)), clock_(clock) {}

  const engine::SessionOpener* OpenerFor(
      const config::Settings& settings, const config::ModelChoice& choice,
      const agents::ModelTable& table) override {
    if (!judging_) judging_.emplace(loaded_, runner_, clock_);
    SessionServices services;
    services.folder = loaded_.settings.cache_directory / "sessions";
    services.program = engine::ExecutablePath();
    services.database = std::filesystem::absolute(loaded_.settings.db);
    services.limits = {settings.session_usd, settings.session_calls,
                       settings.session_s};
    if (const auto* row = table.FindProvider(choice.provider)) {
      services.form = row->answer;
      services.prices = table.PricesOf(choice.model);
    }
    services.ask = [this](const Task& task, std::string_view tool,
                          const std::string& arguments,
                          const service::Call& call) {
      return judging_->Ask(task, tool, arguments, call);
    };
    service::RemoveOld(services.folder);
    return openers_
        .emplace_back(std::make_unique<OwnOpener>(std::move(services)))
        .get();
  }

 private:
  const config::Loaded& loaded_;
  const std::filesystem::path runner_;
  const engine::Clock& clock_;
  std::optional<SessionJudge> judging_;  // Once a session needs it.
  std::vector<std::unique_ptr<OwnOpener>> openers_;
};

}  // namespace

std::unique_ptr<engine::SessionOpeners> MakeOwnSessions(
    const config::Loaded& loaded, const std::filesystem::path& runner,
    const engine::Clock& clock) {
  return std::make_unique<OwnSessions>(loaded, runner, clock);
}

}  // namespace coppice::sessions
