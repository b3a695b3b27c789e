// The routes of the Inspector: each answers one kind of question.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "engine/http/request.h"
#include "engine/inspector/query_parameters.h"

namespace coppice::inspector {

struct Route {
  std::string_view method;
  std::string_view path;
  Result<http::Answer> (*answer)(const QueryParameters& asked);
  // POST /api/sql changes nothing, for all that it is no GET.
  bool is_question = true;
};

std::span<const Route> Routes();

Result<http::Answer> AnswerState(const QueryParameters& asked);
Result<http::Answer> AnswerCampaigns(const QueryParameters& asked);
Result<http::Answer> AnswerCampaign(const QueryParameters& asked);
Result<http::Answer> AnswerTree(const QueryParameters& asked);
Result<http::Answer> AnswerNodes(const QueryParameters& asked);
Result<http::Answer> AnswerNode(const QueryParameters& asked);
Result<http::Answer> AnswerSource(const QueryParameters& asked);
Result<http::Answer> AnswerSamples(const QueryParameters& asked);
Result<http::Answer> AnswerLineage(const QueryParameters& asked);
Result<http::Answer> AnswerCalls(const QueryParameters& asked);
Result<http::Answer> AnswerCall(const QueryParameters& asked);
Result<http::Answer> AnswerDecision(const QueryParameters& asked);
Result<http::Answer> AnswerLeaderboard(const QueryParameters& asked);
Result<http::Answer> AnswerFailures(const QueryParameters& asked);
Result<http::Answer> AnswerSpend(const QueryParameters& asked);
Result<http::Answer> AnswerCompare(const QueryParameters& asked);
Result<http::Answer> AnswerSchema(const QueryParameters& asked);
Result<http::Answer> AnswerSql(const QueryParameters& asked);
Result<http::Answer> AnswerSqlCsv(const QueryParameters& asked);
Result<http::Answer> AnswerHistory(const QueryParameters& asked);
Result<http::Answer> AnswerQuestions(const QueryParameters& asked);
Result<http::Answer> AnswerTurns(const QueryParameters& asked);
Result<http::Answer> AnswerCites(const QueryParameters& asked);
Result<http::Answer> AnswerAsk(const QueryParameters& asked);
Result<http::Answer> AnswerDirectives(const QueryParameters& asked);
Result<http::Answer> AnswerSteer(const QueryParameters& asked);
Result<http::Answer> AnswerWithdraw(const QueryParameters& asked);
Result<http::Answer> AnswerSubmit(const QueryParameters& asked);

// A file of the page, or its index for what is no file.  A page that may run
// models compiles WebAssembly.
http::Answer AnswerPage(const http::Request& request, bool may_run_models);

// A file of the folder, for a path that begins with "/models/".
http::Answer AnswerModels(const std::filesystem::path& folder,
                          const http::Request& request);

}  // namespace coppice::inspector
