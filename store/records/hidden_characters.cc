#include "store/records/hidden_characters.h"

#include <algorithm>
#include <iterator>

namespace coppice {
namespace {

struct Span {
  char32_t first;
  char32_t last;
};

constexpr Span kHidden[] = {
    {0x7F, 0x9F},       {0xAD, 0xAD},      {0x34F, 0x34F},   {0x61C, 0x61C},
    {0x115F, 0x1160},   {0x17B4, 0x17B5},  {0x180B, 0x180F}, {0x200B, 0x200F},
    {0x2028, 0x202E},   {0x2060, 0x206F},  {0x3164, 0x3164}, {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},  {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

}  // namespace

bool IsHidden(char32_t character) {
  const bool is_none = (character & 0xFFFEU) == 0xFFFE;
  return is_none ||
         std::any_of(std::begin(kHidden), std::end(kHidden), [=](Span span) {
           return character >= span.first && character <= span.last;
         });
}

}  // namespace coppice
