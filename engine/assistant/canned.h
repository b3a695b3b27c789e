// Questions that the history answers without a model: which of them a person
// means, and which nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/database.h"
#include "store/read/canned_queries.h"
#include "store/read/query.h"
#include "store/records/result.h"

namespace coppice::assistant {

struct Meant {
  const store::CannedQuestion* question = nullptr;
  std::vector<std::int64_t> numbers;  // As many as it needs.
  // "Why did node 14 fail?"
  std::string InWords() const;
};

// The question by its name ("why_failed 14") or by its words ("why did node 14
// not compile").  kUsage if it is none of them, or lacks a number, and says how
// to see them all.
Result<Meant> WhatIsMeant(std::string_view words);

// Its answer of the campaign of that name.  kUsage if there is no such node.
Result<store::Sheet> AnswerCanned(store::Database& database,
                                  const std::string& campaign,
                                  const Meant& meant);

}  // namespace coppice::assistant
