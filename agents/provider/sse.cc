#include "agents/provider/sse.h"

#include <algorithm>

namespace coppice::agents {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

bool SseParser::Feed(std::string_view bytes, const Take& take) {
  while (!bytes.empty() && !overflown_) {
    if (after_cr_) {
      after_cr_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    line_.append(bytes.substr(0, end));
    overflown_ = line_.size() + event_.data.size() > kLongestEvent;
    if (end == bytes.size()) break;
    after_cr_ = bytes[end] == '\r';
    EndLine(take);
    bytes.remove_prefix(end + 1);
  }
  return !overflown_;
}

void SseParser::EndLine(const Take& take) {
  std::string_view line = line_;
  if (first_line_ && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  first_line_ = false;
  if (line.empty()) {
    if (has_data_) take(event_);
    event_ = {};
    has_data_ = false;
  } else {
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view field = line.substr(0, colon);
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    // Any other field, and a comment, whose field is empty, says nothing here.
    if (field == "event") {
      event_.type = value;
    } else if (field == "data") {
      if (has_data_) event_.data += '\n';
      event_.data += value;
      has_data_ = true;
    }
  }
  line_.clear();
}

}  // namespace coppice::agents
