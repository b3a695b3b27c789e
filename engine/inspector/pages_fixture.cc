#include "engine/inspector/pages_fixture.h"

#include <nlohmann/json.hpp>

namespace coppice::inspector {

http::Answer PagesTest::Ask(const std::string& target) {
  const std::size_t mark = target.find('?');
  http::Request request{"GET", target.substr(0, mark)};
  if (mark != target.npos) {
    request.query = *http::ParseQuery(target.substr(mark + 1));
  }
  return inspector_.Answer(request);
}

PagesTest::json PagesTest::Get(const std::string& target) {
  const http::Answer answer = Ask(target);
  EXPECT_EQ(answer.status, 200) << target << answer.body;
  return json::parse(answer.body);
}

http::Answer PagesTest::Post(const std::string& path, const json& body) {
  http::Request request{"POST", path};
  request.body = body.dump();
  return inspector_.Answer(request);
}

std::string PagesTest::Refusal(const http::Answer& answer, int status) {
  EXPECT_EQ(answer.status, status) << answer.body;
  return json::parse(answer.body)["error"];
}

}  // namespace coppice::inspector
