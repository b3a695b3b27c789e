#include "engine/cli/cli_fixture.h"

#include <sstream>

#include "engine/cli/dispatch.h"

namespace coppice::cli {

Rehearsal::Rehearsal()
    : database_(store::NewFile(directory_.File("x.db"))),
      campaign_(store::Plant(database_, "a")) {
  surroundings.environment["HOME"] = directory_.File("home").string();
  surroundings.cores = 4;
  Grow(database_, campaign_, kRootNode,
       {.source = "one\ntwo\n", .runtime_s = 2.0, .advice = "tile it"});
  Grow(database_, campaign_, kRootNode,
       {.source = "bad\n", .verdict = Verdict::kCrashed});
  Grow(database_, campaign_, NodeId{1},
       {.source = "one\nthree\n", .runtime_s = 1.0, .advice = "unroll it"});
}

Said Rehearsal::Say(std::vector<std::string> words, const std::string& input) {
  words.insert(words.end(), {"--db", Path()});
  return SayBare(words, input);
}

Said Rehearsal::SayBare(const std::vector<std::string>& words,
                        const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{in, out, err, terminal, terminal, terminal, columns};
  const Exit exit = Dispatch(words, surroundings, streams);
  return {exit, out.str(), err.str()};
}

}  // namespace coppice::cli
