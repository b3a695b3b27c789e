import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatPlace, parsePlace, toNode, toPage, toTree } from '../../src/place/address.ts'

const parse = (url: string) => {
  const made = new URL(url, 'http://127.0.0.1')
  return parsePlace(made.pathname, made.search)
}

test('a place is its address, there and back', () => {
  for (const url of ['/', '/leaderboard', '/leaderboard?task=a+b', '/spend?db=1', '/ask?sql=SELECT+1',
    '/c/gemm_square.xei_b.s1', '/c/a/tree?node=4088&filter=verdict%3Apassed', '/c/a/n/14?db=2&tab=diff&against=root',
    '/c/a/failures', '/c/a/steer']) {
    assert.equal(formatPlace(parse(url)), url)
  }
})

test('any name of a campaign is one', () => {
  for (const name of ['.', '..', '~', '~x', 'a/b', 'a?b#c', '100%', '<b>', 'ü 🌲', 'n', 'tree', '%2e']) {
    const place = parse(toNode(3, name, 7))
    assert.deepEqual([place.page, place.c, place.node, place.db], ['node', name, 7, 3], name)
  }
})

test('what is no page is nowhere', () => {
  for (const url of ['/x', '/c/a/n/abc', '/c/a/n/-1', '/c/a/n/1/2', '/c/a/tree/2', '/leaderboard/x', '/toString']) {
    assert.equal(parse(url).page, 'nowhere', url)
  }
})

test('an address that is half encoded is read as it stands', () => {
  assert.equal(parsePlace('/c/100%', '').c, '100%')
})

test('empty values are left out', () => {
  assert.equal(toTree(0, 'a', { view: '', node: '3' }), '/c/a/tree?node=3')
  assert.equal(toPage('ask', {}, 0), '/ask')
})
