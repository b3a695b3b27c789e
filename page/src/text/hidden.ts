// Characters that nobody sees, for a class of a regular expression with flag u.
// Made by scripts/hidden_characters.py.
export const kHidden =
  '\\u{7f}-\\u{9f}\\u{ad}\\u{34f}\\u{61c}\\u{115f}-\\u{1160}\\u{17b4}-\\u{17b5}\\u{180b}-\\u{180f}' +
  '\\u{200b}-\\u{200f}\\u{2028}-\\u{202e}\\u{2060}-\\u{206f}\\u{3164}\\u{fe00}-\\u{fe0f}\\u{feff}' +
  '\\u{ffa0}\\u{fff0}-\\u{fffb}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}' +
  '\\u{fffe}-\\u{ffff}\\u{1fffe}-\\u{1ffff}\\u{2fffe}-\\u{2ffff}\\u{3fffe}-\\u{3ffff}' +
  '\\u{4fffe}-\\u{4ffff}\\u{5fffe}-\\u{5ffff}\\u{6fffe}-\\u{6ffff}\\u{7fffe}-\\u{7ffff}' +
  '\\u{8fffe}-\\u{8ffff}\\u{9fffe}-\\u{9ffff}\\u{afffe}-\\u{affff}\\u{bfffe}-\\u{bffff}' +
  '\\u{cfffe}-\\u{cffff}\\u{dfffe}-\\u{dffff}\\u{efffe}-\\u{effff}\\u{ffffe}-\\u{fffff}' +
  '\\u{10fffe}-\\u{10ffff}'
