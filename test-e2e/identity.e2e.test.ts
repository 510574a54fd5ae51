import { changeKeys } from '@ratchet/db/change-keys'
import { connectPrisma } from '@ratchet/db/connect'
import { revokeApiKey, setRole } from '@ratchet/db/operator'
import { postChat } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'

let fleet: SharedFleet
let db: ReturnType<typeof connectPrisma>

beforeAll(async () => {
  fleet = await shareFleet()
  db = connectPrisma({ databaseUrl: fleet.databaseUrl })
}, 300_000)
afterAll(async () => {
  await db?.$disconnect()
})

describe('keys', () => {
  it('are refused by every edge process for every request that starts after their revocation', async () => {
    for (let round = 0; round < 20; round++) {
      const { apiKey, keyId } = await fleet.workspace.addMember('member')
      const load = keepCalling(apiKey)
      await load.underWay
      await revokeApiKey(db, { id: keyId, at: new Date() })
      const after = await Promise.all(
        Array.from({ length: 30 }, (_, i) => models(fleet.edges[i % 3]?.url ?? '', apiKey)),
      )
      await load.stop()
      expect(new Set(after)).toEqual(new Set([401]))
    }
  }, 180_000)

  it('become invalid when their creator is no longer a member', async () => {
    const { apiKey, userId } = await fleet.workspace.addMember('admin')
    expect(await models(fleet.url, apiKey)).toBe(200)
    const where = { workspaceId_userId: { workspaceId: fleet.workspace.workspaceId, userId } }
    await changeKeys(db, () => db.membership.delete({ where }))
    expect(await models(fleet.url, apiKey)).toBe(401)
  })

  it('remain valid when the role of their creator changes, with the permissions of the new role', async () => {
    const { apiKey, userId } = await fleet.workspace.addMember('admin')
    await setRole(db, { workspaceId: fleet.workspace.workspaceId, userId, role: 'member', at: new Date() })
    expect(await models(fleet.url, apiKey)).toBe(200)
  })
})

describe('identity', () => {
  it('is set only by the edge: inference refuses callers without it, and the edge removes spoofed headers', async () => {
    const direct = await fetch(`${fleet.inference.url}/v1/models`, { headers: { authorization: 'Bearer x' } })
    expect(direct.status).toBe(401)
    const spoofed = await postChat(fleet, {
      model: 'sim/echo',
      headers: { 'x-internal-identity': 'v1.k1.e30.AA', 'x-request-id': 'mine', 'x-internal-workspace': 'victim' },
    })
    expect(spoofed.status).toBe(200)
    expect(spoofed.headers.get('x-request-id')).not.toBe('mine')
  })
})

describe('public documents', () => {
  it.each(['/v1/openapi.json', '/docs', '/healthz', '/livez', '/startupz', '/readyz'])(
    '%s needs no key',
    async (path) => {
      const response = await fetch(`${fleet.url}${path}`)
      expect(response.status).toBe(200)
      expect((await response.text()).length).toBeGreaterThan(10)
    },
  )

  it('contain no metrics, which are on a port of their own', async () => {
    const { url, metricsUrl } = fleet.edges[0] ?? { url: '', metricsUrl: '' }
    for (const path of ['/metrics', '/metrics/', '/Metrics', '/metrics?a=1']) {
      expect((await fetch(url + path)).status).toBe(401)
    }
    expect(await (await fetch(metricsUrl)).text()).toContain('http_server_request_duration_seconds')
  })
})

async function models(url: string, apiKey: string): Promise<number> {
  const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })
  await response.body?.cancel()
  return response.status
}

/** Calls every edge with the key repeatedly until it is stopped. */
function keepCalling(apiKey: string) {
  let stopped = false
  const first = Promise.withResolvers<void>()
  const loops = fleet.edges.map(async ({ url }) => {
    while (!stopped) {
      const status = await models(url, apiKey)
      if (status === 200) first.resolve()
    }
  })
  return {
    underWay: first.promise,
    async stop() {
      stopped = true
      await Promise.all(loops)
    },
  }
}
