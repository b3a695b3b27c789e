#include "engine/cli/open_to_write.h"

#include "engine/campaign/outage_listener.h"
#include "engine/campaign/outages.h"
#include "engine/cli/campaign_options.h"
#include "engine/documents/verb.h"
#include "store/database.h"

namespace coppice::cli {
namespace {

Result<store::Database> OpenChecked(const Invocation& invocation,
                                    store::Access access,
                                    store::Patience* patience) {
  // A mistyped --progress creates no file.
  TRY_DONE(SurfaceOf(invocation, false));
  return store::Database::Open(invocation.settings().db, access,
                               store::Durability::kFull, patience);
}

}  // namespace

Result<store::Database> OpenToWrite(const Invocation& invocation,
                                    store::Access access) {
  return OpenChecked(invocation, access, nullptr);
}

Result<store::Database> OpenToWrite(const Invocation& invocation,
                                    const engine::OutageListener& listener,
                                    store::Access access) {
  return OpenChecked(invocation, access, &listener.outages());
}

}  // namespace coppice::cli
