import { randomUUID } from 'node:crypto'
import { type Endpoint, operationName } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import type { Role } from '@ratchet/contracts/identity'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { aliasProgress } from '@ratchet/contracts/internal-alias'
import { modelsNamed } from '@ratchet/contracts/internal-catalog'
import { evalProgress } from '@ratchet/contracts/internal-eval'
import { judgingProgress } from '@ratchet/contracts/internal-judging'
import { freshExchanges } from '@ratchet/contracts/internal-logs'
import { readWallet } from '@ratchet/contracts/internal-wallet'
import { connectPrisma } from '@ratchet/db/connect'
import { revokeApiKey } from '@ratchet/db/operator'
import { signIdentity } from '@ratchet/service-kit/identity/identity'
import { badKeys, hostTricks } from './front-door/bad-keys.ts'
import { rawRequest } from './raw-request.ts'
import { type FleetMember, type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
beforeAll(async () => {
  fleet = await shareFleet()
}, 300_000)

const named = (endpoint: Endpoint): [string, Endpoint] => [operationName(endpoint), endpoint]
const pathOf = ({ path }: Endpoint) => path.replace(/[:*]\w+/g, 'nothing')

interface Asked {
  readonly apiKey: string
  readonly method?: string
  readonly edge?: number
  /** An edge that does not guard calls which create work. */
  readonly origin?: string
}

async function ask(path: string, { apiKey, method = 'GET', edge = 0, origin }: Asked) {
  const hasBody = !['GET', 'HEAD', 'DELETE'].includes(method)
  const response = await fetch(`${origin ?? fleet.guardedEdges[edge]?.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    },
    ...(hasBody ? { body: '{}' } : {}),
  })
  const text = await response.text()
  const { code = null } = response.ok || text === '' ? {} : JSON.parse(text).error
  return { status: response.status, code, headers: response.headers, text }
}

describe.each<Role>(['owner', 'admin', 'member'])('a key minted by a %s', (role) => {
  let apiKey: string
  beforeAll(async () => {
    apiKey = (await (await workspaceWith(fleet)).addMember(role)).apiKey
  })

  it.each(endpoints.map(named))('has the permissions of the contracts: %s', async (_key, endpoint) => {
    const needed = endpoint.permission
    const may = needed === 'any' || role === 'owner' || (role === 'admin' && needed === 'owner_admin')
    const { status, code, text } = await ask(pathOf(endpoint), {
      apiKey,
      method: endpoint.method.toUpperCase(),
      origin: fleet.url,
    })
    if (!may) expect([status, code]).toEqual([403, 'insufficient_permissions'])
    else expect([401, 403, 405, 429].includes(status) || status >= 500 || code === 'unknown_url').toBe(false)
    expect(text).not.toMatch(/node_modules|\bat \w+ \(|\bSELECT\b|\/src\/|postgres:\/\//)
  })
})

describe('the description of the API', () => {
  it('has exactly the operations that the edge forwards', async () => {
    const { apiKey } = await (await workspaceWith(fleet)).addMember('member')
    const { paths } = JSON.parse(await (await fetch(`${fleet.url}/v1/openapi.json`)).text()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    }
    for (const [path, operations] of Object.entries(paths)) {
      const methods = Object.keys(operations).map((method) => method.toUpperCase())
      const { status, headers } = await ask(path.replace(/\{\w+\}/g, 'nothing'), { apiKey, method: 'OPTIONS' })
      const answered = (headers.get('allow') ?? '').split(', ').filter((method) => method !== 'HEAD')
      expect([path, status, answered.toSorted()]).toEqual([path, 405, methods.toSorted()])
    }
    expect(Object.keys(paths).toSorted()).toEqual(
      [...new Set(endpoints.map(({ path }) => path.replace(/[:*](\w+)/g, '{$1}')))].toSorted(),
    )
  })
})

describe('a service', () => {
  const processes = (): Readonly<Record<string, FleetMember>> => ({
    inference: fleet.inference,
    logging: fleet.logging,
    judging: fleet.judging,
    eval: fleet.eval,
    alias: fleet.alias,
    training: fleet.training,
  })
  const internal = [aliasProgress, modelsNamed, evalProgress, judgingProgress, freshExchanges, readWallet]

  it.each([...endpoints, ...internal].map(named))('answers only the edge: %s', async (_key, endpoint) => {
    const url = processes()[endpoint.service]?.url
    const requestId = randomUUID()
    const identity = { workspaceId: randomUUID(), userId: randomUUID(), role: 'owner', keyId: randomUUID() } as const
    const path = pathOf(endpoint)
    const elsewhere = endpoint.service === 'eval' ? 'alias' : 'eval'
    const method = endpoint.method.toUpperCase()
    const bound = { audience: elsewhere, requestId, method, path }
    const forOthers = signIdentity(fleet.keyFor(elsewhere), bound, identity, Date.now())
    const forAnother = signIdentity(
      fleet.keyFor(endpoint.service),
      { ...bound, audience: endpoint.service, path: '/' },
      identity,
      Date.now(),
    )
    for (const header of [undefined, '', 'v1.k1.e30.AA', forOthers, forAnother]) {
      const headers = { [requestIdHeader]: requestId, authorization: `Bearer ${fleet.workspace.apiKey}` }
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: header === undefined ? headers : { ...headers, [identityHeader]: header },
      })
      await answer.body?.cancel()
      expect(answer.status).toBe(401)
    }
  })

  it.each([
    ...internal.map((each) => pathOf(each)),
    ...['/internal', '/internal/', '/v1/internal/wallet', '/v1/logs/internal/wallet', '/admin', '/v1', '/', '/v1/'],
    ...['/internal/trainer/v1/spec', '/internal/trainer/v1/heartbeat', '/internal/training_holds'],
    ...['/Internal/wallet', '/v1/keys', '/v1/workspaces', '/v1/provider_keys', '/debug', '/.env', '/v1/models/'],
  ])('cannot be reached through the edge: %s', async (path) => {
    const { status, code } = await ask(path, { apiKey: fleet.workspace.apiKey })
    expect([status, code]).toEqual([404, 'unknown_url'])
  })
})

describe('the edge', () => {
  const head = (lines: readonly string[]) => ['GET /v1/models HTTP/1.1', ...lines, '', ''].join('\r\n')
  const bytes = (lines: readonly string[]) => Buffer.from(head(lines), 'latin1')

  it('answers the same for every kind of bad key', async () => {
    const { apiKey: revoked, keyId } = await fleet.workspace.addMember('owner')
    const db = connectPrisma({ databaseUrl: fleet.databaseUrl, max: 1 })
    await revokeApiKey(db, { id: keyId, at: new Date() })
    await db.$disconnect()
    const seen = new Map<string, readonly string[]>()
    for (const [what, lines] of badKeys(fleet.workspace.apiKey, revoked)) {
      const answer = await rawRequest(fleet.url, bytes(['Host: gateway.test', ...lines]))
      const id = answer.headers['x-request-id'] ?? ''
      const { date: _date, 'x-request-id': _id, ...headers } = answer.headers
      const answered = JSON.stringify([answer.status, headers, answer.body.replaceAll(id, '<id>')])
      seen.set(answered, [...(seen.get(answered) ?? []), what])
    }
    expect([...seen.values()]).toHaveLength(1)
    expect([...seen.keys()][0]).toMatch(/^\[401,/)
  })

  it('refuses a key with a NUL or a line break', async () => {
    for (const key of [`${fleet.workspace.apiKey}\0`, `${fleet.workspace.apiKey}\r`, `\n${fleet.workspace.apiKey}`]) {
      const { status } = await rawRequest(fleet.url, bytes(['Host: gateway.test', `Authorization: Bearer ${key}`]))
      expect([400, 401]).toContain(status)
    }
  })

  it.each(hostTricks.map((lines) => [lines.join(' '), lines]))('ignores the host: %s', async (_name, lines) => {
    const good = `Authorization: Bearer ${fleet.workspace.apiKey}`
    const [open, closed] = [
      await rawRequest(fleet.url, bytes([...lines, good])),
      await rawRequest(fleet.url, bytes([...lines, 'Authorization: Bearer x'])),
    ]
    expect([open.status, closed.status]).toEqual([200, 401])
  })

  it('allows no scripts of other origins', async () => {
    const origin = 'Origin: https://evil.example'
    const asked = ['Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: authorization']
    const preflight = head(['Host: gateway.test', origin, ...asked]).replace('GET', 'OPTIONS')
    const good = `Authorization: Bearer ${fleet.workspace.apiKey}`
    for (const request of [preflight, head(['Host: gateway.test', origin, good])]) {
      const { headers } = await rawRequest(fleet.url, request)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
      expect(headers).not.toHaveProperty('x-powered-by')
      expect(headers).not.toHaveProperty('server')
    }
  })

  it('counts guarded calls over all edges, and refuses the twenty-first within a minute', async () => {
    const { apiKey } = await workspaceWith(fleet)
    const path = '/v1/datasets/from_logs'
    const calls = Array.from({ length: 21 }, (_, index) => ask(path, { apiKey, method: 'POST', edge: index % 2 }))
    const answers = await Promise.all(calls)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.map(({ code }) => code)).toEqual(['abuse_guard'])
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })
})
