// How verbs open the database that they write in.
#pragma once

#include "store/records/result.h"

namespace coppice::engine {
class OutageListener;
}
namespace coppice::store {
enum class Access;
class Database;
}  // namespace coppice::store

namespace coppice::cli {

struct Invocation;

// Opens settings.db, which a lock of others or a full disk soon fails.
Result<store::Database> OpenToWrite(const Invocation& invocation,
                                    store::Access access);

// For campaigns, which wait for whatever is in the way of the file: `listener`
// lives as long as the database, so that no wait is silent.
Result<store::Database> OpenToWrite(const Invocation& invocation,
                                    const engine::OutageListener& listener,
                                    store::Access access);

}  // namespace coppice::cli
