import { randomBytes } from 'node:crypto'
import { voiceEndpoints } from '@ratchet/contracts/voice/voice-endpoints'
import { isVoiceError } from '@ratchet/contracts/voice/voice-errors'
import { mintVoiceKey } from '@ratchet/contracts/voice/voice-key'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import fc from 'fast-check'
import { createEndpointIndex } from '../admission/endpoint-index.ts'
import { createAddressWindows } from './address-windows.ts'
import { admitVoiceRequest, type VoiceRequest } from './admit-voice-request.ts'
import { hourlyLimit, windowOffset } from './hourly-window.ts'
import type { VoiceCaller } from './voice-keys.ts'

const at = new Date('2026-12-01T10:20:30.500Z')
const key = mintVoiceKey('live', randomBytes)
const memberKey = mintVoiceKey('test', randomBytes)
const owner: VoiceCaller = {
  keyId: 'k1',
  workspaceId: 'w',
  userId: 'u',
  role: 'owner',
  env: 'live',
  scope: 'workspace',
}
const hex = (text: string) => Buffer.from(hashApiKey(text)).toString('hex')
const callers = new Map<string, VoiceCaller>([
  [hex(key), owner],
  [hex(memberKey), { ...owner, keyId: 'k2', role: 'member', env: 'test' }],
])

function newDeps(used = 0) {
  let number = used
  const resetsAt = Math.floor(at.getTime() / 1000) + 100
  return {
    keys: { find: async (hash: Uint8Array) => callers.get(Buffer.from(hash).toString('hex')) ?? null },
    windows: { count: async () => ({ number: ++number, resetsAt }) },
    addresses: createAddressWindows(2),
    index: createEndpointIndex(voiceEndpoints),
    now: () => at,
  }
}

const get = (path: string, apiKey: string | null = key): VoiceRequest => ({
  method: 'GET',
  path,
  apiKey,
  address: '192.0.2.1',
})

it('admits a key to every path, with and without /v1, and says how much of the hour is left', async () => {
  const deps = newDeps(10)
  for (const path of ['/v1/agents', '/agents', '/v1/tools/vtool_1', '/tools/vtool_1']) {
    expect(await admitVoiceRequest(deps, get(path))).toMatchObject({ kind: 'admitted', caller: owner })
  }
  expect((await admitVoiceRequest(deps, get('/agents'))).headers).toEqual({
    'x-ratelimit-limit': '1000',
    'x-ratelimit-remaining': '985',
    'x-ratelimit-reset': String(Math.floor(at.getTime() / 1000) + 100),
  })
})

it('answers every key that is not valid in the same way, and a missing one with its own code', async () => {
  const wrong = ['', 'ck_live_', mintVoiceKey('live', randomBytes), `${key}x`, `sk_svc_${key.slice(8)}`]
  const answers = await Promise.all(wrong.map((each) => admitVoiceRequest(newDeps(), get('/v1/agents', each))))
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]).toMatchObject({ status: 401, code: 'UNAUTHORIZED', headers: { 'x-ratelimit-remaining': '999' } })
  expect(await admitVoiceRequest(newDeps(), get('/nowhere', null))).toMatchObject({
    status: 401,
    code: 'MISSING_API_KEY',
  })
})

it('refuses what is beyond the hourly limit, of a key and of an address without a valid key', async () => {
  const deps = newDeps(hourlyLimit - 1)
  expect((await admitVoiceRequest(deps, get('/agents'))).kind).toBe('admitted')
  expect(await admitVoiceRequest(deps, get('/agents'))).toMatchObject({
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    headers: { 'x-ratelimit-remaining': '0', 'retry-after': '100' },
  })
  for (let i = 0; i < hourlyLimit; i++) await admitVoiceRequest(deps, get('/agents', null))
  expect(await admitVoiceRequest(deps, get('/agents', null))).toMatchObject({ status: 429 })
  expect(await admitVoiceRequest(deps, { ...get('/agents', null), address: '192.0.2.2' })).toMatchObject({
    status: 401,
  })
})

it('lets only owners and admins change anything', async () => {
  for (const { method, path, permission } of voiceEndpoints) {
    const sent = { ...get(path.replace(/:\w+/g, '1'), memberKey), method: method.toUpperCase() }
    const answer = await admitVoiceRequest(newDeps(), sent)
    expect(permission === 'any').toBe(method === 'get')
    expect(answer).toMatchObject(method === 'get' ? { kind: 'admitted' } : { status: 403, code: 'FORBIDDEN' })
  }
})

it('answers other paths and other methods with 404', async () => {
  expect(await admitVoiceRequest(newDeps(), get('/v1/nothing'))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  expect(await admitVoiceRequest(newDeps(), { ...get('/v1/agents'), method: 'PUT' })).toMatchObject({
    status: 404,
    code: 'NOT_FOUND',
    headers: { allow: 'POST, GET, HEAD' },
  })
})

it('has rate headers and a pair of its table on every refusal, whatever is sent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'DELETE', 'PATCH', 'PUT', 'OPTIONS', 'x'),
      fc.oneof(fc.webPath(), fc.constantFrom('/v1/agents', '/v1/tools/a', '/agents/a/versions/1/publish')),
      fc.option(fc.oneof(fc.string(), fc.constantFrom(key, memberKey))),
      fc.constantFrom(0, hourlyLimit),
      async (method, path, apiKey, used) => {
        const answer = await admitVoiceRequest(newDeps(used), { method, path, apiKey, address: 'a' })
        expect(Object.keys(answer.headers)).toEqual(
          expect.arrayContaining(['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']),
        )
        if (answer.kind === 'refused') expect(isVoiceError(answer)).toBe(true)
      },
    ),
    { numRuns: 500 },
  )
})

it('begins the windows of different keys at different times', () => {
  const offsets = Array.from({ length: 200 }, (_, i) =>
    windowOffset(`00000000-0000-4000-8000-0000${(i * 7_919_777).toString(16).padStart(8, '0')}`),
  )
  expect(new Set(offsets).size).toBeGreaterThan(150)
  expect(Math.max(...offsets)).toBeLessThan(3_600)
})
