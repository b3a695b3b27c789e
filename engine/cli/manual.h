// Pages of the manual, as man(1) reads them (groff_man(7)): made from the same
// tables as help.
#pragma once

#include <string>

#include "engine/documents/verb.h"

namespace coppice::cli {

std::string OverallPage();               // coppice(1)
std::string VerbPage(const Verb& verb);  // coppice-run(1)

}  // namespace coppice::cli
