// Named questions to the history, each a statement of SQL on the views: what
// the assistant looks up, and what people ask without one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "store/read/query.h"

namespace coppice::store {

// With their parameters; all take ":campaign".
enum class Lookup : std::uint8_t {
  kNode,         // ":n".
  kSource,       // ":n": one row with `text`, NULL where there is none; so are
  kLog,          // this
  kProfile,      // and this, in words.
  kProfiles,     // ":n": of each workload.
  kKernels,      // ":n": of each workload, on a GPU.
  kLineage,      // ":n".
  kDecision,     // ":d".
  kWindow,       // ":d", ":role" ('' for all).
  kSpend,        // ":campaign" '' for all, as in
  kGains,        // this: what getting faster cost.
  kSearch,       // ":text", in what lower-case text says.
  kHasNode,      // ":n"; one row if there is such a node.
  kHasDecision,  // ":d".
};

// At most 200 rows.  Errors: as of QueryWithin().
Result<Sheet> Look(Database& database, Lookup lookup,
                   const Parameters& parameters);

struct CannedQuestion {
  std::string_view name;      // "why_failed".
  std::string_view question;  // "Why did node N fail?"
  // Words, or their beginnings, by which a question in a person's own words is
  // taken for this one.
  std::string_view cues;
  int numbers = 0;  // That it needs: N, then M, as ":n" and ":m".
  std::string_view sql;
};

// All are of one campaign, ":campaign".
std::span<const CannedQuestion> CannedQuestions();

Result<Sheet> AskCanned(Database& database, const CannedQuestion& question,
                        const Parameters& parameters);

}  // namespace coppice::store
