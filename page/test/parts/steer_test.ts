import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitting, gateInWords, gateOf, inWords, isFrozen, isLiftable, isPaused, kKinds, kRoles, lastOf, namesOf, newUuid, outcomeInWords, saidInWords, waitsFor } from '../../src/steer/directive.ts'
import type { Directive } from '../../src/wire/types.ts'

let id = 0
const said = (kind: string, more: Partial<Directive> = {}): Directive => ({
  id: ++id, uuid: '', kind, subject: null, text: '', author: 'ada', at_s: 0, effective_decision: 3, outcome: 'applied', refusal: null, attempts: [], ...more,
})

test('a directive has what its kind takes, and nothing of another', () => {
  const all = { text: 't', aspect: 'pattern', role: 'plan', amount: 3 }
  assert.deepEqual(fitting({ kind: 'boost', subject: 7, payload: all }), { kind: 'boost', subject: 7, payload: { amount: 3 } })
  assert.deepEqual(fitting({ kind: 'pause', subject: 7, payload: all }), { kind: 'pause', subject: null, payload: {} })
  assert.deepEqual(fitting({ kind: 'forbid', subject: 7, payload: all }).payload, { text: 't', aspect: 'pattern' })
  assert.deepEqual(fitting({ kind: 'budget', subject: null, payload: all }).payload, { aspect: 'attempts', amount: 3 })
  assert.equal(inWords({ kind: 'forbid', subject: 7, payload: { aspect: 'technique', text: 'tile' } }), 'forbid node 7 technique: tile')
})

test('a uuid is one of version 4, and never twice the same', () => {
  assert.match(newUuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.notEqual(newUuid(), newUuid())
})

test('what holds is what was taken up and not lifted', () => {
  const freeze = said('freeze', { subject: 7 })
  assert.ok(isFrozen([freeze], 7))
  assert.ok(!isFrozen([freeze], 8))
  assert.ok(!isFrozen([freeze, said('unfreeze', { subject: 7 })], 7))
  assert.ok(!isFrozen([freeze, said('lift', { target: freeze.id })], 7))
  assert.ok(isLiftable(freeze, [freeze]))
  assert.ok(!isLiftable(freeze, [freeze, said('lift', { target: freeze.id })]))
  assert.ok(isPaused([said('pause')]))
  assert.ok(!isPaused([said('pause'), said('resume', { outcome: 'pending' })]))
  assert.ok(!isPaused([said('pause', { outcome: 'withdrawn' })]))
  assert.equal(lastOf([]), 0)
})

test('a gate is open for what was approved after it', () => {
  const early = said('approve', { aspect: 'attempts', amount: 9 })
  const gate = said('gate', { effective_decision: 5 })
  const words = (more: Directive[], next: number, used = 0) => gateInWords(gateOf([early, gate, ...more])!, next, used)
  assert.equal(gateOf([early]), null)
  assert.equal(words([], 5), 'Attempt 5 waits for an approval.')
  const two = said('approve', { aspect: 'attempts', amount: 2, effective_decision: 5 })
  assert.equal(words([two], 5), 'Attempts 5 to 6 are approved.')
  assert.equal(words([two], 6), 'Attempt 6 is approved, and none after it.')
  assert.equal(words([two], 7), 'Attempt 7 waits for an approval.')
  const money = said('approve', { aspect: 'usd', amount: 1.5, effective_decision: 7 })
  assert.equal(words([two, money], 7, 1.2), 'Attempts begin until the campaign has used $1.5.')
  assert.equal(words([two, money], 7, 1.5), 'Attempt 7 waits for an approval.')
  assert.equal(gateOf([gate, said('approve', { aspect: 'attempts', amount: 1, outcome: 'pending' })])!.asked.length, 1)
  assert.equal(gateOf([gate, said('lift', { target: gate.id, outcome: 'pending' })]), null)
})

test('an outcome says from when, or why not', () => {
  const pending = said('freeze', { outcome: 'pending', effective_decision: null })
  assert.equal(outcomeInWords(pending, 'running'), 'waits for the next decision')
  for (const state of ['interrupted', 'paused', 'finished']) {
    assert.equal(outcomeInWords(pending, state), 'takes effect at the next resume')
  }
  assert.equal(outcomeInWords(pending, undefined), 'waits')
  assert.equal(outcomeInWords(said('freeze'), 'running'), 'applied at decision 3')
  assert.equal(outcomeInWords(said('boost', { outcome: 'refused', refusal: 'no' }), 'running'), 'refused: no')
})

test('a label names its techniques once each, and free words name none', () => {
  assert.deepEqual(namesOf('again + jam(j, 48, overlap) + jam(i, 6, overlap) + parallel(*)'), ['again', 'jam', 'parallel'])
  assert.deepEqual(namesOf('restrict()'), ['restrict'])
  assert.deepEqual(namesOf('use shared memory + tile(i, 8)'), [])
  assert.deepEqual(namesOf(''), [])
  assert.deepEqual(namesOf(null), [])
})

test('each kind says what it does, and asks for what it takes', () => {
  for (const [name, kind] of Object.entries(kKinds)) {
    assert.match(kind.does, /^[A-Z].*\.$/, name)
    const all = { text: 't', aspect: kind.aspects[0] ?? '', role: kRoles[0], amount: 3 }
    const { subject, payload } = fitting({ kind: name, subject: 7, payload: all })
    assert.equal(subject, kind.node === 'none' ? null : 7, name)
    const wanted = [kind.text === null ? '' : 'text', kind.aspects.length ? 'aspect' : '', kind.role ? 'role' : '', kind.amount === null ? '' : 'amount']
    assert.deepEqual(Object.keys(payload), wanted.filter(Boolean), name)
  }
})

test('what nobody knows is left as it is, and what is empty is left out', () => {
  const strange = { kind: 'dance', subject: 7, payload: { text: 't', target: 3 } }
  assert.equal(fitting(strange), strange)
  assert.deepEqual(fitting({ kind: 'advise', subject: null, payload: { text: '', role: '' } }).payload, {})
  assert.deepEqual(fitting({ kind: 'boost', subject: 7, payload: { amount: NaN } }).payload, {})
  assert.deepEqual(fitting({ kind: 'forbid', subject: null, payload: { aspect: 'usd', text: 't' } }).payload, { text: 't', aspect: 'technique' })
})

test('a row is read in the words in which it was drafted', () => {
  const words = (kind: string, more: Partial<Directive>) => saidInWords(said(kind, more))
  assert.equal(words('advise', { subject: 3, role: 'plan', text: 'tile first' }), 'advise node 3 plan: tile first')
  assert.equal(words('budget', { aspect: 'usd', amount: 0 }), 'budget usd 0')
  assert.equal(words('lift', { target: 12 }), 'lift directive 12')
  assert.equal(words('pause', {}), 'pause')
})

test('a decision that nobody knows yet is said without its number', () => {
  const gate = gateOf([said('gate', { effective_decision: 5 })])!
  assert.equal(gateInWords(gate, undefined, undefined), 'Attempts wait for an approval.')
  const waits = gateOf([said('gate', { outcome: 'pending', effective_decision: null })])!
  assert.equal(gateInWords(waits, 5, 0), 'From the next decision on, attempts wait for an approval.')
  assert.equal(outcomeInWords(said('freeze', { outcome: 'withdrawn' }), 'running'), 'withdrawn')
  assert.equal(waitsFor('running'), 'waits for the next decision')
})

test('of two gates the later counts, and an approval before it does not', () => {
  const old = said('gate', { effective_decision: 1 })
  const approved = said('approve', { aspect: 'attempts', amount: 5, effective_decision: 1 })
  const later = said('gate', { effective_decision: 9 })
  const gate = gateOf([old, approved, later])!
  assert.deepEqual([gate.row, gate.until, gate.usd], [later, 9, null])
  assert.equal(gateOf([old, approved, later, said('lift', { target: later.id })])!.until, 6)
})

test('what is refused or of another kind cannot be lifted', () => {
  for (const d of [said('freeze', { outcome: 'refused' }), said('freeze', { outcome: 'pending' }), said('pause'), said('budget')]) {
    assert.ok(!isLiftable(d, [d]), d.kind)
  }
  const lift = (target: number) => said('lift', { target, outcome: 'refused' })
  const pin = said('pin', { subject: 1 })
  assert.ok(isLiftable(pin, [pin, lift(pin.id)]))
  assert.equal(lastOf([pin, said('note')]), pin.id + 2)
})
