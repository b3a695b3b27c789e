#include "engine/campaign/root_candidate.h"

#include "eval/judge/same_task.h"
#include "store/records/candidate.h"

namespace coppice::engine {

Candidate RootCandidate(const Task& task) {
  return {task.root.language, eval::SourceOf(task.root),
          task.root.entry_symbol};
}

}  // namespace coppice::engine
