// How alike texts are in their words: SQLite's full-text search (FTS5), in
// memory, with BM25 as the measure (Robertson and Zaragoza, The Probabilistic
// Relevance Framework, 2009).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice::store {

// How like each document is to `text`: from 0, no word in common, to 1, as much
// as `text` itself.  Words that few documents have count more, and endings do
// not. kUnavailable: this SQLite was built without FTS5.
Result<std::vector<double>> LikenessOf(std::span<const std::string> documents,
                                       const std::string& text);

}  // namespace coppice::store
