// coppice import: what others have judged.
#include "engine/cli/traces.h"
#include "engine/cli/verbs.h"

namespace coppice::cli {
namespace {

Result<Exit> RunImport(const Invocation& invocation, Streams& streams) {
  const std::string& what = invocation.arguments.front();
  if (what == "traces") return ImportTraces(invocation, streams);
  return Fail(Errc::kUsage, "unknown '" + what + "'; there are: import traces");
}

}  // namespace

Verb ImportVerb() {
  return {
      .name = "import",
      .summary = "take in what was judged elsewhere",
      .arguments = "WHAT PATH",
      .examples = "  coppice import traces flashinfer-trace --db theirs.db\n",
      .options = {},
      .settings = {"db"},
      .run = RunImport,
  };
}

}  // namespace coppice::cli
