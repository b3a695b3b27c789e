import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ago, count, day, dollars, interval, moment, seconds, share, short, span, times, plural, words } from '../../src/text/format.ts'
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

test('what is not known is a dash in each form', () => {
  for (const form of [times, seconds, span, dollars, count, short, moment]) {
    assert.deepEqual([form(null), form(undefined)], ['–', '–'], form.name)
  }
  for (const form of [times, seconds, span, dollars, short, moment]) assert.equal(form(NaN), '–', form.name)
  assert.equal(ago(null, 5), '–')
  assert.deepEqual([interval(1, null), interval(9.5, 12.25), interval(99, 100)], ['', '[9.5, 12.3]', '[99, 100]'])
})

test('units change where three digits no longer fit', () => {
  assert.deepEqual([999e-9, 1e-6, 999e-6, 1e-3, 0.999, 1, -2e-3].map((s) => seconds(s)),
    ['999 ns', '1.00 µs', '999 µs', '1.00 ms', '999 ms', '1.00 s', '-2.00 ms'])
  assert.deepEqual([9999, 1e4, 1e6, 1e9, 0.005, 0.0123, 0, -20000].map((x) => short(x)),
    ['9999', '10.0k', '1.00M', '1.00G', '0.00500', '0.01', '0', '-20.0k'])
  assert.deepEqual([0.0099, 0.01, -0.001, 100].map((x) => dollars(x)), ['$0.0099', '$0.01', '$-0.0010', '$100.00'])
})

test('spans change their form at minutes, hours and two days', () => {
  assert.deepEqual([60, 3599, 3600, 172799, 172800].map((s) => span(s)), ['1:00', '59:59', '1:00:00', '47:59:59', '2 d 0 h'])
  assert.equal(ago(100, 161), '1:01 ago')
})

test('names, counts and days are words', () => {
  assert.deepEqual([words('compile_failed_once'), words(null)], ['compile failed once', ''])
  assert.deepEqual([plural(1, 'node'), plural(0, 'node'), plural(1234, 'node'), plural(2, 'try', 'tries')],
    ['1 node', '0 nodes', '1,234 nodes', '2 tries'])
  assert.deepEqual([day(0), day(20783), day('2026-11-27')], ['1970-01-01', '2026-11-26', '2026-11-27'])
  assert.deepEqual([share(0, 5), share(5, 5), share(1, 200)], ['0%', '100%', '<1%'])
})
