import { randomBytes } from 'node:crypto'
import { callerNames, mayCall } from '@ratchet/contracts/callers'
import { type Endpoint, type ServiceName, serviceNames } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { type Identity, identityHeader, Purpose, requestIdHeader } from '@ratchet/contracts/identity'
import { internalEndpoints } from '@ratchet/contracts/internal-endpoints'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import { silentLogger } from '@ratchet/testing/silent-logger'
import fc from 'fast-check'
import type { ServedRequest } from '../http/served.ts'
import { CallerKeys, parseCallerKeys } from './caller-keys.ts'
import { deriveAudienceKey, type NamedKey, type SigningKey, signIdentity, verifyIdentity } from './identity.ts'
import { admitCaller, identityOf, requireIdentity } from './require-identity.ts'

const { now } = fixedClock()
const nowMs = now().getTime()
const master = randomBytes(32)
const all = [...endpoints, ...internalEndpoints]
const workspaceId = '0195a2b0-0000-7000-8000-000000000002'
const identity: Identity = { workspaceId, userId: workspaceId, role: 'owner', keyId: workspaceId }

const ownKey = (service: ServiceName): NamedKey => ({ id: 'k1', secret: deriveAudienceKey(master, service) })
const keyOf = (caller: (typeof callerNames)[number], audience: ServiceName): SigningKey =>
  caller === 'edge' ? ownKey(audience) : keyOfCaller(ownKey(audience), caller)

interface Call {
  readonly key: SigningKey
  readonly endpoint: Endpoint
  readonly purpose?: Purpose | undefined
  readonly acceptsSharedKeys?: boolean
  readonly as?: Identity
}

/** The status with which the called service answers. */
function statusOf({ key, endpoint, purpose, acceptsSharedKeys = false, as = identity }: Call): number {
  const { service: audience, path } = endpoint
  const method = endpoint.method.toUpperCase()
  const claimed = purpose === undefined ? as : { ...as, purpose }
  const header = signIdentity(key, { audience, requestId: 'r1', method, path }, claimed, nowMs)
  const headers = { [requestIdHeader]: 'r1', [identityHeader]: header }
  const request = { method, path, originalUrl: path, headers } as unknown as ServedRequest
  const keys = [ownKey(audience)]
  try {
    requireIdentity({ audience, keys, acceptsSharedKeys, now, logger: silentLogger })(request, null, () => undefined)
    expect(() => identityOf(request)).toThrow('without admitCaller()')
    admitCaller(request, endpoint)
    expect(identityOf(request)).toEqual(claimed)
    return 200
  } catch (error) {
    return (error as { status?: number }).status ?? 0
  }
}

const anyCall = fc.record({
  caller: fc.constantFrom(...callerNames),
  audience: fc.constantFrom(...serviceNames),
  endpoint: fc.constantFrom(...all),
  purpose: fc.constantFrom(undefined, ...Purpose.options),
})

it('accepts of every caller what the contracts allow it, and nothing that was signed for another service', () => {
  fc.assert(
    fc.property(anyCall, ({ caller, audience, endpoint, purpose }) => {
      const expected = mayCall(caller, endpoint, usedFor(purpose)) ? 200 : 403
      const key = keyOf(caller, audience)
      expect(statusOf({ key, endpoint, purpose })).toBe(audience === endpoint.service ? expected : 401)
    }),
    { numRuns: 3_000 },
  )
})

it('accepts no key of one caller under the name of another one', () => {
  fc.assert(
    fc.property(anyCall, fc.constantFrom(...callerNames), ({ caller, endpoint, purpose }, claimed) => {
      fc.pre(claimed !== caller)
      const { id, secret } = keyOf(caller, endpoint.service)
      const key = claimed === 'edge' ? { id, secret } : { id, secret, caller: claimed }
      expect(statusOf({ key, endpoint, purpose })).toBe(401)
    }),
    { numRuns: 1_000 },
  )
})

it('accepts any call with the key of the callee only while shared keys are accepted', () => {
  for (const endpoint of all) {
    const shared = { key: ownKey(endpoint.service), endpoint, purpose: 'judge' } as const
    expect([statusOf(shared), statusOf({ ...shared, acceptsSharedKeys: true })]).toEqual([403, 200])
    // A caller that has its own key has no more rights then.
    const key = keyOf('logging', endpoint.service)
    expect(statusOf({ key, endpoint, purpose: 'judge', acceptsSharedKeys: true })).toBe(403)
  }
})

it('verifies callers with every key of a rotation', () => {
  const [old, fresh] = [ownKey('inference'), { id: 'k2', secret: randomBytes(32) }]
  const bound = { audience: 'inference', requestId: 'r1', method: 'GET', path: '/' }
  for (const key of [old, fresh].map((each) => keyOfCaller(each, 'eval'))) {
    const header = signIdentity(key, bound, identity, nowMs)
    expect(verifyIdentity([fresh, old], bound, header, nowMs)).toEqual({ caller: 'eval', identity })
  }
})

it('accepts calls of endpoints for people with a session only', () => {
  const forPeople = { ...(endpoints[0] as Endpoint), audience: 'session' } as const
  const session = { id: workspaceId, mayGrade: false, isFresh: false }
  const call = { key: ownKey(forPeople.service), endpoint: forPeople }
  expect(statusOf(call)).toBe(403)
  expect(statusOf({ ...call, as: { ...identity, keyId: null, session } })).toBe(200)
})

describe('the keys of a caller in the environment', () => {
  const [one, two] = [randomBytes(32), randomBytes(32)]
  const text = `judging.k2:${two.toString('base64')}, judging.k1:${one.toString('base64')}`

  it('are read in order, with the name of the caller', () => {
    const keys = [
      { caller: 'judging', id: 'k2', secret: two },
      { caller: 'judging', id: 'k1', secret: one },
    ]
    expect(parseCallerKeys(text)).toEqual(keys)
    expect(CallerKeys.parse(text)).toEqual(keys)
  })

  it('may be those of the callee, for an upgrade', () => {
    expect(CallerKeys.parse(`k1:${one.toString('base64')}`)).toEqual([{ id: 'k1', secret: one }])
  })

  it.each([
    ['of two callers', text.replace('judging.k1', 'eval.k1')],
    ['of an unknown caller', text.replaceAll('judging', 'nobody')],
    ['of the edge', text.replaceAll('judging', 'edge')],
    ['with and without a caller', text.replace('judging.k1', 'k1')],
    ['that were typed', `judging.k1:${Buffer.alloc(32, 'a').toString('base64')}`],
    ['that are equal', text.replace(one.toString('base64'), two.toString('base64'))],
    ['that are empty', 'judging.'],
  ])('are refused %s', (_case, wrong) => {
    const { error } = CallerKeys.safeParse(wrong)
    expect(error?.issues).toHaveLength(1)
    expect(error?.issues[0]?.message).not.toContain(one.toString('base64').slice(0, 8))
  })
})

function usedFor(purpose: Purpose | undefined) {
  return purpose === undefined ? {} : { purpose }
}
