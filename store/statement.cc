#include "store/statement.h"

#include <algorithm>

namespace coppice::store {

Uuid Statement::Uuid(int column) const {
  coppice::Uuid uuid;
  const std::string_view bytes = View(column);
  std::copy_n(bytes.begin(), std::min(bytes.size(), uuid.bytes.size()),
              uuid.bytes.begin());
  return uuid;
}

}  // namespace coppice::store
