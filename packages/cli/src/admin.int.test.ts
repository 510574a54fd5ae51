import { randomBytes } from 'node:crypto'
import { isWellFormedApiKey } from '@ratchet/contracts/api-key'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { recordingIo } from './recording-io.fixture.ts'
import { runCli } from './run-cli.ts'

let database: FreshDatabase
let pool: Pool

// One database for all tests: each has its own workspace and users.
beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 1 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function ratchet(...argv: string[]): Promise<Run> {
  const io = { ...recordingIo({ DATABASE_URL: database.url }), randomBytes }
  const code = await runCli(argv, io)
  return { code, out: io.out(), err: io.err() }
}

/** `ratchet admin <line> --json`, which must succeed; values in the line contain no spaces. */
async function admin(line: string): Promise<Record<string, unknown>> {
  const { code, out, err } = await ratchet('admin', ...line.split(' '), '--json')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}

/** The role that the edge reads for a key. */
async function rolesOf(key: unknown): Promise<unknown[]> {
  const { rows } = await pool.query('SELECT role FROM api_key_identity WHERE hash = $1', [hashApiKey(String(key))])
  return rows.map(({ role }) => role)
}

it('creates a workspace with users, keys and credit, and shows its wallet', async () => {
  expect(await admin('create-workspace --slug acme --name Acme --owner-email Ada@Example.com --credit-usd 5')).toEqual({
    id: expect.any(String),
    slug: 'acme',
    name: 'Acme',
    owner_email: 'ada@example.com',
    balance_usd: 5,
  })
  const owner = await admin('create-key --workspace acme --email ada@example.com --name laptop')
  expect(isWellFormedApiKey('sk_svc_', String(owner.key))).toBe(true)
  expect(await rolesOf(owner.key)).toEqual(['owner'])

  await admin('create-user --email bob@example.com --name Bob')
  await admin('add-member --workspace acme --email bob@example.com --role member')
  const bobs = await admin('create-key --workspace acme --email bob@example.com')
  expect(await rolesOf(bobs.key)).toEqual(['member'])
  await admin('add-member --workspace acme --email bob@example.com --role admin')
  expect(await rolesOf(bobs.key)).toEqual(['admin'])

  expect(await admin('top-up --workspace acme --usd 25.50 --reference inv-17 --reason contract')).toEqual({
    workspace: 'acme',
    reference: 'inv-17',
    amount_usd: 25.5,
    credited: true,
    balance_usd: 30.5,
  })
  expect(await admin('wallet --workspace acme')).toEqual({
    workspace: 'acme',
    balance_usd: 30.5,
    held_usd: 0,
    in_blocks_usd: 0,
    open_count: 0,
    open_holds: [],
  })

  expect(await admin(`revoke-key ${bobs.id}`)).toEqual({
    id: bobs.id,
    revoked_at: '2026-11-21T12:00:00.000Z',
    was_live: true,
  })
  expect(await rolesOf(bobs.key)).toEqual([])
  const { data } = await admin('list-keys --workspace acme')
  expect(data).toHaveLength(2)
  expect(data).toEqual(
    expect.arrayContaining([
      {
        id: owner.id,
        display: String(owner.key).slice(0, 12),
        email: 'ada@example.com',
        name: 'laptop',
        created_at: '2026-11-21T12:00:00.000Z',
        last_used_at: null,
        revoked_at: null,
      },
      expect.objectContaining({ id: bobs.id, name: 'ratchet admin', revoked_at: '2026-11-21T12:00:00.000Z' }),
    ]),
  )
})

it('demotes an owner when there is another one, and the last one only with --force', async () => {
  await admin('create-workspace --slug handed --name Acme --owner-email iris@example.com')
  await admin('create-user --email jack@example.com --name Jack')
  const { key } = await admin('create-key --workspace handed --email iris@example.com')
  await admin('add-member --workspace handed --email jack@example.com --role owner')
  const { key: jacks } = await admin('create-key --workspace handed --email jack@example.com')

  await admin('add-member --workspace handed --email iris@example.com --role member')
  await admin('add-member --workspace handed --email jack@example.com --role admin --force')

  expect([await rolesOf(key), await rolesOf(jacks)]).toEqual([['member'], ['admin']])
})

it('prints only the key on standard output, for scripts', async () => {
  await admin('create-workspace --slug scripted --name Acme --owner-email cleo@example.com')

  const { code, out, err } = await ratchet(
    'admin',
    'create-key',
    '--workspace',
    'scripted',
    '--email',
    'cleo@example.com',
  )

  expect(code).toBe(0)
  expect(isWellFormedApiKey('sk_svc_', out.trimEnd())).toBe(true)
  expect(err).toMatch(
    /^Key [0-9a-f-]{36} of cleo@example.com in scripted\. It is not stored and is not shown again\.\n$/,
  )
})

it('stores only the hash of a key', async () => {
  await admin('create-workspace --slug hashed --name Acme --owner-email dora@example.com')
  const { key } = await admin('create-key --workspace hashed --email dora@example.com')

  const { rows } = await pool.query('SELECT * FROM api_key')

  expect(JSON.stringify(rows)).not.toContain(String(key).slice(12))
})

it('prints the same results as text', async () => {
  await admin('create-user --email fred@example.com --name Bob')
  const lines = [
    [
      'create-workspace',
      '--slug',
      'printed',
      '--name',
      'Acme Inc.',
      '--owner-email',
      'emil@example.com',
      '--credit-usd',
      '1',
    ],
    ['add-member', '--workspace', 'printed', '--email', 'fred@example.com', '--role', 'admin'],
    ['list-keys', '--workspace', 'printed'],
    ['top-up', '--workspace', 'printed', '--usd', '2.5', '--reference', 'inv-2'],
    ['top-up', '--workspace', 'printed', '--usd', '2.5', '--reference', 'inv-2'],
    ['wallet', '--workspace', 'printed'],
  ]

  const printed: string[] = []
  for (const line of lines) printed.push((await ratchet('admin', ...line)).out)

  expect(printed).toEqual([
    'created workspace printed, owned by emil@example.com, with 1.00 USD\n',
    'fred@example.com is admin of printed\n',
    'printed has no keys\n',
    'credited 2.50 USD to printed; the balance is 3.50 USD\n',
    'inv-2 was already credited; the balance is 3.50 USD\n',
    'balance  3.50 USD\nheld     0.00 USD in 0 running requests\n',
  ])
})

it('lists keys as a table and running requests with their holds', async () => {
  const { id } = await admin('create-workspace --slug tables --name Acme --owner-email gina@example.com --credit-usd 1')
  const key = await admin('create-key --workspace tables --email gina@example.com')
  await pool.query(
    `INSERT INTO billing_request (request_id, wallet_id, owner_id, hold, deadline, opened_at, state, kind, model, price_version)
     VALUES ('00000000-0000-7000-8000-000000000001', $1, gen_random_uuid(), 250000000, now(), '2026-11-21T12:00:00Z', 'open', 'chat', 'sim/echo', 'v')`,
    [id],
  )
  await pool.query('UPDATE wallet SET held = 250000000 WHERE workspace_id = $1', [id])

  await pool.query("INSERT INTO api_key_use VALUES ($1, '2026-11-22T08:00:00Z')", [key.id])

  const keys = await ratchet('admin', 'list-keys', '--workspace', 'tables')
  const wallet = await ratchet('admin', 'wallet', '--workspace', 'tables')

  expect(keys.out.split('\n')).toEqual([
    expect.stringMatching(/^ID +KEY +USER +NAME +CREATED +LAST USED +REVOKED$/),
    `${key.id}  ${String(key.key).slice(0, 12)}…  gina@example.com  ratchet admin  2026-11-21T12:00:00.000Z  2026-11-22T08:00:00.000Z  -`,
    '',
  ])
  expect(wallet.out).toBe(
    [
      'balance  1.00 USD',
      'held     0.25 USD in 1 running request',
      '',
      'BILLING ID                            HELD USD  MODEL     SINCE',
      '00000000-0000-7000-8000-000000000001  0.25      sim/echo  2026-11-21T12:00:00.000Z',
      '',
    ].join('\n'),
  )
})

describe('with one workspace, one member and one other user', () => {
  beforeAll(async () => {
    await admin('create-workspace --slug globex --name Acme --owner-email hugo@example.com')
    await admin('create-workspace --slug initech --name Other')
    await admin('create-user --email stranger@example.com --name Stranger')
    await admin('top-up --workspace globex --usd 5 --reference inv-1')
  })

  const unknownId = '00000000-0000-7000-8000-00000000dead'

  it.each([
    ['create-workspace --slug globex --name Again', 'error: --slug: the workspace globex already exists\n'],
    ['create-user --email HUGO@example.com --name Hugo', 'error: --email: the user hugo@example.com already exists\n'],
    [
      'add-member --workspace nope --email hugo@example.com --role admin',
      'error: --workspace: there is no workspace nope\n',
    ],
    [
      'add-member --workspace globex --email eve@example.com --role admin',
      'error: --email: there is no user eve@example.com; `ratchet admin create-user` creates one\n',
    ],
    ...['admin', 'member'].map((role) => [
      `add-member --workspace globex --email hugo@example.com --role ${role}`,
      'error: --role: hugo@example.com is the only owner of globex; give another user the role owner first, or add --force\n',
    ]),
    ['create-key --workspace nope --email hugo@example.com', 'error: --workspace: there is no workspace nope\n'],
    [
      'create-key --workspace globex --email stranger@example.com',
      'error: --email: stranger@example.com is not a member of globex; `ratchet admin add-member` adds them\n',
    ],
    ['list-keys --workspace nope', 'error: --workspace: there is no workspace nope\n'],
    [`revoke-key ${unknownId}`, `error: <id>: there is no key ${unknownId}\n`],
    ['top-up --workspace nope --usd 5 --reference r', 'error: --workspace: there is no workspace nope\n'],
    [
      'top-up --workspace globex --usd 6 --reference inv-1',
      'error: --reference: inv-1 was used for another workspace or amount\n',
    ],
    [
      'top-up --workspace initech --usd 5 --reference inv-1',
      'error: --reference: inv-1 was used for another workspace or amount\n',
    ],
    ['wallet --workspace nope', 'error: --workspace: there is no workspace nope\n'],
  ])('fails with one line that names the option: %s', async (line, message) => {
    const before = await everything()

    expect(await ratchet('admin', ...line.split(' '))).toEqual({ code: 1, out: '', err: message })

    expect(await everything()).toEqual(before)
  })

  it('succeeds for a key that was already revoked', async () => {
    const { id } = await admin('create-key --workspace globex --email hugo@example.com')
    await admin(`revoke-key ${id}`)

    const again = await ratchet('admin', 'revoke-key', String(id))

    expect(again).toEqual({
      code: 0,
      out: expect.stringMatching(/^sk_svc_\w{5}… was already revoked at 2026-11-21T12:00:00.000Z\n$/),
      err: '',
    })
  })

  async function everything(): Promise<unknown> {
    const { rows } = await pool.query(
      `SELECT (SELECT json_agg(w ORDER BY slug) FROM workspace w) AS workspaces, (SELECT json_agg(u ORDER BY email) FROM app_user u) AS users,
        (SELECT json_agg(m) FROM membership m) AS members, (SELECT json_agg(l ORDER BY id) FROM ledger_entry l) AS ledger,
        (SELECT json_agg(x) FROM wallet x) AS wallets, (SELECT json_agg(k) FROM api_key k) AS keys`,
    )
    return rows
  }
})

it('names the database that does not answer, without its password', async () => {
  const io = recordingIo({ DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/db' })

  expect(await runCli(['admin', 'wallet', '--workspace', 'acme'], io)).toBe(1)

  expect(io.err()).toMatch(/^error: the database at 127\.0\.0\.1:1 cannot be used: [^\n]*ECONNREFUSED[^\n]*\n$/)
  expect(io.err()).not.toContain('hush')
})

it('fails for a database that is not migrated', async () => {
  const io = recordingIo({ DATABASE_URL: process.env.TEST_DATABASE_URL })

  expect(await runCli(['admin', 'wallet', '--workspace', 'acme'], io)).toBe(1)

  expect(io.err()).toMatch(/^error: the database at [^ ]+ is not migrated: run `npm start`, or the migration job\n$/)
})

it('prefers --database-url to DATABASE_URL, before or after the command', async () => {
  for (const argv of [
    ['admin', '--database-url', database.url, 'create-user', '--email', 'a@example.com', '--name', 'A'],
    ['admin', 'create-user', '--email', 'b@example.com', '--name', 'B', '--database-url', database.url],
  ]) {
    expect(await runCli(argv, recordingIo({ DATABASE_URL: 'postgres://127.0.0.1:1/db' }))).toBe(0)
  }
})
