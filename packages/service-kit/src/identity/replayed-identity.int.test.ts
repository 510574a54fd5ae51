import { randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endpoint } from '@ratchet/contracts/endpoint'
import type { Identity } from '@ratchet/contracts/identity'
import { createUpstream } from '@ratchet/http/create-upstream'
import { type ServedApp, serveTestApp, testAppDeps } from '@ratchet/testing/service-app'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { z } from 'zod'
import { createFleetClient } from '../fleet/fleet-client.ts'
import { createHttpApp } from '../http/http-app.ts'
import { mount } from '../http/mount.ts'
import { requireIdentity } from './require-identity.ts'

const described = { summary: 'Test.', description: 'Test.', service: 'logging', permission: 'any' } as const
const reply = z.object({ workspace: z.string() })
const params = z.object({ id: z.string() })
const callers = ['judging'] as const
const readThing = endpoint({ ...described, method: 'get', path: '/v1/things/:id', params, reply, callers })
const deleteThing = endpoint({ ...described, method: 'delete', path: '/v1/things/:id', params, reply, callers })

const key = { id: 'k1', secret: randomBytes(32) }
const workspaceId = '0195a2b0-0000-7000-8000-000000000002'
const identity: Identity = { workspaceId, userId: workspaceId, role: 'admin', keyId: workspaceId }
let nowMs = Date.parse('2026-11-24T12:00:00Z')
const now = () => new Date(nowMs)

interface Recorded {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

let service: ServedApp
/** What an attacker on the network between two services reads. */
const wire: Recorded[] = []
const relay = createServer((incoming, outgoing) => {
  const { method = '', url: path = '', headers } = incoming
  wire.push({ method, path, headers })
  const onward = sendRequest(service.origin + path, { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
    answer.pipe(outgoing)
  })
  incoming.pipe(onward)
})

beforeAll(async () => {
  const app = createHttpApp({
    ...testAppDeps(now),
    requestId: ({ headers }) => String(headers['x-request-id']),
    routes: (router) => {
      router.use(requireIdentity({ audience: 'logging', keys: [key], now, logger: silentLogger }))
      mount(router, readThing, ({ identity: by }) => ({ workspace: by.workspaceId }))
      mount(router, deleteThing, ({ identity: by }) => ({ workspace: by.workspaceId }))
    },
  })
  service = await serveTestApp(app)
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  relay.closeAllConnections()
  relay.close()
  await service.stop()
})

async function replay({ method, path, headers }: Recorded): Promise<number> {
  const response = await fetch(service.origin + path, { method, headers: headers as Record<string, string> })
  await response.text()
  return response.status
}

it('is refused for another method, path or request, with another caller, and after 30 seconds', async () => {
  const upstream = createUpstream({
    origin: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    connections: 1,
    connectTimeoutMs: 5_000,
  })
  const client = createFleetClient({
    audience: 'logging',
    upstream,
    key: keyOfCaller(key, 'judging'),
    now,
    newId: () => '0195a2b0-0000-7000-8000-00000000000f',
  })
  expect(await client.call(readThing, { params: { id: 't1' } }, identity)).toEqual({ workspace: workspaceId })
  await upstream.destroy()
  const [{ headers, ...rest } = { method: '', path: '', headers: {} }] = wire
  const known = {
    'x-request-id': headers['x-request-id'],
    'x-internal-identity': String(headers['x-internal-identity']),
  }
  const real: Recorded = { ...rest, headers: known }
  expect(known['x-internal-identity']).toMatch(/^v2\.judging\.k1\./)

  const renamed = (caller: string) => known['x-internal-identity'].replace('judging', caller)
  const others: Readonly<Record<string, Recorded>> = {
    'another method': { ...real, method: 'DELETE' },
    'another path': { ...real, path: '/v1/things/t2' },
    'a query': { ...real, path: '/v1/things/t1?a=1' },
    'another request': { ...real, headers: { ...known, 'x-request-id': '0195a2b0-0000-7000-8000-0000000000ff' } },
    'the name of another caller': { ...real, headers: { ...known, 'x-internal-identity': renamed('eval') } },
    'the version of the edge': {
      ...real,
      headers: { ...known, 'x-internal-identity': renamed('').replace('v2..', 'v1.') },
    },
  }
  for (const [what, other] of Object.entries(others)) {
    expect([what, await replay(other)]).toEqual([what, 401])
  }
  // The same request, byte for byte, is valid until its end: SECURITY.md names it as a limit.
  nowMs += 30_000
  expect(await replay(real)).toBe(200)
  nowMs += 6_000
  expect(await replay(real)).toBe(401)
})
