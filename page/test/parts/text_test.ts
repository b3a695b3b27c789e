import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count, dollars, interval, moment, seconds, share, short, span, times } from '../../src/text/format.ts'
import { oneLine, plain } from '../../src/text/plain.ts'
import { readAnchors } from '../../src/text/anchors.ts'

test('speedups have three digits, and none is a dash', () => {
  assert.deepEqual([1.004, 12.34, 345.6, null, NaN].map((x) => times(x)), ['1.00x', '12.3x', '346x', '–', '–'])
  assert.equal(interval(7.71, 8.09), '[7.71, 8.09]')
  assert.equal(interval(null, 8), '')
})

test('seconds have a unit that fits', () => {
  assert.deepEqual([0, 2.4e-9, 0.000012345, 0.0123, 1.5, 123].map((s) => seconds(s)),
    ['0 s', '2.40 ns', '12.3 µs', '12.3 ms', '1.50 s', '123 s'])
})

test('spans are read as clocks are', () => {
  assert.deepEqual([59.9, 61, 3723, 200000, -5].map((s) => span(s)), ['59 s', '1:01', '1:02:03', '2 d 7 h', '0 s'])
})

test('money and counts', () => {
  assert.deepEqual([0, 0.0042, 1.234, null].map((x) => dollars(x)), ['$0', '$0.0042', '$1.23', '–'])
  assert.equal(count(1234567), '1,234,567')
  assert.deepEqual([1234, 12345, 2.5e6, 0.5].map((x) => short(x)), ['1234', '12.3k', '2.50M', '0.50'])
  assert.deepEqual([share(1, 300), share(150, 300), share(0, 0)], ['<1%', '50%', '–'])
})

test('today has seconds, other days their date', () => {
  const now = new Date(2026, 10, 26, 15, 0, 0)
  assert.equal(moment(new Date(2026, 10, 26, 12, 3, 4).getTime() / 1000, now), '12:03:04')
  assert.equal(moment(new Date(2026, 10, 23, 12, 3, 4).getTime() / 1000, now), '2026-11-23 12:03')
})

test('controls that reorder, hide or end a text are shown', () => {
  assert.equal(plain('a\u202Eb\u202C'), 'a⟨U+202E⟩b⟨U+202C⟩')
  assert.equal(plain('x\u200By\uFEFF'), 'x⟨U+200B⟩y⟨U+FEFF⟩')
  assert.equal(plain('nul\u0000\u001b[31m'), 'nul␀␛[31m')
  assert.equal(plain('line\n\ttab'), 'line\n\ttab')
  assert.equal(plain(null), '')
})

test('what is shown as nothing is shown by its number, beyond 16 bits, too', () => {
  assert.equal(plain('a\u{E0041}b\u{1FFFF}'), 'a⟨U+E0041⟩b⟨U+1FFFF⟩')
  assert.equal(plain('x\uFE0F\u3164'), 'x⟨U+FE0F⟩⟨U+3164⟩')
  assert.equal(plain('\u{1F332} ä 快'), '\u{1F332} ä 快')
})

test('one line is one, and cut', () => {
  assert.equal(oneLine('a\n  b\tc'), 'a b c')
  assert.equal(oneLine('abcdef', 4), 'abc…')
})

test('anchors are taken out, and what was between them is marked', () => {
  const read = readAnchors('a\n// <<<IMPROVE BEGIN>>>\nb\nc\n// <<<IMPROVE END>>>\nd\n# <<<IMPROVE BEGINS>>>\ne\n# <<<IMPROVE ENDS>>>\n')
  assert.equal(read.text, 'a\nb\nc\nd\ne\n')
  assert.deepEqual(read.marks, [{ from: 2, to: 3 }, { from: 5, to: 5 }])
})

test('an anchor beside code keeps the code, and one not closed marks nothing', () => {
  const read = readAnchors('a; // <<<IMPROVE BEGIN>>>\nb')
  assert.equal(read.text, 'a; // <<<IMPROVE BEGIN>>>\nb')
  assert.deepEqual(read.marks, [])
})
