#include "engine/cli/verbs.h"

#include <algorithm>

namespace coppice::cli {

const std::vector<Verb>& Verbs() {
  static const std::vector<Verb> kVerbs = {
      RunVerb(),     ResumeVerb(),      BenchVerb(),    CompareVerb(),
      EvalVerb(),    ProfileVerb(),     SanitizeVerb(), TaskVerb(),
      StatusVerb(),  TreeVerb(),        ShowVerb(),     PromptVerb(),
      DiffVerb(),    BestVerb(),        VerifyVerb(),   NoiseVerb(),
      ReplayVerb(),  SpendVerb(),       SqlVerb(),      ReportVerb(),
      ExportVerb(),  ImportVerb(),      DoctorVerb(),   BackupVerb(),
      CompactVerb(), FingerprintVerb(), ConfigVerb(),
  };
  return kVerbs;
}

const Verb* FindVerb(std::string_view name) {
  const auto found =
      std::find_if(Verbs().begin(), Verbs().end(),
                   [&](const Verb& verb) { return verb.name == name; });
  return found == Verbs().end() ? nullptr : &*found;
}

}  // namespace coppice::cli
