import { randomBytes, randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import type { Command } from 'commander'
import { buildProgram } from './build-program.ts'
import { recordingIo } from './recording-io.fixture.ts'
import { runCli } from './run-cli.ts'

/* Every command of operators: what it changes in a workspace is one entry of its log, or the reason why it changes none. */

let database: FreshDatabase
let pool: Pool
let workspaceId: string

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 2 })
  await ratchet('admin create-workspace --slug acme --name W --owner-email ann@example.com')
  workspaceId = await oneOf("SELECT id FROM workspace WHERE slug = 'acme'")
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const env = {
  RATCHET_DATA_DIR: '/nonexistent',
  ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  SECRET: 'sk-provider-0123456789abcdefWXYZ',
}

async function ratchet(line: string) {
  const io = { ...recordingIo({ ...env, DATABASE_URL: database.url }, null), randomBytes }
  const code = await runCli(['--json', ...line.split(' ')], io)
  return { code, out: io.out(), err: io.err() }
}

async function oneOf(text: string): Promise<string> {
  const { rows } = await pool.query<Record<string, string>>(text)
  return Object.values(rows[0] ?? {})[0] ?? ''
}

async function newKey(): Promise<string> {
  const { out } = await ratchet('admin create-key --workspace acme --email ann@example.com')
  return JSON.parse(out).id
}

/** Each command that changes a workspace, with the action of its entry. Before it runs, what it needs is made. */
const recorded: Readonly<Record<string, readonly [action: string, prepare: () => string | Promise<string>]>> = {
  'create-workspace': ['workspace.created', () => '--slug other --name W --owner-email bob@example.com --credit-usd 5'],
  'add-member': ['member.changed', () => '--workspace acme --email bob@example.com --role admin'],
  'create-key': ['key.created', () => '--workspace acme --email ann@example.com'],
  'create-voice-key': ['key.created', () => '--workspace acme --email ann@example.com'],
  'revoke-key': ['key.revoked', newKey],
  'top-up': ['wallet.credit_requested', () => '--workspace acme --usd 1 --reference inv-1'],
  'workspace set': ['settings.changed', () => '--workspace acme --logging on'],
  'key limit': ['key.changed', async () => `${await newKey()} --rpm 5`],
  'budget set': ['budget.set', () => '--workspace acme --usd 5'],
  'budget remove': [
    'budget.removed',
    async () => {
      const { out } = await ratchet('admin budget set --workspace acme --usd 7')
      return `${JSON.parse(out).id} --workspace acme`
    },
  ],
  // Nobody does the work here.
  'erase-person': ['person.erasure_requested', () => '--workspace acme --user ann-1 --preview --wait 0'],
  'provider-key set': ['provider_key.saved', () => '--workspace acme --provider openai --from-env SECRET'],
  'provider-key remove': [
    'provider_key.removed',
    async () => {
      await ratchet('admin provider-key set --workspace acme --provider openai --from-env SECRET')
      return '--workspace acme --provider openai'
    },
  ],
  'work retry': [
    'work.retried',
    async () => {
      const client = await pool.connect()
      // The rows that this row references are not needed here.
      await client.query("SET session_replication_role = 'replica'")
      await client.query(
        `INSERT INTO judgement (id, workspace_id, criterion_id, source, instrument, log_id, created_at, state, failures, last_error)
         VALUES ($1, $2, $2, 'online', 1, $1, now(), 'poisoned', 5, 'provider said no')`,
        [randomUUID(), workspaceId],
      )
      await client.query('RESET session_replication_role')
      client.release()
      return ''
    },
  ],
}

/** Why the others change no workspace. */
const noChanges: Readonly<Record<string, readonly string[]>> = {
  'it reads': [
    ...['list-keys', 'wallet', 'usage', 'audit', 'work list', 'budget list', 'provider-key list'],
    ...['audit-log export', 'audit-log verify'],
  ],
  'nobody is a member of anything yet': ['create-user', 'setup-link'],
  'secrets stay what they are, under another key': ['reseal-secrets'],
}

const commandsOf = (command: Command, path: readonly string[] = []): readonly string[] =>
  command.commands.length === 0
    ? [path.join(' ')]
    : command.commands.flatMap((each) => commandsOf(each, [...path, each.name()]))

it('lists every command of operators', () => {
  const admin = buildProgram(recordingIo(), () => undefined).commands.find((each) => each.name() === 'admin')
  if (admin === undefined) throw new Error('there are no commands of operators')
  const listed = [...Object.keys(recorded), ...Object.values(noChanges).flat()]
  expect(listed.toSorted()).toEqual(commandsOf(admin).toSorted())
})

const countEntries = async () => Number(await oneOf('SELECT count(*) FROM audit_log'))

it.each(Object.entries(recorded))('leaves one entry: %s', async (name, [action, prepare]) => {
  const options = await prepare()
  const before = await countEntries()
  const { code, err } = await ratchet(`admin ${name} ${options}`.trimEnd())
  expect([code, err]).toEqual([0, expect.any(String)])
  expect(await countEntries()).toBe(before + 1)
  const { rows } = await pool.query<{ content: string; begun: string }>(
    `SELECT content, (SELECT count(*) FROM begun_change) AS begun FROM audit_log
     WHERE content::json ->> 'action' = $1 ORDER BY content::json ->> 'at' DESC, position DESC LIMIT 1`,
    [action],
  )
  const [{ content, begun }] = rows as [{ content: string; begun: string }]
  expect(JSON.parse(content)).toMatchObject({ action, user_id: null, request_id: 'ratchet admin' })
  expect(begun).toBe('0')
  expect(content).not.toContain('@example.com')
  expect(content).not.toContain(env.SECRET)
})

it('leaves no entry of what was refused or done before', async () => {
  await ratchet('admin top-up --workspace acme --usd 2 --reference inv-2')
  const id = await newKey()
  await ratchet(`admin revoke-key ${id}`)
  const before = await countEntries()
  await ratchet('admin top-up --workspace acme --usd 2 --reference inv-2')
  await ratchet('admin top-up --workspace acme --usd 3 --reference inv-2')
  await ratchet(`admin revoke-key ${id}`)
  await ratchet('admin create-workspace --slug acme --name W')
  await ratchet('admin provider-key remove --workspace acme --provider cohere')
  expect(await countEntries()).toBe(before)
  expect(await oneOf('SELECT count(*) FROM begun_change')).toBe('0')
})
