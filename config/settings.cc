#include "config/settings.h"

#include "store/records/own_providers.h"

namespace coppice::config {

ModelList TheCatalogue() {
  return {{std::string(NameOf(Answerer::kCatalogue)), ""}};
}

}  // namespace coppice::config
