import { createHash } from 'node:crypto'
import type { KeyIdentity } from '@ratchet/contracts/identity'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { unknownKey } from '../edge.fixture.ts'
import { createEdgeEvents } from '../events.ts'
import { createKeyLease, type KeyLease } from './key-lease.ts'
import { createKeyVerifier, type KeyVerifierOptions } from './key-verifier.ts'
import { memoryKeyStore } from './memory-key-store.ts'

const identity: KeyIdentity = {
  keyId: '00000000-0000-7000-8000-000000000001',
  userId: '00000000-0000-7000-8000-000000000002',
  workspaceId: '00000000-0000-7000-8000-000000000003',
  role: 'member',
}
const address = '10.0.0.1'

function setUp(options: Partial<KeyVerifierOptions> = {}) {
  const clock = fixedClock()
  const memory = memoryKeyStore()
  const statements: (readonly string[])[] = []
  const store = {
    ...memory,
    async find(hashes: readonly string[]) {
      statements.push(hashes)
      return memory.find(hashes)
    },
  }
  const clockMs = () => clock.now().getTime()
  const lease = createKeyLease({ maxKeys: 10, monotonicMs: clockMs, wallMs: clockMs })
  const verifier = createKeyVerifier({
    store,
    lease,
    keyPrefix: 'sk_svc_',
    events: createEdgeEvents(createProcessMetrics('edge').registry, silentLogger),
    now: clock.now,
    unknownKeysPerAddress: 3,
    silenceMs: 1_000,
    suspiciousPauseMs: 1,
    ...options,
  })
  const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')
  return {
    verifier,
    lease,
    statements,
    clock,
    add: (key: string) => memory.identities.set(hashOf(key), identity),
    remove: (key: string) => memory.identities.delete(hashOf(key)),
  }
}

const refused = expect.objectContaining({
  code: 'invalid_api_key',
  message: expect.stringContaining('missing, malformed or revoked'),
})

it('reads the store for every request without a lease, so that a revocation applies to the next one', async () => {
  const { verifier, add, remove, statements } = setUp()
  const key = unknownKey()
  add(key)
  await expect(verifier.verify(key, address)).resolves.toEqual(identity)
  await expect(verifier.verify(key, address)).resolves.toEqual(identity)
  remove(key)
  await expect(verifier.verify(key, address)).rejects.toEqual(refused)
  expect(statements).toHaveLength(3)
})

/** What a lease receives when it begins, and when it is renewed. */
const unchanged = { version: 0, oldestVersion: null, userIds: [] }

it('reads a key once while it has a lease, and again when its user changed or the lease ended', async () => {
  const { verifier, lease, clock, add, remove, statements } = setUp()
  const key = unknownKey()
  add(key)
  lease.receive(lease.nextRequest('lease'), unchanged)
  for (let i = 0; i < 3; i++) await expect(verifier.verify(key, address)).resolves.toEqual(identity)
  expect(statements).toHaveLength(1)
  lease.receive(lease.nextRequest(''), { version: 1, oldestVersion: 1, userIds: [identity.userId] })
  await expect(verifier.verify(key, address)).resolves.toEqual(identity)
  expect(statements).toHaveLength(2)
  clock.advance(2_700)
  remove(key)
  await expect(verifier.verify(key, address)).rejects.toEqual(refused)
})

it('does not remember a key that was read before a change and arrived after it', async () => {
  const answers: (() => void)[] = []
  const found = memoryKeyStore()
  const store = {
    ...found,
    find: async (hashes: readonly string[]) => {
      await new Promise<void>((resolve) => answers.push(resolve))
      return new Map(hashes.map((keyHash) => [keyHash, identity]))
    },
  }
  const { verifier, lease } = setUp({ store })
  const key = unknownKey()
  lease.receive(lease.nextRequest('lease'), unchanged)
  const early = verifier.verify(key, address)
  await eventually(() => answers.length === 1)
  lease.receive(lease.nextRequest(''), { version: 1, oldestVersion: 1, userIds: [identity.userId] })
  answers[0]?.()
  await expect(early).resolves.toEqual(identity)
  const later = verifier.verify(key, address)
  await eventually(() => answers.length === 2)
  answers[1]?.()
  await later
  await expect(verifier.verify(key, address)).resolves.toEqual(identity)
  expect(answers).toHaveLength(2)
})

it('does not remember unknown keys as valid, and valid ones not as unknown', async () => {
  const { verifier, lease, clock, add } = setUp()
  const key = unknownKey()
  lease.receive(lease.nextRequest('lease'), unchanged)
  await expect(verifier.verify(key, address)).rejects.toEqual(refused)
  add(key)
  clock.advance(5_000)
  lease.receive(lease.nextRequest(''), unchanged)
  await expect(verifier.verify(key, address)).resolves.toEqual(identity)
})

it('refuses a malformed key without reading the store', async () => {
  const { verifier, statements } = setUp()
  const key = unknownKey()
  const flipped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
  for (const bad of [
    null,
    '',
    'x',
    flipped,
    `${key} `,
    `${key}0`,
    `${key}, ${key}`,
    `${key}\u0000`,
    'k'.repeat(10_000),
  ]) {
    await expect(verifier.verify(bad, address)).rejects.toEqual(refused)
  }
  expect(statements).toEqual([])
})

it('reads the keys of simultaneous requests in one statement, each key once', async () => {
  const { verifier, add, statements } = setUp()
  const keys = [unknownKey(), unknownKey()]
  for (const key of keys) add(key)
  await Promise.all([...keys, ...keys, ...keys].map((key) => verifier.verify(key, address)))
  expect(statements.map((hashes) => hashes.length)).toEqual([2])
})

it('does not read an unknown key again for five seconds', async () => {
  const { verifier, lease, add, clock, statements } = setUp()
  const key = unknownKey()
  lease.receive(lease.nextRequest('lease'), unchanged)
  for (let i = 0; i < 10; i++) await expect(verifier.verify(key, address)).rejects.toEqual(refused)
  expect(statements).toHaveLength(1)
  add(key)
  clock.advance(5_000)
  lease.receive(lease.nextRequest(''), unchanged)
  await expect(verifier.verify(key, address)).resolves.toEqual(identity)
})

it.each<[string, (lease: KeyLease) => void]>([
  [
    'something changed',
    (lease) => void lease.receive(lease.nextRequest(''), { version: 1, oldestVersion: 1, userIds: [null] }),
  ],
  ['the lease ended', (lease) => void lease.end()],
])('reads an unknown key again when %s, because it may be valid now', async (_name, change) => {
  const { verifier, lease, add } = setUp()
  const key = unknownKey()
  lease.receive(lease.nextRequest('lease'), unchanged)
  await expect(verifier.verify(key, address)).rejects.toEqual(refused)
  add(key)
  await expect(verifier.verify(key, address)).rejects.toEqual(refused)
  change(lease)
  await expect(verifier.verify(key, address)).resolves.toEqual(identity)
})

it('limits the unknown keys of an address, but not its valid keys', async () => {
  const { verifier, add } = setUp()
  const valid = unknownKey()
  add(valid)
  for (let i = 0; i < 3; i++) await expect(verifier.verify(unknownKey(), address)).rejects.toEqual(refused)
  await expect(verifier.verify(unknownKey(), address)).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': '10' },
  })
  await expect(verifier.verify(unknownKey(), '10.0.0.2')).rejects.toEqual(refused)
  await expect(verifier.verify(valid, address)).resolves.toEqual(identity)
})

it('accepts unknown keys of an address again after ten seconds', async () => {
  const { verifier, clock } = setUp()
  for (let i = 0; i < 5; i++) await verifier.verify(unknownKey(), address).catch(() => undefined)
  clock.advance(10_000)
  await expect(verifier.verify(unknownKey(), address)).rejects.toEqual(refused)
})

it('limits the number of statements for guessed keys, without delay for keys that were valid before', async () => {
  const { verifier, add, statements } = setUp({ suspiciousPauseMs: 500 })
  const valid = unknownKey()
  add(valid)
  await verifier.verify(valid, address)
  for (let i = 0; i < 3; i++) await verifier.verify(unknownKey(), address).catch(() => undefined)
  const before = statements.length
  const guesses = Array.from({ length: 1_000 }, () =>
    verifier.verify(unknownKey(), address).catch((error) => error.code),
  )
  await expect(verifier.verify(valid, address)).resolves.toEqual(identity)
  expect(statements.slice(before)).toHaveLength(1)
  const codes = new Set(await Promise.all(guesses.slice(600)))
  expect(codes).toEqual(new Set(['rate_limit_exceeded']))
})

it('answers 503, never 401, when the store fails or is late, and does not count it as an unknown key', async () => {
  let mode: 'fail' | 'hang' | 'work' = 'fail'
  const store = {
    ...memoryKeyStore(),
    find: async () => {
      if (mode === 'fail') throw new Error('connection refused')
      // The query times out long after its caller was answered.
      if (mode === 'hang') return elapse(150).then(() => Promise.reject(new Error('query timed out')))
      return new Map()
    },
  }
  const { verifier } = setUp({ store, silenceMs: 30 })
  const key = unknownKey()
  const unavailable = expect.objectContaining({ code: 'service_unavailable', headers: { 'retry-after': '1' } })
  await expect(verifier.verify(key, address)).rejects.toEqual(unavailable)
  mode = 'hang'
  await expect(verifier.verify(key, address)).rejects.toEqual(unavailable)
  mode = 'work'
  await eventually(() => expect(verifier.verify(key, address)).rejects.toEqual(refused))
})
