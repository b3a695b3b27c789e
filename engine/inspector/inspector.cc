#include "engine/inspector/inspector.h"

#include <algorithm>

#include "engine/inspector/routes.h"

namespace coppice::inspector {
namespace {

int StatusOf(Errc code) {
  switch (code) {
    case Errc::kUsage:
    case Errc::kTimeout:
      return 400;
    case Errc::kNotFound:
      return 404;
    default:
      return 503;
  }
}

constexpr std::string_view kModels = "/models/";

bool IsPage(const http::Request& request) {
  return request.path != "/events" && !request.path.starts_with("/api/") &&
         !request.path.starts_with(kModels);
}

}  // namespace

std::function<bool()> Inspector::Deadline(double seconds) const {
  const double until_s = clock_.Monotonic() + seconds;
  return [this, until_s] { return is_over_ || clock_.Monotonic() > until_s; };
}

http::Answer Inspector::Answer(const http::Request& request) {
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  const auto routes = Routes();
  const auto is_there = [&](const Route& route) {
    return route.path == request.path;
  };
  const auto route = std::ranges::find_if(routes, [&](const Route& each) {
    return is_there(each) && each.method == method;
  });
  const bool is_known = route != routes.end();
  if (method != "GET" && terms_.is_read_only &&
      !(is_known && route->is_question)) {
    return http::Refusal(405, "--read-only: this server changes nothing");
  }
  if (is_known) {
    auto answer = route->answer(QueryParameters(*this, request));
    if (answer) return *std::move(answer);
    return http::Refusal(StatusOf(answer.error().code), answer.error().what);
  }
  if (std::ranges::any_of(routes, is_there)) {
    return http::Refusal(405, request.path + ": not by " + request.method);
  }
  const bool has_models = !terms_.models.empty();
  if (method == "GET" && has_models && request.path.starts_with(kModels)) {
    return AnswerModels(terms_.models, request);
  }
  if (method == "GET" && IsPage(request)) {
    return AnswerPage(request, has_models);
  }
  return http::Refusal(404, request.path + ": there is nothing");
}

}  // namespace coppice::inspector
