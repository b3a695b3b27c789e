// The page itself.
#include <algorithm>

#include "engine/inspector/page_files.h"
#include "engine/inspector/routes.h"

namespace coppice::inspector {
namespace {

constexpr std::string_view kNoPage =
    "<!doctype html><meta charset=utf-8><title>coppice</title>"
    "<h1>coppice was built without its page</h1>"
    "<p>Make it by <code>scripts/setup page</code> and build again. "
    "What it would show is under <a href=/api/campaigns>/api</a>, and "
    "<code>coppice status</code>, <code>tree</code> and <code>show</code> "
    "tell it in a terminal.</p>";

http::Answer FileAnswer(const http::Request& request, const PageFile& file,
                        bool may_run_models) {
  http::Answer answer{200, std::string(file.type)};
  const bool is_named_by_content = file.path.starts_with("/assets/");
  answer.headers = {
      {"ETag", "\"" + std::string(file.etag) + "\""},
      {"Cache-Control", is_named_by_content
                            ? "private, max-age=31536000, immutable"
                            : "no-cache"}};
  if (may_run_models) {
    answer.headers.emplace_back("Content-Security-Policy",
                                http::ContentPolicy("'wasm-unsafe-eval'"));
  }
  if (request.Header("if-none-match") == answer.headers[0].second) {
    answer.status = 304;
    return answer;
  }
  answer.headers.emplace_back("Content-Encoding", "gzip");
  answer.body.assign(reinterpret_cast<const char*>(file.gzip.data()),
                     file.gzip.size());
  return answer;
}

}  // namespace

http::Answer AnswerPage(const http::Request& request, bool may_run_models) {
  const auto files = PageFiles();
  if (files.empty()) {
    return {200, "text/html; charset=utf-8", std::string(kNoPage)};
  }
  const auto named = [&](std::string_view path) {
    return std::ranges::find(files, path, &PageFile::path);
  };
  auto file = named(request.path);
  if (file == files.end() && !request.path.starts_with("/assets/")) {
    file = named("/index.html");
  }
  if (file == files.end()) {
    return http::Refusal(404, request.path + ": there is nothing");
  }
  return FileAnswer(request, *file, may_run_models);
}

}  // namespace coppice::inspector
