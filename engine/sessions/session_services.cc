#include "engine/sessions/session_services.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/service/error_json.h"
#include "engine/service/operation_context.h"
#include "engine/service/service.h"

namespace coppice::sessions {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr double kWait_s = 50.0;  // For one question; then it is asked again.

}  // namespace

SessionJudge::SessionJudge(const config::Loaded& loaded, fs::path runner,
                           const engine::Clock& clock)
    : service_(std::make_unique<service::Service>(
          service::ServiceOptions{loaded, std::move(runner),
                                  loaded.settings.db},
          clock)) {}

SessionJudge::~SessionJudge() = default;

Result<std::string> SessionJudge::Ask(const Task& task, std::string_view tool,
                                      const std::string& arguments,
                                      const service::Call& call) {
  const service::Operation* operation = service::FindOperation(tool);
  if (operation == nullptr) {
    return Fail(Errc::kUsage, "no tool " + std::string(tool));
  }
  service::Service& service = *service_;
  ordered_json request = ordered_json::parse(arguments);
  const bool judges = tool != "get_node";
  if (judges) {
    request["task"] =
        service::OperationContextOf(service).evaluator_pool().Keep(task);
    request["wait_s"] = kWait_s;
  }
  auto answer = Answer(*operation, service, call, request.dump());
  while (answer && judges) {
    ordered_json told = ordered_json::parse(*answer);
    const std::string state = told.value("state", "done");
    if (state == "done") {
      told.erase("job");
      told.erase("state");
      return told.dump();
    }
    if (state == "cancelled" || !told["job"].is_string()) {
      return Fail(Errc::kCancelled, "cancelled");
    }
    answer =
        Answer(*service::FindOperation("get_job"), service, call,
               ordered_json{{"job", told["job"]}, {"wait_s", kWait_s}}.dump());
  }
  return answer;
}

}  // namespace coppice::sessions
