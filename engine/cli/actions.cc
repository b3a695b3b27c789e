#include "engine/cli/actions.h"

namespace coppice::cli {

Error UnknownAction(std::string_view verb, const std::string& word,
                    std::initializer_list<std::string_view> actions) {
  std::string what = "unknown '" + word + "'; there " +
                     (actions.size() == 1 ? "is" : "are") + ":";
  for (const std::string_view action : actions) {
    what += action == *actions.begin() ? " " : ", ";
    what += std::string(verb) + " " + std::string(action);
  }
  return {Errc::kUsage, what + HintOfDatabase(word)};
}

std::string HintOfDatabase(const std::string& word) {
  if (!word.ends_with(".db")) return "";
  return "; a database is named by --db " + word;
}

}  // namespace coppice::cli
