#include "store/read/series.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <tuple>

#include "store/connection.h"

namespace coppice::store {
namespace {

std::int64_t Signed(std::uint64_t seed) {
  return std::bit_cast<std::int64_t>(seed);
}

std::int64_t FindOrMakeLandscape(Connection& connection,
                                 const LandscapeKey& key) {
  const Bytes definition(key.definition);
  const auto found = connection.Find<std::int64_t>(
      "SELECT landscape_id FROM landscape"
      " WHERE name = ? AND definition = ? AND rules = ?",
      key.name, definition, key.rules);
  if (found) return *found;
  connection.Run(
      "INSERT INTO landscape (name, definition, rules) VALUES (?, ?, ?)",
      key.name, definition, key.rules);
  return connection.LastRowId();
}

SeriesId FindOrMakeSeries(Connection& connection, const SeriesKey& key) {
  const std::int64_t landscape = FindOrMakeLandscape(connection, key.landscape);
  const auto found = connection.Find<SeriesId>(
      "SELECT series_id FROM series WHERE landscape_id = ? AND contender = ?",
      landscape, key.contender);
  if (found) return *found;
  connection.Run("INSERT INTO series (landscape_id, contender) VALUES (?, ?)",
                 landscape, key.contender);
  return SeriesId{connection.LastRowId()};
}

void AddRequest(Connection& connection, SeriesId series,
                const SeriesRequest& request) {
  connection.Run(
      "INSERT INTO request (series_id, first_seed, seeds, attempts)"
      " VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      series, Signed(request.first_seed), request.seeds, request.attempts);
}

SeriesScore ScoreAt(const Statement& read) {
  return {std::bit_cast<std::uint64_t>(read.Int(0)), read.Int(1),
          read.OptionalReal(2), read.Int(3), read.Int(4)};
}

std::optional<SeriesScore> FindScore(Connection& connection, SeriesId series,
                                     const SeriesScore& score) {
  Statement find = connection.Prepare(
      "SELECT seed, attempts, log_speedup, compiled, correct FROM score"
      " WHERE series_id = ? AND seed = ? AND attempts = ?",
      series, Signed(score.seed), score.attempts);
  if (!find.Step()) return std::nullopt;
  return ScoreAt(find);
}

// Whether it is new.
Result<bool> AddScore(Connection& connection, SeriesId series,
                      const SeriesScore& score) {
  connection.Run(
      "INSERT INTO score (series_id, seed, attempts, log_speedup, compiled,"
      " correct) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      series, Signed(score.seed), score.attempts, score.log_speedup,
      score.compiled, score.correct);
  if (connection.Changes() > 0) {
    connection.seals().Came("score", series, Signed(score.seed), score.attempts,
                            score.log_speedup, score.compiled, score.correct);
    return true;
  }
  if (FindScore(connection, series, score) == score) return false;
  return connection.FailHere(
      Errc::kCorrupt,
      "series " + std::to_string(Index(series)) + ", seed " +
          std::to_string(score.seed) + ", " + std::to_string(score.attempts) +
          " attempts: another score is there than the one that comes; one "
          "and the same campaign was not played alike");
}

std::vector<SeriesRow> ReadSeries(Connection& connection) {
  std::vector<SeriesRow> rows;
  {
    Statement read = connection.Prepare(
        "SELECT s.series_id, l.name, l.definition, l.rules, s.contender"
        " FROM series s JOIN landscape l USING (landscape_id)"
        " ORDER BY s.series_id");
    while (read.Step()) {
      SeriesRow& row = rows.emplace_back();
      row.id = read.As<SeriesId>(0);
      row.key.landscape.name = read.Text(1);
      const std::string_view definition = read.View(2);
      std::ranges::copy(definition, row.key.landscape.definition.begin());
      row.key.landscape.rules = read.Int(3);
      row.key.contender = read.Text(4);
    }
  }
  for (SeriesRow& row : rows) {
    row.requests = connection.Rows(
        "SELECT first_seed, seeds, attempts FROM request WHERE series_id = ?"
        " ORDER BY attempts, first_seed",
        [](const Statement& read) {
          return SeriesRequest{std::bit_cast<std::uint64_t>(read.Int(0)),
                               read.Int(1), read.Int(2)};
        },
        row.id);
  }
  return rows;
}

constexpr const char* kScores =
    "SELECT seed, attempts, log_speedup, compiled, correct FROM score"
    " WHERE series_id = ? ORDER BY seed, attempts";

}  // namespace

Result<std::vector<SeriesId>> SeriesScores::Enter(
    const std::vector<SeriesKey>& keys,
    const std::vector<SeriesRequest>& requests) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<std::vector<SeriesId>> {
    std::vector<SeriesId> series;
    for (const SeriesKey& key : keys) {
      series.push_back(FindOrMakeSeries(connection, key));
      for (const SeriesRequest& request : requests) {
        AddRequest(connection, series.back(), request);
      }
    }
    return series;
  });
}

Result<std::vector<SeriesRow>> SeriesScores::List() {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<std::vector<SeriesRow>> {
    return ReadSeries(connection);
  });
}

Result<void> SeriesScores::Add(const Batch& batch) {
  Connection& connection = database_.connection();
  return connection.Write([&]() -> Result<void> {
    for (const auto& [series, scores] : batch) {
      for (const SeriesScore& score : scores) {
        TRY_DONE(AddScore(connection, series, score));
      }
    }
    return {};
  });
}

Result<void> SeriesScores::ForEach(SeriesId series, const Visit& visit) {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<void> {
    Statement read = connection.Prepare(kScores, series);
    while (read.Step()) visit(ScoreAt(read));
    return {};
  });
}

Result<SeriesScores::Merged> SeriesScores::Merge(Database& from) {
  Connection& connection = database_.connection();
  Connection& other = from.connection();
  return other.Read([&]() -> Result<Merged> {
    const std::vector<SeriesRow> rows = ReadSeries(other);
    return connection.Write([&]() -> Result<Merged> {
      Merged merged;
      for (const SeriesRow& row : rows) {
        const SeriesId series = FindOrMakeSeries(connection, row.key);
        for (const SeriesRequest& request : row.requests) {
          AddRequest(connection, series, request);
        }
        Statement read = other.Prepare(kScores, row.id);
        while (read.Step()) {
          TRY(is_new, AddScore(connection, series, ScoreAt(read)));
          ++merged.scores;
          if (is_new) ++merged.news;
        }
      }
      return merged;
    });
  });
}

Result<std::optional<std::string>> SeriesScores::Fingerprint() {
  Connection& connection = database_.connection();
  return connection.Read([&]() -> Result<std::optional<std::string>> {
    std::vector<SeriesRow> rows = ReadSeries(connection);
    if (rows.empty()) return std::nullopt;
    std::ranges::sort(rows, {}, [](const SeriesRow& row) {
      const LandscapeKey& landscape = row.key.landscape;
      return std::tuple(landscape.name, landscape.definition, landscape.rules,
                        row.key.contender);
    });
    FieldHasher hasher;
    hasher.Add(std::string_view("coppice series 1"));
    for (const SeriesRow& row : rows) {
      hasher.Add(row.key.landscape.name);
      hasher.Add(ToHex(row.key.landscape.definition));
      hasher.Add(row.key.landscape.rules);
      hasher.Add(row.key.contender);
      Statement read = connection.Prepare(kScores, row.id);
      while (read.Step()) {
        const SeriesScore score = ScoreAt(read);
        hasher.Add(Signed(score.seed));
        hasher.Add(score.attempts);
        hasher.Add(score.log_speedup
                       ? std::to_string(
                             std::bit_cast<std::int64_t>(*score.log_speedup))
                       : std::string("none"));
        hasher.Add(score.compiled);
        hasher.Add(score.correct);
      }
      hasher.Add(std::string_view("end"));
    }
    return ToHex(hasher.Finish());
  });
}

}  // namespace coppice::store
