// The version of this program.
#pragma once

#include <string_view>

namespace coppice::engine {

// The release, then the commit it was built from where that is known, as in
// "0.2.0 (d9bc118)"; "-dirty" follows a commit whose files had been changed.
std::string_view Version();

// "0.2.0", and "2026-11-23", the changelog's; empty: it has none yet.
std::string_view Release();
std::string_view ReleaseDate();

}  // namespace coppice::engine
