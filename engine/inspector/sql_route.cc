// GET /api/schema, POST /api/sql, GET /api/sql.csv: questions of the user's
// own.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/documents/csv.h"
#include "engine/inspector/inspector.h"
#include "engine/inspector/post_body.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/read/query.h"
#include "store/read/schema_guide.h"

namespace coppice::inspector {
namespace {

constexpr double kSeconds = 2.0;
constexpr double kMostSeconds = 60.0;
constexpr std::int64_t kMostAnswers = 10'000;
constexpr std::int64_t kMostAnswerBytes = 50'000'000;

struct Question {
  std::size_t file = 0;
  std::string sql;
  std::int64_t limit = kMostAnswers;
  double seconds = kSeconds;
};

constexpr std::string_view kQueryForm =
    "not a question: send {\"db\": 0, \"sql\": \"SELECT ...\", \"limit\": "
    "1000, "
    "\"seconds\": 2}";

Result<Question> QuestionIn(const std::string& body) {
  TRY(document, ParseObject(body, kQueryForm));
  TRY(sql, TextIn(document, "sql"));
  TRY(limit, WholeIn(document, "limit"));
  TRY(seconds, NumberIn(document, "seconds"));
  if (sql.empty()) return Fail(Errc::kUsage, std::string(kQueryForm));
  return Question{
      FileOf(document), std::move(sql),
      // 0 rows would be all of them (QueryLimits).
      std::clamp(limit.value_or(kMostAnswers), std::int64_t{1}, kMostAnswers),
      std::clamp(seconds.value_or(kSeconds), 0.0, kMostSeconds)};
}

// One of the few places for such questions.
class Turn {
 public:
  explicit Turn(std::counting_semaphore<2>& places)
      : places_(places), is_ours_(places.try_acquire()) {}
  ~Turn() {
    if (is_ours_) places_.release();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool is_ours() const { return is_ours_; }

 private:
  std::counting_semaphore<2>& places_;
  const bool is_ours_;
};

// Whether rows were left.
Result<bool> Ask(const QueryParameters& asked, const Question& question,
                 const store::RowSink& sink) {
  const Turn turn(asked.inspector().questions());
  if (!turn.is_ours()) {
    return Fail(Errc::kBusy, "two questions are being answered: ask again");
  }
  TRY(loan, asked.Borrow(question.file, question.seconds));
  store::QueryLimits limits;
  limits.rows = question.limit;
  limits.bytes = kMostAnswerBytes;
  return store::QueryWithin(*loan, question.sql, limits, sink);
}

}  // namespace

Result<http::Answer> AnswerSchema(const QueryParameters& asked) {
  TRY(file, asked.File());
  TRY(loan, asked.Borrow(file));
  TRY(guide, store::ReadSchemaGuide(*loan));
  const auto column_json = [](const store::GuidedColumn& column) {
    return Json{{"name", column.name}, {"comment", column.comment}};
  };
  return JsonAnswer(ArrayOf(guide, [&](const store::GuidedView& view) {
    return Json{{"view", view.name},
                {"comment", view.comment},
                {"columns", ArrayOf(view.columns, column_json)}};
  }));
}

Result<http::Answer> AnswerSql(const QueryParameters& asked) {
  TRY(question, QuestionIn(asked.request().body));
  const engine::Clock& clock = asked.inspector().clock();
  const double began_s = clock.Monotonic();
  Json columns = Json::array();
  Json rows = Json::array();
  TRY(truncated,
      Ask(asked, question,
          {[&](const std::vector<std::string>& names) { columns = names; },
           [&](const std::vector<store::Value>& row) {
             rows.push_back(ValuesJson(row));
           }}));
  return JsonAnswer({{"columns", std::move(columns)},
                     {"rows", std::move(rows)},
                     {"truncated", truncated},
                     {"seconds", clock.Monotonic() - began_s}});
}

Result<http::Answer> AnswerSqlCsv(const QueryParameters& asked) {
  TRY(file, asked.File());
  Question question{file, asked.TextOr("sql", "")};
  http::Answer answer{200, "text/csv; charset=utf-8"};
  answer.headers = {
      {"Content-Disposition", "attachment; filename=\"coppice.csv\""}};
  TRY_DONE(Ask(asked, question,
               {[&](const std::vector<std::string>& names) {
                  answer.body += cli::CsvLine(names);
                },
                [&](const std::vector<store::Value>& row) {
                  answer.body += cli::CsvLine(cli::CsvFields(row));
                }}));
  return answer;
}

}  // namespace coppice::inspector
