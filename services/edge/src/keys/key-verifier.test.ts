import { createHash } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { unknownKey } from '../edge.fixture.ts'
import { createEdgeEvents } from '../events.ts'
import { createKeyVerifier, type KeyVerifierOptions } from './key-verifier.ts'
import { memoryKeyStore } from './memory-key-store.ts'

const identity: Identity = {
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
  const verifier = createKeyVerifier({
    store,
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

it('reads the store for every request, so that a revocation applies to the next one', async () => {
  const { verifier, add, remove, statements } = setUp()
  const key = unknownKey()
  add(key)
  await expect(verifier.verify(key, address)).resolves.toEqual(identity)
  await expect(verifier.verify(key, address)).resolves.toEqual(identity)
  remove(key)
  await expect(verifier.verify(key, address)).rejects.toEqual(refused)
  expect(statements).toHaveLength(3)
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
  const { verifier, add, clock, statements } = setUp()
  const key = unknownKey()
  for (let i = 0; i < 10; i++) await expect(verifier.verify(key, address)).rejects.toEqual(refused)
  expect(statements).toHaveLength(1)
  add(key)
  clock.advance(5_000)
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
