#include "engine/service/http_front.h"

#include <nlohmann/json.hpp>

#include "engine/documents/or_null.h"
#include "engine/service/error_json.h"
#include "engine/service/json.h"
#include "engine/service/operation.h"

namespace coppice::service {
namespace {

constexpr std::string_view kPrefix = "/v1/";

http::Answer AnswerWithError(const Error& error) {
  http::Answer answer{HttpStatus(error.code), "application/json",
                      R"({"error":)" + ErrorJson(error) + "}"};
  if (error.code == Errc::kBusy) answer.headers = {{"Retry-After", "5"}};
  return answer;
}

http::Answer ListOfOperations() {
  const auto json = [](const Operation& operation) {
    return Json{{"name", operation.name},
                {"title", operation.title},
                {"description", operation.description},
                {"read_only", operation.effects.read_only},
                {"idempotent", operation.effects.idempotent},
                {"open_world", operation.effects.open_world},
                {"request_schema", Json::parse(operation.request_schema)},
                {"result_schema", Json::parse(operation.result_schema)}};
  };
  const Json all = {{"operations", cli::ArrayOf(Operations(), json)}};
  return {200, "application/json", all.dump()};
}

}  // namespace

bool IsOfOperations(const http::Request& request) {
  return request.path.starts_with(kPrefix);
}

http::Answer AnswerWeb(Service& service, const http::Request& request,
                       Rights rights) {
  const std::string name = request.path.substr(kPrefix.size());
  if (name == "operations" && request.method != "POST") {
    return ListOfOperations();
  }
  const Operation* operation = FindOperation(name);
  if (operation == nullptr) {
    return AnswerWithError(
        {Errc::kNotFound, "there is no operation '" + name.substr(0, 64) +
                              "'; GET /v1/operations lists them"});
  }
  if (request.method != "POST") {
    http::Answer answer = http::Refusal(405, "operations are asked by POST");
    answer.headers = {{"Allow", "POST"}};
    return answer;
  }
  if (rights == Rights::kReading && !operation->effects.read_only) {
    return http::Refusal(405, "this server changes nothing: --read-only");
  }
  const std::string_view client = request.Header("x-coppice-client");
  const Call call{client.empty() ? "http" : std::string(client.substr(0, 64)),
                  service.ending(),
                  {},
                  /*is_remote=*/true};
  const auto answer = Answer(*operation, service, call, request.body);
  if (!answer) return AnswerWithError(answer.error());
  return {200, "application/json", *answer};
}

}  // namespace coppice::service
