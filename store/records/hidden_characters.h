// Which characters of Unicode nobody sees, so that a text would be read as
// another than it is: the one table for all that shows what strangers wrote.
// The page has it by scripts/hidden_characters.py.
#pragma once

namespace coppice {

// DEL and the controls of 8 bits, what turns the direction of writing,
// separates lines or is no character, and all that is shown as nothing
// (Unicode 15, Default_Ignorable_Code_Point): soft hyphens, joiners, selectors
// of variants, tags.  The controls below U+0020 are for who shows the text.
bool IsHidden(char32_t character);

}  // namespace coppice
