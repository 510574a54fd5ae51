import { randomBytes, randomUUID } from 'node:crypto'
import { providerKeyPlace } from '@ratchet/contracts/provider-key'
import { connectPrisma } from '@ratchet/db/connect'
import { removeProviderKey, saveProviderKey } from '@ratchet/db/provider-keys'
import { parseNamedKeys } from '@ratchet/service-kit/identity/identity'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'

const secret = 'sk-brought-0123456789abcdefWXYZ'
const withinMs = 10_000

let fleet: SharedFleet
let db: ReturnType<typeof connectPrisma>

beforeAll(async () => {
  fleet = await shareFleet()
  db = connectPrisma({ databaseUrl: fleet.databaseUrl, max: 2 })
}, 300_000)
afterAll(async () => {
  await db?.$disconnect()
})

interface Brought {
  readonly sealedFor?: string
  readonly baseUrl?: string
}

async function bring(workspaceId: string, { sealedFor = workspaceId, baseUrl }: Brought = {}): Promise<void> {
  const box = createSecretBox({ keys: parseNamedKeys(fleet.encryptionKeys), randomBytes })
  const sealed = box.seal(secret, providerKeyPlace({ workspaceId: sealedFor, provider: 'sim' }))
  const row = { id: randomUUID(), workspaceId, provider: 'sim', baseUrl: baseUrl ?? null, createdBy: null }
  await saveProviderKey(db, { ...row, ...sealed, display: 'WXYZ', at: new Date() })
}

/** The key that the provider receives for one request of a workspace. */
async function keyShown({ apiKey }: DemoWorkspace): Promise<string | undefined> {
  await fleet.provider.reset()
  const response = await postChat(fleet, { model: 'sim/echo', apiKey })
  expect(response.status).toBe(200)
  await response.text()
  const { requests } = await fleet.provider.report()
  return requests[0]?.headers.authorization
}

it('uses a workspace`s own key within seconds, for this workspace only, until it is removed', async () => {
  const [mine, other] = [await createDemoWorkspace(fleet.databaseUrl), await createDemoWorkspace(fleet.databaseUrl)]
  const platform = await keyShown(mine)
  await bring(mine.workspaceId)
  await eventually(async () => (await keyShown(mine)) === `Bearer ${secret}`, { withinMs })
  expect(await keyShown(other)).toBe(platform)
  await removeProviderKey(db, { workspaceId: mine.workspaceId, provider: 'sim' })
  await eventually(async () => (await keyShown(mine)) === platform, { withinMs })
}, 180_000)

it('does not use a key whose row was copied from another workspace, or whose host is not allowed', async () => {
  const [victim, thief] = [await createDemoWorkspace(fleet.databaseUrl), await createDemoWorkspace(fleet.databaseUrl)]
  await bring(thief.workspaceId, { sealedFor: victim.workspaceId })
  const curious = await createDemoWorkspace(fleet.databaseUrl)
  await bring(curious.workspaceId, { baseUrl: 'https://169.254.169.254/latest' })
  await fleet.provider.reset()
  for (const { apiKey } of [thief, curious]) {
    const response = await postChat(fleet, { model: 'sim/echo', apiKey })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: 'unknown_provider' } })
  }
  expect((await fleet.provider.report()).requests).toEqual([])
  await eventually(() => {
    expect(fleet.inference.log.join('\n')).toContain('"reason":"not_authentic"')
    expect(fleet.inference.log.join('\n')).toContain('"reason":"base_url_refused"')
  })
})

it('sends a key only to the provider: not in an answer, a header, a metric or a log', async () => {
  const mine = await createDemoWorkspace(fleet.databaseUrl)
  await bring(mine.workspaceId)
  const headers = { authorization: `Bearer ${mine.apiKey}` }
  const answers = [
    await postChat(fleet, { model: 'sim/echo', apiKey: mine.apiKey }),
    await postChat(fleet, { model: 'sim/echo', apiKey: mine.apiKey, stream: true }),
    await postChat(fleet, { model: 'sim/fail-401', apiKey: mine.apiKey }),
    await postChat(fleet, { model: 'sim/fail-500', apiKey: mine.apiKey }),
    await postChat(fleet, { model: 'sim/cut-10', apiKey: mine.apiKey, stream: true }),
    await fetch(`${fleet.url}/v1/models`, { headers }),
    await fetch(`${fleet.url}/v1/models/sim/echo`, { headers }),
    await fetch(`${fleet.url}/v1/openapi.json`),
    await fetch(`${fleet.inference.url}/metrics`),
    await fetch(fleet.edges[0]?.metricsUrl ?? ''),
  ]
  const bodies = await Promise.all(answers.map((answer) => answer.text().catch(() => '')))
  const heads = answers.map((answer) => JSON.stringify([...answer.headers]))
  const logs = [fleet.inference, ...fleet.edges].flatMap(({ log }) => log)
  const { requests } = await fleet.provider.report()
  expect(requests.map(({ headers: seen }) => seen.authorization)).toContain(`Bearer ${secret}`)
  expect(
    [...bodies, ...heads, ...logs].filter((text) => text.includes('sk-brought') || text.includes('defWXYZ')),
  ).toEqual([])
})
