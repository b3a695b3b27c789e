#include "engine/cli/cli_fixture.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "engine/cli/dispatch.h"
#include "engine/cli/options.h"

namespace coppice::cli {

Invocation AsTyped(const Verb& verb, const std::vector<std::string>& words,
                   const config::Surroundings& surroundings) {
  ParsedWords parsed = store::Must(ParseWords(verb, words));
  return {store::Must(
              config::Load(surroundings, parsed.config_file, parsed.settings)),
          surroundings, std::move(parsed.arguments), std::move(parsed.options)};
}

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

void Rehearsal::Install() {
  const auto build = std::filesystem::path(COPPICE_TEST_CACHE).parent_path();
  surroundings.data_directory = build / "data";
  surroundings.runner = build / "coppice-runner";
}

Said Rehearsal::Say(std::vector<std::string> words, const std::string& input) {
  return SayIn("x.db", std::move(words), input);
}

Said Rehearsal::SayIn(const std::string& file, std::vector<std::string> words,
                      const std::string& input) {
  words.insert(words.end(), {"--db", File(file).string()});
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

std::string Rehearsal::Put(const std::string& name,
                           const std::string& text) const {
  std::filesystem::create_directories(File(name).parent_path());
  std::ofstream(File(name), std::ios::binary) << text;
  return File(name).string();
}

std::string Rehearsal::ReadBack(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace coppice::cli
