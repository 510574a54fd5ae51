import { randomBytes, randomUUID } from 'node:crypto'
import { type Identity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type IdentifiedRequest, type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { readLedger } from '../ledger-oracle.ts'
import { rawChatBytes, rawRequest } from '../raw-request.ts'
import type { FleetProcess } from '../start-process.ts'
import { workspaceWith } from '../workspace-with.ts'
import { describeFault } from './describe-fault.ts'

const spellings = [
  identityHeader,
  'X-Internal-Identity',
  'x_internal_identity',
  'X_Internal_Identity',
  'X-INTERNAL_IDENTITY',
]

/** A readable path of each service. */
const reads = {
  inference: '/v1/models',
  logging: '/v1/datasets',
  judging: '/v1/criteria',
  eval: '/v1/evals',
  alias: '/v1/aliases',
} as const
type Service = keyof typeof reads

describeFault(
  {
    id: 'F9',
    title: 'a client sends the identity header of the fleet',
    promise: 'the edge removes and counts it; a service accepts only a fresh signature for itself and this request',
    fleet: { judges: true, evals: true, aliases: true },
  },
  (fault) => {
    it.each(spellings)('removes %s', async (name) => {
      const { edges, keyFor, url } = fault.fleet
      const before = await spoofedCount(edges[0])
      const victim = await workspaceWith(fault.fleet)
      for (const target of ['/v1/aliases', '/v1/chat/completions']) {
        const audience = target === '/v1/aliases' ? 'alias' : 'inference'
        const bound = { audience, requestId: 'r', method: target === '/v1/aliases' ? 'GET' : 'POST', path: target }
        const spoof = signIdentity(keyFor(audience), bound, identityOf(victim), Date.now())
        const headers = [`${name}: ${spoof}`, 'Connection: X-Request-Id, X-Internal-Identity', 'X-Request-Id: r']
        const body =
          bound.method === 'GET'
            ? ''
            : JSON.stringify({ model: 'sim/small', messages: [{ role: 'user', content: 'hi' }] })
        const answer = await rawRequest(
          url,
          rawChatBytes(fault.fleet.workspace.apiKey, { target, method: bound.method, headers, body }),
        )
        expect(answer.status).toBe(200)
        const unknown = await rawRequest(
          url,
          rawChatBytes('sk_svc_nobody', { target, method: bound.method, headers, body }),
        )
        expect(unknown.status).toBe(401)
      }
      expect(await spoofedCount(edges[0])).toBe(before + 4)
      expect(await billedTo(victim.workspaceId)).toBe(0)
    })

    it.each(Object.keys(reads) as Service[])('%s accepts only its own signature', async (service) => {
      const process = fault.fleet[service]
      const path = reads[service]
      const own = fault.fleet.keyFor(service)
      const other = fault.fleet.keyFor(service === 'alias' ? 'eval' : 'alias')
      const requestId = randomUUID()
      const bound: IdentifiedRequest = { audience: service, requestId, method: 'GET', path }
      const identity = identityOf(fault.fleet.workspace)
      const nowMs = Date.now()
      const good = signIdentity(own, bound, identity, nowMs)
      const [version, id, payload = '', mac = ''] = good.split('.')
      const forged: Readonly<Record<string, string | null>> = {
        'no header': null,
        'an empty one': '',
        'a bare workspace': identity.workspaceId,
        'JSON without a signature': JSON.stringify(identity),
        'a key of nobody': signIdentity({ id: own.id, secret: randomBytes(32) }, bound, identity, nowMs),
        "another service's key": signIdentity(renamed(other, own), bound, identity, nowMs),
        'another audience': signIdentity(own, { ...bound, audience: 'edge' }, identity, nowMs),
        'another request': signIdentity(own, { ...bound, requestId: randomUUID() }, identity, nowMs),
        'another method': signIdentity(own, { ...bound, method: 'DELETE' }, identity, nowMs),
        'another path': signIdentity(own, { ...bound, path: '/v1/other' }, identity, nowMs),
        'one of 41 seconds ago': signIdentity(own, bound, identity, nowMs - 41_000),
        'one of the future': signIdentity(own, bound, identity, nowMs + 20_000),
        'another payload': `${version}.${id}.${altered(payload)}.${mac}`,
        'no signature': `${version}.${id}.${payload}.`,
        'a longer one': `${good}.x`,
        'an unknown version': good.replace('v1', 'v2'),
      }
      for (const [what, header] of Object.entries(forged)) {
        expect([what, await statusOf(process, { path, requestId, header })]).toEqual([what, 401])
      }
      expect(await statusOf(process, { path, requestId, header: good })).toBe(200)
      fault.note('forgeries refused by each of 5 services', Object.keys(forged).length)
    })

    async function billedTo(workspaceId: string): Promise<number> {
      const { open, posted } = await readLedger(fault.fleet.databaseUrl, workspaceId)
      return open + posted
    }
  },
)

function identityOf({ workspaceId, userId, keyId }: { workspaceId: string; userId: string; keyId: string }): Identity {
  return { workspaceId, userId, keyId, role: 'owner' }
}

function renamed(key: NamedKey, { id }: NamedKey): NamedKey {
  return { ...key, id }
}

/** The same claims for another workspace. */
function altered(payload: string): string {
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return Buffer.from(JSON.stringify({ ...claims, workspaceId: randomUUID() })).toString('base64url')
}

interface DirectRead {
  readonly path: string
  readonly requestId: string
  readonly header: string | null
}

async function statusOf({ url }: FleetProcess, { path, requestId, header }: DirectRead): Promise<number> {
  const headers = { [requestIdHeader]: requestId, ...(header === null ? {} : { [identityHeader]: header }) }
  return (await fetch(`${url}${path}`, { headers })).status
}

async function spoofedCount(edge: FleetProcess | undefined): Promise<number> {
  const text = await (await fetch(edge?.metricsUrl ?? '')).text()
  return Number(/^ratchet_edge_spoofed_headers_total(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1] ?? 0)
}
