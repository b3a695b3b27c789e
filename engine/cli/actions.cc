#include "engine/cli/actions.h"

#include <vector>

#include "store/records/joined.h"
#include "store/records/nearest_name.h"

namespace coppice::cli {
namespace {

std::string ThereAre(const Verb& verb) {
  return (verb.actions.size() == 1 ? "; there is: " : "; there are: ") +
         Joined(verb.actions, ", ", &Verb::name);
}

}  // namespace

Error UnknownAction(const Verb& verb, const std::string& word) {
  const std::string what = "unknown '" + word + "'";
  std::vector<std::string> names;
  for (const Verb& action : verb.actions) {
    names.emplace_back(LastWord(action.name));
  }
  if (const auto nearest = NearestName(word, names)) {
    return {Errc::kUsage, what + "; did you mean '" + std::string(verb.name) +
                              " " + *nearest + "'?"};
  }
  return {Errc::kUsage, what + ThereAre(verb) + HintOfDatabase(word)};
}

Error MissingAction(const Verb& verb) {
  return {Errc::kUsage, "missing ACTION" + ThereAre(verb)};
}

std::string HintOfDatabase(const std::string& word) {
  if (!word.ends_with(".db")) return "";
  return "; a database is named by --db " + word;
}

}  // namespace coppice::cli
