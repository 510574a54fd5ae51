import { recordingIo } from './recording-io.fixture.ts'
import { runCli } from './run-cli.ts'

// A data folder that does not exist, so that a fleet of the machine does not affect the test.
const env = { RATCHET_DATA_DIR: '/nonexistent/ratchet' }

it.each([
  ['admin create-workspace --name Acme', "error: required option '--slug <slug>' not specified"],
  [
    'admin create-workspace --slug Acme! --name Acme',
    "error: option '--slug <slug>' argument 'Acme!' is invalid. Expected 1 to 40",
  ],
  [
    'admin create-workspace --slug acme --name A --credit-usd ten',
    "error: option '--credit-usd <amount>' argument 'ten' is invalid. Expected US dollars",
  ],
  [
    'admin create-workspace --slug acme --name A --owner-email ada',
    "error: option '--owner-email <email>' argument 'ada' is invalid.",
  ],
  ['admin create-user --email ada@example.com', "error: required option '--name <name>' not specified"],
  [
    'admin create-user --email ada --name Ada',
    "error: option '--email <email>' argument 'ada' is invalid. Expected an e-mail address.",
  ],
  [
    'admin add-member --workspace acme --email ada@example.com --role boss',
    "error: option '--role <role>' argument 'boss' is invalid. Allowed choices are owner, admin, member.",
  ],
  ['admin add-member --workspace acme --email ada@example.com', "error: required option '--role <role>' not specified"],
  ['admin create-key --workspace acme', "error: required option '--email <email>' not specified"],
  ['admin revoke-key', "error: missing required argument 'id'"],
  ['admin revoke-key 17', "error: command-argument value '17' is invalid for argument 'id'. Expected an id"],
  ['admin top-up --workspace acme --usd -5 --reference r', "error: option '--usd <amount>' argument '-5' is invalid."],
  ['admin top-up --workspace acme --usd 5', "error: required option '--reference <text>' not specified"],
  ['admin wallet', "error: required option '--workspace <slug>' not specified"],
  ['admin wallet --workspace', "error: option '--workspace <slug>' argument missing"],
  ['admin wallet --workspace acme --workspac x', "error: unknown option '--workspac' (Did you mean --workspace?)"],
  ['admin wallet --workspace acme extra', "error: too many arguments for 'wallet'. Expected 0 arguments but got 1"],
  ['admin walet', "error: unknown command 'walet' (Did you mean wallet?)"],
  ['sattus', "error: unknown command 'sattus' (Did you mean status?)"],
  ['--databse-url x admin', "error: unknown option '--databse-url'"],
  ['admin wallet --workspace acme', 'error: no database: run `npm start`, set DATABASE_URL or give --database-url'],
  [
    'admin --database-url mysql://x wallet --workspace acme',
    'error: --database-url: expected a URL such as postgres://',
  ],
  [
    'admin wallet --workspace acme --database-url postgres://',
    'error: --database-url: expected a URL such as postgres://',
  ],
])('prints one line for wrong usage: %s', async (line, message) => {
  const io = recordingIo(env)

  const code = await runCli(line.split(' '), io)

  expect(code).toBe(2)
  expect(io.out()).toBe('')
  expect(io.err()).toMatch(/^[^\n]+\n$/)
  expect(io.err()).toContain(message)
})

it('names a wrong DATABASE_URL without printing it', async () => {
  const io = recordingIo({ ...env, DATABASE_URL: 'http://secret@host' })

  expect(await runCli(['admin', 'wallet', '--workspace', 'acme'], io)).toBe(2)

  expect(io.err()).toBe('error: DATABASE_URL: expected a URL such as postgres://user:password@host:5432/database\n')
})

it.each([[['--help']], [['admin', '--help']], [['help', 'admin']], [['admin', 'top-up', '--help']]])(
  'prints help on standard output and succeeds: %j',
  async (argv) => {
    const io = recordingIo(env)

    expect(await runCli(argv, io)).toBe(0)

    expect(io.out()).toContain('Usage: ratchet')
    expect(io.err()).toBe('')
  },
)

it.each([[[]], [['admin']], [['catalog']]])(
  'without a command prints help on standard error and fails: %j',
  async (argv) => {
    const io = recordingIo(env)

    expect(await runCli(argv, io)).toBe(2)

    expect([io.out(), io.err().split('\n')[0]]).toEqual(['', expect.stringContaining('Usage: ratchet')])
  },
)

it('prints the stack of an unexpected error only with RATCHET_DEBUG', async () => {
  const broken = { ...recordingIo(), env: new Proxy({}, { get: throwsTwoLines }) }

  expect(await runCli(['status'], broken)).toBe(1)

  expect(broken.err()).toBe('error: second line (set RATCHET_DEBUG=1 for a stack trace)\n')
})

function throwsTwoLines(_: object, name: string): never | undefined {
  if (name === 'RATCHET_DEBUG') return undefined
  throw new Error('first line\n\n  second line\n')
}
