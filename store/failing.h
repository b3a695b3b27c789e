// The nodes of a campaign that failed, with what their judge said.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "store/database.h"
#include "store/records/evaluation.h"
#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/verdict.h"

namespace coppice::store {

struct Failing {
  NodeId node{};
  Verdict verdict = Verdict::kCrashed;
  Breach breach = Breach::kNone;  // The rule that it was rejected by.
  std::string technique;          // Empty: none was given.
  std::string log;
};

// By number, the first so many; one that is inconclusive fails nothing.
// Returns how many there are in all.
Result<std::int64_t> ScanFailing(
    Database& database, CampaignId campaign, std::int64_t most,
    const std::function<void(const Failing&)>& visit);

}  // namespace coppice::store
