#include "config/put.h"

#include <algorithm>

#include "config/keys.h"

namespace coppice::config {

Result<void> Put(Loaded& loaded, std::string_view key, const std::string& value,
                 const std::string& origin) {
  const Key& known = *FindKey(key);
  if (auto done = Assign(known, value, loaded.settings); !done) {
    return Fail(done.error().code, std::string(key) + ": " + done.error().what);
  }
  Origin& row = *std::ranges::find(loaded.origins, key, &Origin::key);
  row.value = Print(known, loaded.settings);
  row.origin = origin;
  return {};
}

}  // namespace coppice::config
