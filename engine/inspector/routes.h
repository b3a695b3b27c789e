// The routes of the Inspector: each answers one kind of question.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "engine/http/request.h"
#include "engine/inspector/asked.h"

namespace coppice::inspector {

struct Route {
  std::string_view method;
  std::string_view path;
  Result<http::Answer> (*answer)(const Asked& asked);
  // POST /api/sql changes nothing, for all that it is no GET.
  bool is_question = true;
};

std::span<const Route> Routes();

Result<http::Answer> AnswerState(const Asked& asked);
Result<http::Answer> AnswerCampaigns(const Asked& asked);
Result<http::Answer> AnswerCampaign(const Asked& asked);
Result<http::Answer> AnswerTree(const Asked& asked);
Result<http::Answer> AnswerNodes(const Asked& asked);
Result<http::Answer> AnswerNode(const Asked& asked);
Result<http::Answer> AnswerSource(const Asked& asked);
Result<http::Answer> AnswerSamples(const Asked& asked);
Result<http::Answer> AnswerLineage(const Asked& asked);
Result<http::Answer> AnswerCalls(const Asked& asked);
Result<http::Answer> AnswerCall(const Asked& asked);
Result<http::Answer> AnswerDecision(const Asked& asked);
Result<http::Answer> AnswerLeaderboard(const Asked& asked);
Result<http::Answer> AnswerFailures(const Asked& asked);
Result<http::Answer> AnswerSpend(const Asked& asked);
Result<http::Answer> AnswerCompare(const Asked& asked);
Result<http::Answer> AnswerSchema(const Asked& asked);
Result<http::Answer> AnswerSql(const Asked& asked);
Result<http::Answer> AnswerSqlCsv(const Asked& asked);
Result<http::Answer> AnswerHistory(const Asked& asked);
Result<http::Answer> AnswerQuestions(const Asked& asked);
Result<http::Answer> AnswerTurns(const Asked& asked);
Result<http::Answer> AnswerCites(const Asked& asked);
Result<http::Answer> AnswerAsk(const Asked& asked);
Result<http::Answer> AnswerDirectives(const Asked& asked);
Result<http::Answer> AnswerSteer(const Asked& asked);
Result<http::Answer> AnswerWithdraw(const Asked& asked);
Result<http::Answer> AnswerSubmit(const Asked& asked);

// A file of the page, or its index for what is no file.  A page that may run
// models compiles WebAssembly.
http::Answer AnswerPage(const http::Request& request, bool may_run_models);

// A file of the folder, for a path that begins with "/models/".
http::Answer AnswerModels(const std::filesystem::path& folder,
                          const http::Request& request);

}  // namespace coppice::inspector
