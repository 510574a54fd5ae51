import type { KeyIdentity } from '@ratchet/contracts/identity'
import { createKeyLease, type KeyChanges } from './key-lease.ts'
import { simulate } from './lease-simulation.fixture.ts'
import { type Mutation, mutations } from './simulated-world.fixture.ts'

const alice: KeyIdentity = { keyId: 'k1', userId: 'alice', workspaceId: 'w', role: 'member' }
const bob: KeyIdentity = { keyId: 'k2', userId: 'bob', workspaceId: 'w', role: 'member' }

function setUp({ maxKeys = 10 } = {}) {
  const clock = { monotonicMs: 5_000, wallMs: 1_000_000 }
  const lease = createKeyLease({ maxKeys, monotonicMs: () => clock.monotonicMs, wallMs: () => clock.wallMs })
  const pass = (ms: number) => {
    clock.monotonicMs += ms
    clock.wallMs += ms
  }
  const send = (changes: KeyChanges | null) => lease.receive(lease.nextRequest('lease'), changes)
  const remember = (...identities: KeyIdentity[]) => {
    for (const identity of identities) lease.fill(identity.keyId, identity, lease.beforeRead())
  }
  return { lease, clock, pass, send, remember }
}

const joined: KeyChanges = { version: 7, oldestVersion: null, userIds: [] }
const nothing: KeyChanges = { version: 7, oldestVersion: 1, userIds: [] }

it('remembers nothing before it has a lease', () => {
  const { lease, send, remember } = setUp()
  const before = lease.beforeRead()
  remember(alice)
  send(joined)
  lease.fill('k2', bob, before)
  expect([lease.find('k1'), lease.find('k2')]).toEqual([null, null])
  remember(alice)
  expect(lease.find('k1')).toBe(alice)
})

it('does not answer for a key that has expired', () => {
  const { lease, clock, pass, send } = setUp()
  send(joined)
  lease.fill('k1', alice, lease.beforeRead(), clock.wallMs + 500)
  pass(499)
  expect(lease.find('k1')).toBe(alice)
  pass(1)
  expect(lease.find('k1')).toBeNull()
})

it('answers until 2.7 seconds after the renewal was sent, however late its answer came', () => {
  const { lease, pass, send, remember } = setUp()
  send(joined)
  remember(alice)
  pass(1_000)
  const request = lease.nextRequest('unused')
  pass(900)
  lease.receive(request, nothing)
  pass(1_799)
  expect(lease.find('k1')).toBe(alice)
  pass(1)
  expect(lease.find('k1')).toBeNull()
  send(nothing)
  expect(lease.find('k1')).toBe(alice)
})

it('drops the keys of users who changed, and acknowledges that at once', () => {
  const { lease, send, remember } = setUp()
  send(joined)
  remember(alice, bob)
  expect(send({ version: 9, oldestVersion: 1, userIds: ['alice'] })).toBe(true)
  expect([lease.find('k1'), lease.find('k2')]).toEqual([null, bob])
  expect(lease.nextRequest('unused')).toMatchObject({ kind: 'renew', leaseId: 'lease', ackedVersion: 9 })
  expect(send({ version: 9, oldestVersion: 1, userIds: [] })).toBe(false)
})

it.each<[string, KeyChanges]>([
  ['a change concerns all', { version: 8, oldestVersion: 1, userIds: [null] }],
  ['changes before the stored ones were missed', { version: 12, oldestVersion: 9, userIds: ['carol'] }],
  ['the database went back', { version: 6, oldestVersion: 1, userIds: [] }],
])('drops all keys when %s', (_when, changes) => {
  const { lease, send, remember } = setUp()
  send(joined)
  remember(alice, bob)
  send(changes)
  expect([lease.find('k1'), lease.find('k2')]).toEqual([null, null])
})

it('drops all keys when its lease is gone, and takes another one at once', () => {
  const { lease, send, remember } = setUp()
  send(joined)
  remember(alice)
  expect(send(null)).toBe(true)
  expect(lease.nextRequest('second')).toMatchObject({ kind: 'join', leaseId: 'second' })
  lease.receive(lease.nextRequest('second'), joined)
  expect(lease.find('k1')).toBeNull()
})

it('does not remember what was read before a change that it has applied', () => {
  const { lease, send } = setUp()
  send(joined)
  const readSince = lease.beforeRead()
  send({ version: 8, oldestVersion: 1, userIds: ['bob'] })
  lease.fill('k1', alice, readSince)
  expect(lease.find('k1')).toBeNull()
})

it.each([1_001, -1_001])('drops all keys when the wall clock moved by %s ms against the other', (ms) => {
  const { lease, clock, pass, send, remember } = setUp()
  send(joined)
  remember(alice)
  pass(100)
  clock.wallMs += ms
  expect(lease.find('k1')).toBeNull()
  clock.wallMs -= ms
  send(nothing)
  expect(lease.isValid()).toBe(true)
  expect(lease.find('k1')).toBeNull()
})

it('counts a short suspension, which only the wall clock notices', () => {
  const { lease, clock, pass, send, remember } = setUp()
  send(joined)
  remember(alice)
  pass(2_000)
  clock.wallMs += 699
  expect(lease.find('k1')).toBe(alice)
  clock.wallMs += 1
  expect(lease.find('k1')).toBeNull()
})

it('remembers a limited number of keys, and drops the one that was read first', () => {
  const { lease, send, remember } = setUp({ maxKeys: 2 })
  send(joined)
  remember(alice, bob, { ...alice, keyId: 'k3' }, bob)
  expect(['k1', 'k2', 'k3'].map((key) => lease.find(key)?.keyId)).toEqual([undefined, 'k2', 'k3'])
})

/** The first of these seeds with which a replaced role was answered; null: none. */
function firstStaleSeed(mutation: Mutation | null, seeds: number): number | null {
  for (let seed = 1; seed <= seeds; seed++) if (simulate(seed, mutation).stale > 0) return seed
  return null
}

describe('with late, lost and frozen parts, clocks that step and a failing database', () => {
  it('never answers with what was replaced before the request started', () => {
    const { hits, reads } = simulate(1, null)
    expect(hits).toBeGreaterThan(1_000)
    expect(reads).toBeGreaterThan(1_000)
    expect(firstStaleSeed(null, 100)).toBeNull()
  }, 60_000)

  it.each(mutations)(
    'notices that the protocol is broken: %s',
    (mutation) => {
      expect(firstStaleSeed(mutation, 400)).not.toBeNull()
    },
    60_000,
  )
})
