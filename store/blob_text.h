// The SQL function blob_text(blob_id): the text of a blob, NULL of NULL.
#pragma once

namespace coppice::store {

class Connection;

// REQUIRES: the connection outlives its use in statements.
void RegisterBlobText(Connection& connection);

}  // namespace coppice::store
