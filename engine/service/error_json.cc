#include "engine/service/error_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/documents/document.h"
#include "engine/service/json.h"

namespace coppice::service {
namespace {

struct Said {
  std::string_view word;
  int status;
  std::string_view hint;
};

Said SaidOf(Errc code) {
  switch (code) {
    case Errc::kUsage:
      return {"usage", 400, "mend the arguments and ask again"};
    case Errc::kNotFound:
      return {"not_found", 404, ""};
    case Errc::kBusy:
      return {"busy", 429, "ask again in some seconds"};
    case Errc::kTimeout:
      return {"timeout", 504, "ask for less, or again"};
    case Errc::kUnavailable:
      return {"unavailable", 503,
              "coppice db doctor --machine says what is missing"};
    case Errc::kCorrupt:
      return {"corrupt", 500, "coppice db doctor looks at a database"};
    case Errc::kIo:
      return {"io", 500, ""};
    case Errc::kCancelled:
      return {"cancelled", 409, ""};
    case Errc::kSpent:
      return {"spent", 402, "raise the cap"};
    case Errc::kUnanswered:
      return {"unanswered", 504, "ask again later"};
    case Errc::kFull:
      return {"full", 507, "make room on the disk"};
    case Errc::kLost:
      return {"lost", 409, ""};
    case Errc::kUnfit:
      return {"unfit", 422, ""};
  }
  return {"io", 500, ""};
}

std::string OneLine(std::string_view text) {
  std::string line(text);
  while (line.ends_with('\n')) line.pop_back();
  std::ranges::replace(line, '\n', ' ');
  return line;
}

}  // namespace

std::string_view CodeWord(Errc code) { return SaidOf(code).word; }

std::string_view HintOf(Errc code) { return SaidOf(code).hint; }

int RpcCode(Errc code) { return code == Errc::kUsage ? -32602 : -32000; }

int HttpStatus(Errc code) { return SaidOf(code).status; }

std::string ErrorJson(const Error& error) {
  return cli::LineOf(
      {{"code", RpcCode(error.code)},
       {"message", OneLine(error.what)},
       {"data",
        {{"code", CodeWord(error.code)}, {"hint", HintOf(error.code)}}}});
}

std::string ErrorJson(int rpc_code, std::string_view message) {
  return cli::LineOf({{"code", rpc_code},
                      {"message", OneLine(message)},
                      {"data", {{"code", "usage"}, {"hint", ""}}}});
}

}  // namespace coppice::service
