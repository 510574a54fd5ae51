import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ErasureReceipt, PersonErasure } from '@ratchet/contracts/dashboard/erasures'
import { uuidOf } from '@ratchet/contracts/public-id'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { adminCommand } from './brought-keys.ts'
import { postChat } from './clients.ts'
import { erasedColumns } from './erasure/erased-columns.ts'
import { type Seed, seedPerson } from './erasure/seed-person.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { sendFromPage, signInUser } from './signed-in.ts'
import { everyRedisValue, everyRow } from './stored-texts.ts'
import { workspaceWith } from './workspace-with.ts'

/* Everything of an end user, in every table that can have something of one, erased by the services of a whole fleet. */

let fleet: Fleet
let pool: Pool
let workspace: DemoWorkspace
let cookie: string

const hex = randomBytes(6).toString('hex')
const person = `ann-${hex}@example.com`
const mark = `words-of-ann-${hex}`

beforeAll(async () => {
  fleet = await startFleet({ judges: true, evals: true, aliases: true, training: true, voice: true, dashboard: true })
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
  workspace = await workspaceWith(fleet, { loggingEnabled: true, logResponses: true, responseCache: true })
  cookie = await signInUser(fleet, workspace.userId)
}, 300_000)
afterAll(async () => {
  await pool?.end()
  await fleet?.stop()
})

const admin = (line: string) => adminCommand(fleet, line)

async function page<Reply>(place: string, method = 'GET', body?: unknown): Promise<{ status: number; body: Reply }> {
  const answer = await sendFromPage(fleet, `/api/w/${workspace.slug}${place}`, { method, body, cookie })
  return { status: answer.status, body: (await answer.json()) as Reply }
}

const ask = async (name: string, text: string, headers: Record<string, string> = {}) => {
  const call = {
    model: 'sim/small',
    apiKey: workspace.apiKey,
    headers: { 'x-svc-user': name, 'x-svc-trace-id': `run-of-${name}`, ...headers },
    body: { messages: [{ role: 'user', content: text }] },
  }
  const response = await postChat(fleet, call)
  expect(response.status).toBe(200)
  await response.text()
}

async function respond(): Promise<void> {
  const response = await fetch(`${fleet.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.apiKey}`, 'content-type': 'application/json', 'x-svc-user': person },
    body: JSON.stringify({ model: 'sim/small', input: `stored ${mark}`, store: true }),
  })
  expect(response.status).toBe(200)
  await response.text()
}

/** The exchanges of a person in the log, when they are there. */
const logsOf = async (name: string) => {
  const query = `user=${encodeURIComponent(name)}`
  const answer = await fetch(`${fleet.url}/v1/logs?${query}`, {
    headers: { authorization: `Bearer ${workspace.apiKey}` },
  })
  return ((await answer.json()) as { data: readonly { id: string }[] }).data
}

async function seedTraffic(): Promise<Seed> {
  await admin(`admin budget set --workspace ${workspace.slug} --scope user --subject ${person} --period month --usd 5`)
  await ask(person, `first ${mark}`)
  await ask(person, `again ${mark}`, { 'idempotency-key': randomUUID() })
  await ask('bob', 'words of bob')
  await respond()
  const logs = await eventually(async () => {
    const found = await logsOf(person)
    expect(found).toHaveLength(3)
    expect(await logsOf('bob')).toHaveLength(1)
    return found
  })
  const logId = uuidOf('log', logs[0]?.id ?? '') ?? ''
  await fetch(`${fleet.url}/v1/feedback`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ log_id: logs[0]?.id, rating: 'down', comment: `comment ${mark}` }),
  })
  const { rows } = await pool.query<{ id: string }>(
    'SELECT request_id AS id FROM exchange WHERE workspace_id = $1 AND id = $2',
    [workspace.workspaceId, logId],
  )
  return {
    workspaceId: workspace.workspaceId,
    userId: workspace.userId,
    person,
    mark,
    logId,
    requestId: rows[0]?.id ?? '',
  }
}

const ended = (id: string, state: string) =>
  eventually(
    async () => {
      const { body } = await page<PersonErasure>(`/erasures/${id}`)
      expect([body.state, body.waits]).toEqual([state, []])
      return body
    },
    { withinMs: 90_000 },
  )

/** Tables in which the person or their words are found. */
async function tablesWith(...texts: readonly string[]): Promise<readonly string[]> {
  const rows = (await everyRow(pool)).filter(({ text }) => texts.some((each) => text.includes(each)))
  return [...new Set(rows.map(({ table }) => table.replace(/_\d{6,8}$/, '')))].toSorted()
}

/** Tables in which a running fleet of tests has no words of the person for long enough. */
const unseeded = new Set([
  // Contents are in blocks here.
  'exchange_content',
  // The simulated answers do not repeat the prompt. Their number is compared.
  'idempotency_record',
  // Sent within a second.
  ...['judging_notice', 'training_notice', 'voice_notice'],
])

it('erases an end user from every table and from Redis, leaves others, and writes a receipt', async () => {
  const seed = await seedTraffic()
  await seedPerson(pool, seed)
  const before = await tablesWith(mark, person)
  expect(Object.keys(erasedColumns).filter((table) => !before.includes(table) && !unseeded.has(table))).toEqual([])

  const begun = await page<PersonErasure>('/erasures', 'POST', { person })
  expect([begun.status, begun.body.state]).toEqual([201, 'finding'])
  expect((await page('/erasures', 'POST', { person })).status).toBe(409)
  const found = await ended(begun.body.id, 'found')
  const counted = ['exchanges', 'dataset_examples', 'spans', 'feedback', 'repeated_replies', 'cached_answers']
  const foundKinds = found.found.map(({ kind }) => kind)
  expect(counted.filter((kind) => !foundKinds.includes(kind))).toEqual([])
  expect(await tablesWith(mark, person)).toEqual([...before, 'erasure_reference', 'person_erasure'].toSorted())

  expect((await page(`/erasures/${found.id}/confirm`, 'POST', { person: 'bob' })).status).toBe(409)
  expect((await page(`/erasures/${found.id}/confirm`, 'POST', { person })).status).toBe(200)
  const done = await ended(found.id, 'done')
  expect((await page(`/erasures/${found.id}/confirm`, 'POST', { person })).status).toBe(409)

  expect(await tablesWith(mark, person)).toEqual([])
  const values = await everyRedisValue(fleet.redisUrl)
  expect(values.filter((value) => value.includes(mark) || value.includes(person))).toEqual([])
  expect(await logsOf(person)).toEqual([])
  expect(await logsOf('bob')).toHaveLength(1)

  const receipt = JSON.parse(done.receipt ?? '') as ErasureReceipt
  expect(receipt.model_versions).toEqual(['trained-with-ann'])
  expect(receipt.erased).toEqual(done.erased)
  const kinds = new Map(done.erased.map(({ service, kind, count }) => [`${service} ${kind}`, count]))
  for (const { service, kind, count } of found.found)
    expect([kind, kinds.get(`${service} ${kind}`)]).toEqual([kind, count])
}, 240_000)

it('keeps a chain that verifies offline, a ledger that agrees, and a dataset that is whole', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'erasure-'))
  const file = path.join(folder, 'audit.jsonl')
  await admin(`admin audit-log export --workspace ${workspace.slug} --out ${file}`)
  expect(await admin(`admin audit-log verify ${file}`)).toContain('the log is complete and unchanged')
  await rm(folder, { recursive: true })

  expect(await auditLedger(pool)).toMatchObject({ violations: [] })
  const charged = 'SELECT DISTINCT end_user_id FROM usage_user_hour WHERE wallet_id = $1'
  expect((await pool.query(charged, [workspace.workspaceId])).rowCount).toBe(2)

  const dataset = 'SELECT example_count, sha256, size_bytes FROM dataset WHERE workspace_id = $1'
  const { rows } = await pool.query<{ example_count: number }>(dataset, [workspace.workspaceId])
  expect(rows.map(({ example_count }) => example_count)).toEqual([1])
  const kept = 'SELECT position FROM dataset_example JOIN dataset d ON d.id = dataset_id WHERE d.workspace_id = $1'
  expect((await pool.query(kept, [workspace.workspaceId])).rows).toEqual([{ position: 0 }])
}, 120_000)

it('is repeated by the operator without finding anything', async () => {
  const line = `admin erase-person --workspace ${workspace.slug} --user ${person}`
  expect(await admin(`${line} --preview`)).toContain('nothing was found')
  expect(await admin(`${line} --confirm`)).toContain('SHA-256')
}, 240_000)
