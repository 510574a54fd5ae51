import { randomUUID } from 'node:crypto'
import { type CallerName, callerNames, mayCall } from '@ratchet/contracts/callers'
import { capturesPath, capturesRule } from '@ratchet/contracts/captured-exchange'
import { type Endpoint, operationName, type ServiceName, serviceNames } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { identityHeader, Purpose, requestIdHeader } from '@ratchet/contracts/identity'
import { internalEndpoints } from '@ratchet/contracts/internal-endpoints'
import { signIdentity } from '@ratchet/service-kit/identity/identity'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'

let fleet: SharedFleet
beforeAll(async () => {
  fleet = await shareFleet()
}, 300_000)

type Target = Pick<Endpoint, 'service' | 'method' | 'path' | 'audience' | 'callers' | 'needsPurpose'>

const captures: Target = { ...capturesRule, service: 'logging', method: 'post', path: capturesPath }
const targets: readonly Target[] = [...endpoints, ...internalEndpoints, captures]

interface Caller {
  readonly name: CallerName
  readonly purpose: Purpose | undefined
}

const callers: readonly Caller[] = callerNames.flatMap((name) =>
  [undefined, ...Purpose.options].map((purpose) => ({ name, purpose })),
)

/** Calls a service directly, as another process would that has the key of this caller. */
async function statusOf({ service, method: verb, path: pattern }: Target, { name, purpose }: Caller): Promise<number> {
  const path = pattern.replace(/[:*]\w+/g, 'nothing')
  const method = verb.toUpperCase()
  const requestId = randomUUID()
  const { workspaceId, userId, keyId } = fleet.workspace
  const identity = { workspaceId, userId, keyId, role: 'owner', ...(purpose === undefined ? {} : { purpose }) } as const
  const calleeKey = fleet.keyFor(service)
  const key = name === 'edge' ? calleeKey : keyOfCaller(calleeKey, name)
  const hasBody = !['GET', 'DELETE'].includes(method)
  const response = await fetch(fleet[service].url + path, {
    method,
    headers: {
      [requestIdHeader]: requestId,
      [identityHeader]: signIdentity(key, { audience: service, requestId, method, path }, identity, Date.now()),
      ...(hasBody ? { 'content-type': 'text/x-unknown' } : {}),
    },
    ...(hasBody ? { body: 'x' } : {}),
  })
  await response.body?.cancel()
  return response.status
}

it.each(targets.map((target) => [operationName(target), target] as const))(
  'is refused to every caller and purpose that the contract does not name: %s',
  async (_name, target) => {
    for (const caller of callers) {
      const status = await statusOf(target, caller)
      expect([caller, status === 401, status === 403]).toEqual([
        caller,
        false,
        !mayCall(caller.name, target, caller.purpose === undefined ? {} : { purpose: caller.purpose }),
      ])
    }
  },
  180_000,
)

it.each(serviceNames)('gives no caller of %s the key of another one', async (service) => {
  const target = { ...captures, service, method: 'get', path: '/v1/nothing' } as const
  const others: readonly ServiceName[] = serviceNames.filter((name) => name !== service)
  for (const name of others) {
    const stolen = keyOfCaller(fleet.keyFor(service), name)
    for (const claimed of [undefined, ...others.filter((other) => other !== name)]) {
      const { id, secret } = stolen
      const key = claimed === undefined ? { id, secret } : { id, secret, caller: claimed }
      const requestId = randomUUID()
      const { workspaceId, userId, keyId } = fleet.workspace
      const bound = { audience: service, requestId, method: 'GET', path: target.path }
      const identity = { workspaceId, userId, keyId, role: 'owner' } as const
      const headers = { [requestIdHeader]: requestId, [identityHeader]: signIdentity(key, bound, identity, Date.now()) }
      expect((await fetch(fleet[service].url + target.path, { headers })).status).toBe(401)
    }
  }
})
