#include "store/blob_text.h"

#include <sqlite3.h>

#include <exception>

#include "store/connection.h"

namespace coppice::store {
namespace {

void BlobText(sqlite3_context* context, int, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
  auto& connection = *static_cast<Connection*>(sqlite3_user_data(context));
  const auto id = static_cast<BlobId>(sqlite3_value_int64(arguments[0]));
  try {
    const Result<std::string> text = connection.blobs().Text(id);
    if (text) {
      sqlite3_result_text64(context, text->data(), text->size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8);
    } else {
      sqlite3_result_error(context, text.error().what.c_str(), -1);
    }
  } catch (const std::exception& exception) {
    sqlite3_result_error(context, exception.what(), -1);
  }
}

}  // namespace

void RegisterBlobText(Connection& connection) {
  const int code = sqlite3_create_function_v2(
      connection.sqlite().getHandle(), "blob_text", 1,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, &connection,
      BlobText, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    throw SQLite::Exception(connection.sqlite().getHandle(), code);
  }
}

}  // namespace coppice::store
