import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { recordingIo } from './recording-io.fixture.ts'
import { runCli } from './run-cli.ts'

let database: FreshDatabase
let pool: Pool
let folder: string
let workspaceId: string

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 4 })
  folder = mkdtempSync(path.join(tmpdir(), 'audit-log-'))
  await ratchet('admin create-workspace --slug acme --name W --owner-email ann@example.com')
  workspaceId = (await pool.query("SELECT id FROM workspace WHERE slug = 'acme'")).rows[0].id
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await pool.end()
  await database.drop()
})

async function ratchet(line: string, databaseUrl: string | undefined = database.url) {
  const io = { ...recordingIo({ DATABASE_URL: databaseUrl, RATCHET_DATA_DIR: '/nonexistent' }, null), randomBytes }
  const code = await runCli(line.split(' '), io)
  return { code, out: io.out(), err: io.err() }
}

const addEvent = (subject: string) =>
  pool.query(
    `INSERT INTO audit_event (id, workspace_id, user_id, action, subject, before, after, request_id, created_at)
     VALUES ($1, $2, $1, 'key.created', $3, NULL, '{"name":"Größe"}', 'r1', now())`,
    [randomUUID(), workspaceId, subject],
  )

async function exported(name: string): Promise<string> {
  const file = path.join(folder, name)
  expect(await ratchet(`admin audit-log export --workspace acme --out ${file}`)).toMatchObject({ code: 0 })
  return file
}

/** Without a database: the file alone is checked. */
const verify = (file: string, more = '') =>
  ratchet(`admin audit-log verify ${file}${more}`, 'postgres://nowhere.invalid/x')

function changed(file: string, change: (lines: string[]) => string[]): string {
  const copy = `${file}-${randomUUID()}`
  writeFileSync(copy, change(readFileSync(file, 'utf8').trimEnd().split('\n')).join('\n'))
  return copy
}

it('seals every event with the one before, also of transactions at the same time', async () => {
  await Promise.all(Array.from({ length: 30 }, (_, index) => addEvent(`key ${index}`)))
  const file = await exported('many.jsonl')
  const { code, out } = await verify(file)
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/complete and unchanged: 31 entries\nhead {2}[0-9a-f]{64}/),
  })
  // The first one is of the workspace itself.
  const [, line] = readFileSync(file, 'utf8').split('\n')
  expect(JSON.parse(JSON.parse(line ?? '').content)).toMatchObject({
    action: 'key.created',
    user_id: expect.any(String),
    after: '{"name":"Größe"}',
  })
})

it.each<[string, (lines: string[]) => string[], RegExp]>([
  [
    'an entry that was changed',
    ([first = '', second = '', ...rest]) => [first, second.replace('key.created', 'key.revoked'), ...rest],
    /entry 2 is not/,
  ],
  ['an entry that is missing', ([first = '', _, ...rest]) => [first, ...rest], /entry 2 is missing/],
  ['an entry between others', ([first = '', ...rest]) => [first, first, ...rest], /entry 2 is missing/],
  ['a line that is none', (lines) => [...lines, '{}'], /line \d+ is no entry/],
])('finds %s', async (_, change, message) => {
  const { code, out } = await verify(changed(await exported(`${randomUUID()}.jsonl`), change))
  expect(code).toBe(1)
  expect(out).toMatch(message)
})

it('finds that a log was cut, by the head of an earlier check', async () => {
  const file = await exported('head.jsonl')
  const head = /head {2}([0-9a-f]{64})/.exec((await verify(file)).out)?.[1]
  await addEvent('later')
  expect((await verify(await exported('later.jsonl'), ` --head ${head}`)).code).toBe(0)
  const cut = changed(file, (lines) => lines.slice(0, -1))
  expect((await verify(cut)).code).toBe(0)
  expect((await verify(cut, ` --head ${head}`)).out).toMatch(/no entry has the hash/)
})

it('has changes of judges and aliases, and payments, in the same log', async () => {
  await pool.query(
    `INSERT INTO criterion_event (id, workspace_id, criterion_id, kind, user_id, key_id, request_id, before, after, created_at)
     VALUES (gen_random_uuid(), $1, $2, 'update', $2, $2, 'r1', '{"a":1}', '{"a":2}', now())`,
    [workspaceId, randomUUID()],
  )
  await pool.query(
    `INSERT INTO alias_event (id, workspace_id, alias_id, alias_name, kind, evidence, created_at)
     VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'Support', 'gate_rollback', '{}', now())`,
    [workspaceId],
  )
  const lines = readFileSync(await exported('both.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
  const last = lines.slice(-2).map((line) => JSON.parse(JSON.parse(line).content))
  expect(last).toMatchObject([
    { action: 'judge.changed', before: '{"a":1}' },
    { action: 'alias.gate_rollback', subject: 'Support', user_id: null },
  ])
})

it('cannot be changed in the database either', async () => {
  const refused = [
    ["UPDATE audit_log SET content = ''", '42501'],
    ["UPDATE audit_log SET hash = ''", '23000'],
    ['DELETE FROM audit_log', '23000'],
  ] as const
  for (const [statement, code] of refused) await expect(pool.query(statement)).rejects.toMatchObject({ code })
  await expect(
    pool.query(`SET ROLE ratchet_dashboard; SELECT seal_audit('${workspaceId}', '{}')`),
  ).rejects.toMatchObject({
    code: '42501',
  })
})

it('is written to a new file only', async () => {
  const file = await exported('twice.jsonl')
  expect(await ratchet(`admin audit-log export --workspace acme --out ${file}`)).toMatchObject({ code: 1 })
})
