import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { dataPaths, repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { type FleetInfo, readFleetFile } from '@ratchet/infra/fleet/fleet-file'
import { collectOutput } from '@ratchet/infra/processes/collect-output'
import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'
import { ledgerAtRest, readLedger } from './ledger-oracle.ts'

const timeoutMs = 180_000
const base = mkdtempSync(path.join(tmpdir(), 'ratchet-backup-'))
const data = dataPaths(path.join(base, 'data'))
const backup = path.join(base, 'backup')
const unset = { DATABASE_URL: undefined, REDIS_URL: undefined, OPENAI_API_KEY: undefined, ANTHROPIC_API_KEY: undefined }

/** Runs a command of the project on the data folder of this test. */
function run(command: string, ...args: string[]): Promise<{ ok: boolean; output: string }> {
  const script = path.join(repositoryRoot, 'infra/src/commands', `${command}.ts`)
  // A busy machine can stall longer than the database timeout of production.
  const settings = { RATCHET_DATA_DIR: data.folder, DATABASE_SILENCE_MS: '5000', LOG_LEVEL: 'info' }
  const env = { ...process.env, ...unset, ...settings, FORCE_COLOR: undefined }
  return collectOutput(process.execPath, [script, ...args], { cwd: repositoryRoot, env })
}

async function start(): Promise<void> {
  const { ok, output } = await run('start', '--detach')
  if (!ok) throw new Error(output)
}

function fleet(): FleetInfo {
  const info = readFleetFile(data.fleetFile)
  if (info === null) throw new Error('there is no fleet.json')
  return info
}

async function api(method: string, target: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${fleet().api_key}`, 'content-type': 'application/json' }
  return fetch(fleet().base_url + target, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** Sends one chat; returns the request id, which is also its billing id. */
async function chat(model: string, stream = false): Promise<string> {
  const messages = [{ role: 'user', content: 'Which year was it?' }]
  const response = await api('POST', '/v1/chat/completions', { model, messages, stream })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return response.headers.get('x-request-id') ?? ''
}

async function query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: fleet().database_url })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

async function postedIds(): Promise<ReadonlySet<string>> {
  const rows = await query<{ id: string }>("SELECT request_id::text AS id FROM ledger_request WHERE state = 'posted'")
  return new Set(rows.map(({ id }) => id))
}

const workspaceOf = async () => {
  const [row] = await query<{ id: string }>("SELECT id FROM workspace WHERE slug = 'demo'")
  return { workspaceId: row?.id ?? '' }
}

async function loggedCount(): Promise<number> {
  return ((await (await api('GET', '/v1/logs?limit=1')).json()) as { total: number }).total
}

/** Sends plain and streamed chats until it is aborted; adds the ids of complete answers. */
async function keepChatting(signal: AbortSignal, answered: string[]): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) answered.push(await chat('support', turn % 2 === 0))
}

const before: string[] = []
const during: string[] = []
/** Number of ids in `during` when the backup began. */
let answeredBefore = 0

beforeAll(async () => {
  mkdirSync(base, { recursive: true })
  await start()
  const alias = await api('PUT', '/v1/aliases', { name: 'support', target_model: 'sim/small' })
  if (!alias.ok) throw new Error(await alias.text())
  await eventually(async () => chat('support').catch(() => null), { withinMs: 45_000 })
  for (let i = 0; i < 20; i++) before.push(await chat('support'))
  await eventually(async () => (await loggedCount()) >= 21, { withinMs: 45_000 })
}, timeoutMs)
afterAll(async () => {
  await run('stop', '--now')
  rmSync(base, { recursive: true, force: true })
}, timeoutMs)

it(
  'is taken while requests run, and is not overwritten',
  async () => {
    const stopped = new AbortController()
    const chatting = Promise.all(Array.from({ length: 4 }, () => keepChatting(stopped.signal, during)))
    await eventually(() => during.length > 20, { withinMs: 45_000 })
    answeredBefore = during.length

    const { ok, output } = await run('backup', backup)

    expect(output).toMatch(/database … .* in \d+ files/)
    expect(ok).toBe(true)
    expect(during.length).toBeGreaterThan(answeredBefore)
    stopped.abort()
    await chatting
    expect(await run('backup', backup)).toMatchObject({ ok: false, output: expect.stringContaining('exists already') })
    expect(await run('restore', backup)).toMatchObject({ ok: false, output: expect.stringContaining('npm stop') })
  },
  timeoutMs,
)

it(
  'restores an empty installation to the state at the backup, with a correct ledger',
  async () => {
    const keys = [fleet().api_key, fleet().member_api_key]
    const after = await chat('support')
    await run('stop', '--now')
    expect(await run('restore', backup)).toMatchObject({ ok: false, output: expect.stringContaining('has data') })
    rmSync(data.folder, { recursive: true })

    expect(await run('restore', backup)).toMatchObject({ ok: true })
    const outsiders = spillForOtherProcesses(await settleOf(after))
    await start()

    expect([fleet().api_key, fleet().member_api_key]).toEqual(keys)
    const posted = await postedIds()
    expect([...before, ...during.slice(0, answeredBefore)].filter((id) => !posted.has(id))).toEqual([])
    expect(posted.has(after)).toBe(false)
    expect(await loggedCount()).toBeGreaterThanOrEqual(before.length)
    expect((await (await api('GET', '/v1/aliases/support')).json()) as object).toMatchObject({
      target_model: 'sim/small',
    })
    expect(posted.has(await chat('support'))).toBe(false)
    await eventually(() => outsiders.every((file) => !isThere(file)), { withinMs: 45_000 })
    const workspace = await workspaceOf()
    // The sweep closes holds of requests that ran at the backup, after it has waited for their process.
    expect(await ledgerAtRest({ databaseUrl: fleet().database_url }, workspace)).toMatchObject({ violations: [] })
    expect((await postedIds()).has(after)).toBe(false)
    expect((await query('SELECT 1 FROM ledger_entry WHERE request_id = $1', [after])).length).toBe(0)
  },
  timeoutMs,
)

it(
  'is also taken of a stopped installation, and detects a changed file',
  async () => {
    const cold = path.join(base, 'cold')
    const workspace = await workspaceOf()
    const ledgerState = await readLedger(fleet().database_url, workspace.workspaceId)
    await run('stop')
    expect(await run('backup', cold)).toMatchObject({ ok: true })
    rmSync(data.folder, { recursive: true })
    const file = path.join(cold, 'postgres/PG_VERSION')
    writeFileSync(file, '19\n')
    const broken = 'The backup is damaged: postgres/PG_VERSION does not match its hash.'
    expect(await run('restore', cold)).toMatchObject({ ok: false, output: expect.stringContaining(broken) })
    writeFileSync(file, '18\n')

    expect(await run('restore', cold)).toMatchObject({ ok: true })
    await start()

    expect(await readLedger(fleet().database_url, workspace.workspaceId)).toEqual(ledgerState)
    await chat('support')
  },
  timeoutMs,
)

/** A settlement in the form in which inference spills it. */
async function settleOf(requestId: string): Promise<object> {
  const manifest = JSON.parse(readFileSync(path.join(backup, 'manifest.json'), 'utf8'))
  expect(manifest).toMatchObject({ format: 1, postgres_major: '18' })
  return { requestId, workspaceId: randomUUID(), costNano: '1000', outcome: 'posted' }
}

/** Writes settlements of requests that the restored database does not have. */
function spillForOtherProcesses(settle: object): readonly string[] {
  const folder = path.join(data.spill, 'inference')
  mkdirSync(folder, { recursive: true })
  return [settle, { ...settle, requestId: randomUUID(), outcome: 'voided', costNano: '0' }].map((closing) => {
    const file = path.join(folder, `${(closing as { requestId: string }).requestId}.json`)
    writeFileSync(file, JSON.stringify(closing))
    return file
  })
}

function isThere(file: string): boolean {
  try {
    readFileSync(file)
    return true
  } catch {
    return false
  }
}
