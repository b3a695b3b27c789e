// The verbs, in the order that help shows them.
#pragma once

#include <vector>

#include "engine/cli/verb.h"

namespace coppice::cli {

const std::vector<Verb>& Verbs();
const Verb* FindVerb(std::string_view name);  // Null if there is none.

Verb BackupVerb();
Verb BenchVerb();
Verb BestVerb();
Verb CompactVerb();
Verb CompareVerb();
Verb ConfigVerb();
Verb DiffVerb();
Verb DoctorVerb();
Verb EvalVerb();
Verb ExportVerb();
Verb FingerprintVerb();
Verb ImportVerb();
Verb NoiseVerb();
Verb ProfileVerb();
Verb PromptVerb();
Verb ReplayVerb();
Verb ReportVerb();
Verb ResumeVerb();
Verb RunVerb();
Verb SanitizeVerb();
Verb ShowVerb();
Verb SpendVerb();
Verb SqlVerb();
Verb StatusVerb();
Verb TaskVerb();
Verb TreeVerb();
Verb VerifyVerb();

}  // namespace coppice::cli
