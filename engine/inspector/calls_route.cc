// GET /api/calls, /api/call: what was asked to make a node, and what was shown.
#include <nlohmann/json.hpp>

#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/read/node_pages.h"

namespace coppice::inspector {

Result<http::Answer> AnswerCalls(const QueryParameters& asked) {
  TRY(node, asked.Count("n"));
  TRY(chosen, asked.Choose());
  TRY(listing, store::ReadCallsOf(chosen.database(), chosen.campaign.id, node));
  Json calls = RowsJson(listing);
  for (Json& call : calls) {
    const auto id = call["call"].get<std::int64_t>();
    TRY(window, store::ReadWindow(chosen.database(), id));
    TRY(cut, store::ReadWindowCut(chosen.database(), id));
    call["window"] = RowsJson(window);
    call["cut"] = RowsJson(cut);
  }
  return JsonAnswer(calls);
}

Result<http::Answer> AnswerCall(const QueryParameters& asked) {
  TRY(id, asked.Count("call"));
  TRY(chosen, asked.Choose());
  TRY(listing, store::ReadCallTexts(chosen.database(), chosen.campaign.id, id));
  if (listing.rows.empty()) {
    return Fail(Errc::kNotFound,
                "call=" + std::to_string(id) + ": there is no such call");
  }
  Json call = RowJson(listing, 0);
  const bool whole = asked.TextOr("whole", "0") == "1";
  CutText(call, "system", "system_cut", whole);
  CutText(call, "user", "user_cut", whole);
  CutText(call, "answer", "answer_cut", whole);
  Json request = Json::object();
  for (const char* key : {"temperature", "top_p", "max_output_tokens", "effort",
                          "served_model", "template_set"}) {
    request[key] = call[key];
    call.erase(key);
  }
  call["request"] = std::move(request);
  return JsonAnswer(call);
}

}  // namespace coppice::inspector
