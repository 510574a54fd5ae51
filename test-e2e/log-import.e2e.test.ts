import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { readLog } from './logged-exchanges.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let from: DemoWorkspace
let to: DemoWorkspace

beforeAll(async () => {
  fleet = await shareFleet()
  from = await workspaceWith(fleet, { loggingEnabled: true })
  to = await workspaceWith(fleet, { loggingEnabled: true, retentionDays: 7 })
}, 300_000)

// biome-ignore lint/suspicious/noExplicitAny: bodies are read without a schema, like clients do
type Json = any

async function send(
  { apiKey }: Pick<DemoWorkspace, 'apiKey'>,
  body: string | FormData,
  type = 'application/jsonl',
): Promise<{ readonly status: number; readonly json: Json }> {
  const headers = { authorization: `Bearer ${apiKey}`, ...(typeof body === 'string' ? { 'content-type': type } : {}) }
  const answer = await fetch(`${fleet.url}/v1/logs/import`, { method: 'POST', headers, body })
  return { status: answer.status, json: await answer.json() }
}

async function read({ apiKey }: Pick<DemoWorkspace, 'apiKey'>, path: string): Promise<string> {
  const answer = await fetch(`${fleet.url}/v1${path}`, { headers: { authorization: `Bearer ${apiKey}` } })
  expect(answer.status).toBe(200)
  return answer.text()
}

async function list(workspace: DemoWorkspace, query = ''): Promise<Json> {
  return JSON.parse(await read(workspace, `/logs${query}`))
}

const entry = (text: string) => ({
  model: 'acme/fast',
  messages: [
    { role: 'system', content: 'Sort the mail.' },
    { role: 'user', content: text },
  ],
  response: { role: 'assistant', content: `About ${text}` },
})

async function say(content: string): Promise<void> {
  const headers = { 'x-svc-tag': 'talk', 'x-svc-trace-id': 'run-1' }
  const messages = [{ role: 'user', content }]
  const answer = await postChat(fleet, { model: 'sim/echo', apiKey: from.apiKey, headers, body: { messages } })
  await answer.text()
  expect(answer.status).toBe(200)
}

it('moves a log to another workspace, once', async () => {
  for (const text of ['one', 'two', 'three']) await say(text)
  await eventually(async () => expect((await list(from, '?content=none')).total).toBe(3), { withinMs: 45_000 })
  const { data } = await list(from)
  const lines = data.map((row: object) => JSON.stringify(row)).join('\n')
  expect(await send(to, lines)).toMatchObject({ status: 200, json: { imported: 3, duplicates: 0, failed: 0 } })
  expect(await send(to, lines)).toMatchObject({ status: 200, json: { imported: 0, duplicates: 3 } })
  expect(await send(from, lines)).toMatchObject({ status: 200, json: { imported: 0, duplicates: 3 } })
  const copies = (await list(to)).data
  const same = ({ id: _, expires_at: __, source: ___, ...rest }: Json) => rest
  expect(copies.map(same)).toEqual(data.map(same))
  expect(copies.map(({ source }: Json) => source)).toEqual(['import', 'import', 'import'])
  expect(await read(to, '/logs/export')).toBe(await read(from, '/logs/export'))
  expect(JSON.parse(await read(to, '/traces/run-1'))).toMatchObject({ steps: 3 })
  expect(JSON.parse(await read(to, '/setup/status')).traffic.logged_conversations).toBe(3)
})

it('stores no secret of imported entries, and shows them only to their workspace', async () => {
  const canary =
    'sk-ant-api03-canary0000000000000000000000000000000000000000000000000000000000000000000000000000000-AAAAAA'
  const line = JSON.stringify({ ...entry(`The key is ${canary}`), tag: 'secret' })
  expect(await send(to, line)).toMatchObject({ json: { imported: 1 } })
  const [row] = (await list(to, '?tag=secret')).data
  expect(row).toMatchObject({ messages: [{}, { content: 'The key is [redacted]' }], redaction: { count: 2 } })
  expect(JSON.stringify(await readLog(fleet, to.workspaceId))).not.toContain(canary)
  expect(JSON.stringify(await list(from))).not.toContain('The key is')
  const answer = await fetch(`${fleet.url}/v1/logs/${row.id}`, { headers: { authorization: `Bearer ${from.apiKey}` } })
  expect(answer.status).toBe(404)
})

it('accepts a file of several megabytes through the edge, and its entries can be curated', async () => {
  const lines = Array.from({ length: 400 }, (_, n) =>
    JSON.stringify({ ...entry(`${n} ${'mail '.repeat(2_000)}`), tag: 'mail' }),
  )
  const form = new FormData()
  form.append('file', new Blob([lines.join('\n')]), 'mail.jsonl')
  expect(await send(to, form)).toMatchObject({ status: 200, json: { total: 400, imported: 400 } })
  const answer = await fetch(`${fleet.url}/v1/datasets/from_logs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${to.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'mail', filters: { tag: 'mail' }, dry_run: true }),
  })
  expect(await answer.json()).toMatchObject({ summary: { matched: 400, kept: 400 } })
}, 180_000)

it('is only for owners and admins of workspaces with logging', async () => {
  const line = JSON.stringify(entry('x'))
  const { apiKey } = await to.addMember('member')
  expect(await send({ apiKey }, line)).toMatchObject({
    status: 403,
    json: { error: { code: 'insufficient_permissions' } },
  })
  expect(await send(fleet.workspace, line)).toMatchObject({
    status: 409,
    json: { error: { code: 'logging_disabled' } },
  })
  expect(await send(to, line, 'text/plain')).toMatchObject({ status: 415, json: { error: { param: 'Content-Type' } } })
  expect(await send(to, '{"model":"m"}')).toMatchObject({ status: 400, json: { error: { param: 'body.1.messages' } } })
})
