// GET /api/spend: what calls cost, by day; caps; and each request on the wire.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/read/campaign_pages.h"

namespace coppice::inspector {

Result<http::Answer> AnswerSpend(const QueryParameters& asked) {
  constexpr std::int64_t kMostRows = 1000;
  TRY(from, asked.CountOr("from", 0));
  TRY(limit, asked.CountOr("limit", 100));
  TRY(file, asked.File());
  TRY(loan, asked.Borrow(file));
  TRY(days, store::ReadSpendDays(*loan));
  TRY(caps, store::ReadCaps(*loan));
  TRY(unknown, store::ReadUnknownCalls(*loan));
  TRY(wire, store::ReadWirePage(*loan, from, std::min(limit, kMostRows)));
  return JsonAnswer(
      {{"days", RowsJson(days)},
       {"caps", RowsJson(caps)},
       {"unknown", RowsJson(unknown)},
       {"wire", {{"total", wire.total}, {"rows", RowsJson(wire.rows)}}}});
}

}  // namespace coppice::inspector
