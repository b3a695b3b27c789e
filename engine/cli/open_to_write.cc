#include "engine/cli/open_to_write.h"

#include "engine/campaign/outage_listener.h"
#include "engine/campaign/outages.h"
#include "engine/documents/verb.h"
#include "store/database.h"

namespace coppice::cli {

Result<store::Database> OpenToWrite(const Invocation& invocation,
                                    store::Access access) {
  return store::Database::Open(invocation.settings().db, access);
}

Result<store::Database> OpenToWrite(const Invocation& invocation,
                                    const engine::OutageListener& listener,
                                    store::Access access) {
  return store::Database::Open(invocation.settings().db, access,
                               store::Durability::kFull, &listener.outages());
}

}  // namespace coppice::cli
