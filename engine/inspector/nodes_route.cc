// GET /api/nodes: a page of the list of nodes.  Which nodes it holds is worked
// out on the columns that are kept, and only their rows are read.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/read/node_columns.h"
#include "store/read/node_pages.h"
#include "store/records/verdict.h"

namespace coppice::inspector {
namespace {

constexpr std::int64_t kMostListed = 1000;

// What nodes are listed, as places in the names of the columns.
struct Filter {
  std::optional<std::uint8_t> verdict;
  std::optional<std::uint8_t> policy;
  std::optional<std::uint32_t> technique;
  bool is_none = false;  // What is asked for is nowhere.

  bool Has(const store::NodeColumns& columns, const store::NodeDetails& details,
           std::size_t node) const {
    return !is_none && (!verdict || columns.marks[node].verdict == *verdict) &&
           (!policy || columns.policies[node] == *policy) &&
           (!technique || details.techniques[node] == *technique);
  }
};

template <class Names, class Place>
void Find(const Names& names, const std::string& wanted,
          std::optional<Place>& place, Filter& filter) {
  if (wanted.empty()) return;
  const auto found = std::ranges::find(names, wanted);
  if (found == names.end()) {
    filter.is_none = true;
  } else {
    place = static_cast<Place>(found - names.begin());
  }
}

Result<Filter> FilterOf(const QueryParameters& asked,
                        const store::NodeColumns& columns,
                        const store::NodeDetails& details) {
  Filter filter;
  const std::string verdict = asked.TextOr("verdict", "");
  if (!verdict.empty() &&
      std::ranges::find(kVerdictNames, verdict) == kVerdictNames.end()) {
    return Fail(Errc::kUsage, "verdict=" + verdict + ": there is no such");
  }
  Find(kVerdictNames, verdict, filter.verdict, filter);
  Find(columns.policy_names, asked.TextOr("policy", ""), filter.policy, filter);
  Find(details.technique_names, asked.TextOr("technique", ""), filter.technique,
       filter);
  return filter;
}

// Who does not pass comes last, in either direction.
void SortBySpeedup(const store::NodeColumns& columns, bool is_fast_first,
                   std::vector<std::int64_t>& numbers) {
  const auto key = [&](std::int64_t number) {
    const float speedup =
        columns.marks[static_cast<std::size_t>(number)].speedup;
    if (std::isnan(speedup)) return -1.0F;
    return is_fast_first ? speedup : 1.0F / speedup;
  };
  std::ranges::stable_sort(numbers, std::ranges::greater(), key);
}

Result<std::vector<std::int64_t>> Numbers(
    const QueryParameters& asked, const store::NodeColumns& columns,
    const store::NodeDetails& details,
    const std::optional<std::vector<std::int64_t>>& found) {
  TRY(filter, FilterOf(asked, columns, details));
  std::vector<std::int64_t> numbers;
  const auto consider = [&](std::int64_t number) {
    if (filter.Has(columns, details, static_cast<std::size_t>(number))) {
      numbers.push_back(number);
    }
  };
  // What came between the two is not listed yet.
  const auto count =
      static_cast<std::int64_t>(std::min(columns.size(), details.size()));
  if (found) {
    for (const std::int64_t number : *found) {
      if (number < count) consider(number);
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) consider(i);
  }
  const bool descends = asked.TextOr("desc", "0") == "1";
  const std::string sort = asked.TextOr("sort", "number");
  // Seconds are the root's over the speedup.
  if (sort == "speedup" || sort == "runtime") {
    SortBySpeedup(columns, (sort == "speedup") == descends, numbers);
  } else if (sort != "number") {
    return Fail(Errc::kUsage,
                "sort=" + sort + ": give number, speedup or runtime");
  } else if (descends) {
    std::ranges::reverse(numbers);
  }
  return numbers;
}

}  // namespace

Result<http::Answer> AnswerNodes(const QueryParameters& asked) {
  TRY(from, asked.CountOr("from", 0));
  TRY(limit, asked.CountOr("limit", 100));
  TRY(chosen, asked.Choose());
  std::optional<std::vector<std::int64_t>> found;
  if (const std::string text = asked.TextOr("text", ""); !text.empty()) {
    TRY_ASSIGN(found,
               store::FindNodes(chosen.database(), chosen.campaign.id, text));
  }
  TRY(numbers, asked.inspector().WithNodes(
                   chosen.database(), chosen.campaign,
                   [&](const store::NodeColumns& columns,
                       const store::NodeDetails& details) {
                     return Numbers(asked, columns, details, found);
                   }));
  const std::int64_t total = std::ssize(numbers);
  const std::int64_t first = std::min(from, total);
  const std::int64_t count = std::min({limit, kMostListed, total - first});
  TRY(rows, store::ReadNodeRows(
                chosen.database(), chosen.campaign.id,
                std::span(numbers).subspan(static_cast<std::size_t>(first),
                                           static_cast<std::size_t>(count))));
  return JsonAnswer(
      {{"total", total}, {"rows", RowsJson(rows, {"refuted", "confirmed"})}});
}

}  // namespace coppice::inspector
