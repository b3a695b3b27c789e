// Scores of campaigns that were played in memory: for each contender on each
// landscape a series, which has a campaign for each seed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/digest.h"
#include "store/records/result.h"

namespace coppice::store {

enum class SeriesId : std::int64_t {};
constexpr std::int64_t Index(SeriesId id) {
  return static_cast<std::int64_t>(id);
}

// Campaigns of equal seeds have equal tasks on equal definitions only.
struct LandscapeKey {
  std::string name;  // "sim:hill/1".
  Digest definition{};
  std::int64_t rules = 1;  // Of the program that plays on it.
  bool operator==(const LandscapeKey&) const = default;
};

struct SeriesKey {
  LandscapeKey landscape;
  std::string contender;
  bool operator==(const SeriesKey&) const = default;
};

// Seeds from the first on, looked at after so many attempts.
struct SeriesRequest {
  std::uint64_t first_seed = 1;
  std::int64_t seeds = 1;
  std::int64_t attempts = 1;
};

struct SeriesRow {
  SeriesId id{};
  SeriesKey key;
  std::vector<SeriesRequest> requests;
};

// What a campaign has come to.
struct SeriesScore {
  std::uint64_t seed = 0;
  std::int64_t attempts = 0;
  std::optional<double> log_speedup;  // None: no attempt passed.
  std::int64_t compiled = 0;          // Of the attempts,
  std::int64_t correct = 0;           // likewise.
  bool operator==(const SeriesScore&) const = default;
};

class SeriesScores {
 public:
  explicit SeriesScores(Database& database) : database_(database) {}

  // Those of the keys, in order, made where there are none, with the requests
  // of each, in one transaction.
  Result<std::vector<SeriesId>> Enter(
      const std::vector<SeriesKey>& keys,
      const std::vector<SeriesRequest>& requests);

  Result<std::vector<SeriesRow>> List();  // In order of entry.

  // In one transaction.  A score that is there stays: kCorrupt, and nothing is
  // added, if it is another than the one that comes.
  using Batch = std::map<SeriesId, std::vector<SeriesScore>>;
  Result<void> Add(const Batch& batch);

  // By seed, as a signed number, and attempts.
  using Visit = std::function<void(const SeriesScore&)>;
  Result<void> ForEach(SeriesId series, const Visit& visit);

  // Takes what `from` has of series, requests and scores, in one transaction.
  // Fails as Add does.
  struct Merged {
    std::int64_t scores = 0;  // That `from` has, and
    std::int64_t news = 0;    // of these, that were not here.
  };
  Result<Merged> Merge(Database& from);

  // SHA-256 of all scores with their keys, in the keys' order, so that it is
  // the same however they came to be there; none: there are no series.
  Result<std::optional<std::string>> Fingerprint();

 private:
  Database& database_;
};

}  // namespace coppice::store
