import { randomUUID } from 'node:crypto'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPool, type Pool } from './connect-pool.ts'
import { createWorkspaceClients, type WorkspaceClient, type WorkspaceClients } from './workspace-clients.ts'

const own = randomUUID()
const other = randomUUID()
let database: FreshDatabase
let pool: Pool
let clients: WorkspaceClients

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 2, role: 'ratchet_alias' })
  clients = createWorkspaceClients(pool)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const at = new Date('2026-11-23T00:00:00Z')

function webhookOf(workspaceId: string) {
  const secret = { ciphertext: new Uint8Array([1]), nonce: new Uint8Array([2]), keyId: 'a' }
  const times = { createdAt: at, updatedAt: at, createdBy: randomUUID() }
  return { id: randomUUID(), workspaceId, url: 'https://example.com', events: [], enabled: true, ...secret, ...times }
}

/** A webhook of each workspace. */
async function addTwo() {
  const [mine, theirs] = [webhookOf(own), webhookOf(other)]
  await clients(own).webhook.create({ data: mine })
  await clients(other).webhook.create({ data: theirs })
  return { mine, theirs }
}

async function urlOf(id: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ url: string }>('SELECT url FROM webhook WHERE id = $1', [id])
  return rows[0]?.url
}

type Webhooks = WorkspaceClient['webhook']
const url = 'https://changed.example'

it.each<[string, (webhooks: Webhooks, id: string) => Promise<unknown>]>([
  ['findUnique', (webhooks, id) => webhooks.findUnique({ where: { id } })],
  ['findFirst', (webhooks, id) => webhooks.findFirst({ where: { OR: [{ id }, { url }] } })],
  ['findMany', async (webhooks, id) => (await webhooks.findMany({ where: { id } }))[0] ?? null],
  ['updateManyAndReturn', async (webhooks, id) => (await changeAll(webhooks, id))[0] ?? null],
])('%s finds rows of the workspace and no others', async (_, find) => {
  const { mine, theirs } = await addTwo()

  expect(await find(clients(own).webhook, mine.id)).toMatchObject({ id: mine.id })
  expect(await find(clients(own).webhook, theirs.id)).toBeNull()
  expect(await urlOf(theirs.id)).toBe('https://example.com')
})

function changeAll(webhooks: Webhooks, id: string) {
  return webhooks.updateManyAndReturn({ where: { id }, data: { url } })
}

it.each<[string, (webhooks: Webhooks, id: string) => Promise<unknown>]>([
  ['update', (webhooks, id) => webhooks.update({ where: { id }, data: { url } })],
  ['updateMany', (webhooks, id) => webhooks.updateMany({ where: { id }, data: { url } })],
  ['updateMany without a condition', (webhooks) => webhooks.updateMany({ data: { url } })],
  ['delete', (webhooks, id) => webhooks.delete({ where: { id } })],
  ['deleteMany', (webhooks, id) => webhooks.deleteMany({ where: { id } })],
  ['deleteMany without a condition', (webhooks) => webhooks.deleteMany()],
  ['upsert', (webhooks, id) => webhooks.upsert({ where: { id }, update: { url }, create: { ...webhookOf(own), id } })],
])('%s does not change the row of another workspace', async (_, change) => {
  const { theirs } = await addTwo()

  await change(clients(own).webhook, theirs.id).catch(() => undefined)

  expect(await urlOf(theirs.id)).toBe('https://example.com')
})

it('counts and sums only rows of the workspace', async () => {
  const workspaceId = randomUUID()
  await addTwo()
  await clients(workspaceId).webhook.createMany({ data: [webhookOf(workspaceId), webhookOf(workspaceId)] })
  const { webhook } = clients(workspaceId)

  expect(await webhook.count()).toBe(2)
  expect(await webhook.aggregate({ _count: true })).toEqual({ _count: 2 })
  expect(await webhook.groupBy({ by: ['workspaceId'] })).toEqual([{ workspaceId }])
})

it.each<[string, (webhooks: Webhooks) => Promise<unknown>]>([
  ['created', (webhooks) => webhooks.create({ data: webhookOf(other) })],
  ['created with others', (webhooks) => webhooks.createMany({ data: [webhookOf(own), webhookOf(other)] })],
  [
    'created unless it exists',
    (webhooks) => webhooks.upsert({ where: { id: randomUUID() }, update: {}, create: webhookOf(other) }),
  ],
  ['moved', (webhooks) => webhooks.updateMany({ data: { workspaceId: other } })],
  ['found by its workspace', (webhooks) => webhooks.findMany({ where: { workspaceId: other } })],
])('refuses that a row of another workspace is %s', async (_, write) => {
  await expect(write(clients(own).webhook)).rejects.toThrow('names another workspace')
})

it('has the rights of its role only', async () => {
  await expect(clients(own).exchange.findMany()).rejects.toThrow(/denied/)
})
