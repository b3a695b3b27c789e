// Options that the verbs that run campaigns take beside settings.
#pragma once

#include <string>
#include <vector>

#include "engine/documents/verb.h"
#include "store/records/result.h"

namespace coppice::engine {
enum class Surface;
}
namespace coppice::store {
struct CampaignRow;
class Database;
}  // namespace coppice::store

namespace coppice::cli {

// --json and --progress.
std::vector<Option> CampaignOptions();

// What --progress asks for.
engine::Surface SurfaceOf(const Invocation& invocation, bool is_terminal);

// The same, of who tells of several campaigns at once, and that in words.
Result<engine::Surface> TextSurfaceOf(const Invocation& invocation,
                                      bool is_terminal);

// The campaign that the first argument names, else as ChooseCampaign has it.
// kUsage if --campaign is given beside the argument.
Result<store::CampaignRow> NamedOrChosen(const Invocation& invocation,
                                         Streams& streams,
                                         store::Database& database);

// Whether --name can be one.  kUsage if no terminal would show it as it is.
Result<void> CheckCampaignName(const std::string& name);

}  // namespace coppice::cli
