import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { mintApiKey } from '@ratchet/contracts/api-key'
import { providerKeyPlace } from '@ratchet/contracts/provider-key'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { parseNamedKeys } from '@ratchet/service-kit/identity/identity'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import type { Command } from 'commander'
import { allCommands } from './all-commands.fixture.ts'
import { buildProgram } from './build-program.ts'
import { recordingIo } from './recording-io.fixture.ts'
import { runCli } from './run-cli.ts'

const encryptionKeys = `k1:${randomBytes(32).toString('base64')}`
const secret = 'sk-provider-0123456789abcdefWXYZ'

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 1 })
  for (const slug of ['acme', 'other']) {
    await ratchet(`admin create-workspace --slug ${slug} --name W --owner-email ann@example.com`)
  }
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

interface Surroundings {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly piped?: string | null
}

async function ratchet(line: string, { env = {}, piped = null }: Surroundings = {}) {
  const base = { DATABASE_URL: database.url, ENCRYPTION_KEYS: encryptionKeys, RATCHET_DATA_DIR: '/nonexistent' }
  const io = { ...recordingIo({ ...base, ...env }, piped), randomBytes }
  const code = await runCli(line.split(' '), io)
  return { code, out: io.out(), err: io.err() }
}

async function json(line: string, surroundings?: Surroundings): Promise<Record<string, unknown>> {
  const { code, out, err } = await ratchet(`${line} --json`, surroundings)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}

describe('admin workspace set', () => {
  it('changes the given settings and prints all', async () => {
    const first = await json('admin workspace set --workspace acme --logging on --retention 7 --rpm 100')
    expect(first).toEqual({
      workspace: 'acme',
      logging: true,
      retention_days: 7,
      log_responses: false,
      response_cache: false,
      fallback_models: [],
      requests_per_minute: 100,
      tokens_per_minute: null,
      max_storage_gb: null,
      guarded_calls_per_minute: null,
      evidence_policy: 'off',
    })
    const second =
      'admin workspace set --workspace acme --log-responses on --response-cache on --fallback a/x,b/y --rpm none --tpm 5000 --storage 25 --guard 5000 --evidence-policy enforce'
    expect(await json(second)).toEqual({
      ...first,
      log_responses: true,
      response_cache: true,
      fallback_models: ['a/x', 'b/y'],
      requests_per_minute: null,
      tokens_per_minute: 5_000,
      max_storage_gb: 25,
      guarded_calls_per_minute: 5_000,
      evidence_policy: 'enforce',
    })
    expect((await ratchet('admin workspace set --workspace acme --logging off --fallback none')).out).toBe(
      [
        'workspace       acme',
        'logging         off, stored for 7 days',
        'responses       logged too, while logging is on',
        'response cache  on',
        'fallback        none',
        'limits          no limit of requests and 5000 tokens per minute',
        'storage         25 GB',
        'abuse guard     5000 calls per minute that create paid work or files',
        'repoints        require evidence',
        '',
      ].join('\n'),
    )
  })

  it.each([
    ['', 'nothing to change'],
    ['--logging yes', 'Expected on or off.'],
    ['--evidence-policy on', 'Expected off or enforce.'],
    ['--retention 31', 'Expected 7, 30 or 90 days.'],
    ['--rpm 0', 'Expected a whole number'],
    ['--rpm 1e3', 'Expected a whole number'],
    ['--tpm 2147483648', 'Expected a whole number'],
    ['--storage 0', 'Expected a whole number of gigabytes'],
    ['--guard 0', 'Expected a whole number'],
    ['--guard none', 'Expected a whole number'],
    ['--storage 1.5', 'Expected a whole number of gigabytes'],
    ['--fallback a/x,a/x', 'different model names'],
    ['--fallback a,b,c,d,e,f,g,h,i', '1 to 8'],
  ])('refuses "%s" and changes nothing', async (options, says) => {
    const line = `admin workspace set --workspace other ${options}`.trim()
    expect(await ratchet(line)).toEqual({ code: 2, out: '', err: expect.stringContaining(says) })
    const { rows } = await pool.query(
      "SELECT 1 FROM workspace_settings s JOIN workspace w ON w.id = s.workspace_id AND w.slug = 'other'",
    )
    expect(rows).toEqual([])
  })
})

describe('admin key limit', () => {
  it('sets a limit of a key and removes it', async () => {
    const { id, key } = await json('admin create-key --workspace acme --email ann@example.com')
    const display = String(key).slice(0, 12)
    expect(await json(`admin key limit ${id} --rpm 60 --tpm 1000`)).toEqual({
      id,
      display,
      requests_per_minute: 60,
      tokens_per_minute: 1_000,
      expires_at: null,
      allowed_models: [],
    })
    expect((await ratchet(`admin key limit ${id} --tpm none`)).out).toBe(
      `${display}… has 60 requests and no limit of tokens per minute, may call all models, and does not expire\n`,
    )
  })

  it('fails for a key that does not exist, and when there is nothing to change', async () => {
    const unknown = '00000000-0000-7000-8000-00000000dead'
    expect(await ratchet(`admin key limit ${unknown} --rpm 1`)).toMatchObject({
      code: 1,
      err: `error: <id>: there is no key ${unknown}\n`,
    })
    expect(await ratchet(`admin key limit ${unknown}`)).toMatchObject({ code: 2 })
  })
})

/** Decrypts the key as inference does. */
async function openedSecret(provider: string): Promise<string> {
  const { rows } = await pool.query('SELECT * FROM provider_key WHERE provider = $1', [provider])
  const [{ key_id: keyId, nonce, ciphertext, workspace_id: workspaceId }] = rows
  const box = createSecretBox({ keys: parseNamedKeys(encryptionKeys), randomBytes })
  return box.open({ keyId, nonce, ciphertext }, providerKeyPlace({ workspaceId, provider }))
}

describe('admin provider-key', () => {
  it('reads the key from standard input, stores it encrypted, and prints its last four characters', async () => {
    expect(
      await ratchet('admin provider-key set --workspace acme --provider openai', { piped: `${secret}\n` }),
    ).toEqual({
      code: 0,
      out: 'acme calls openai with its own key …WXYZ\n',
      err: '',
    })
    expect(await openedSecret('openai')).toBe(secret)
    const { rows } = await pool.query(
      "SELECT provider_key::text AS row, encode(ciphertext, 'escape') AS bytes FROM provider_key",
    )
    expect(JSON.stringify(rows)).not.toContain('provider-0123')
    expect(await json('admin provider-key list --workspace acme')).toEqual({
      object: 'list',
      data: [
        {
          id: expect.any(String),
          provider: 'openai',
          display: 'WXYZ',
          base_url: null,
          created_at: '2026-11-21T12:00:00.000Z',
          updated_at: '2026-11-21T12:00:00.000Z',
        },
      ],
    })
  })

  it('reads it from a variable, normalizes the base URL, and prints when that is used', async () => {
    const line =
      'admin provider-key set --workspace acme --provider groq --from-env GROQ --base-url https://EU.example.com./v1/'
    const { code, out, err } = await ratchet(line, { env: { GROQ: secret } })
    expect({ code, out }).toEqual({ code: 0, out: 'acme calls groq with its own key …WXYZ\n' })
    expect(err).toContain('BYOK_CUSTOM_HOSTS=on')
    const { rows } = await pool.query("SELECT base_url FROM provider_key WHERE provider = 'groq'")
    expect(rows).toEqual([{ base_url: 'https://eu.example.com/v1' }])
  })

  it('accepts a JSON key on several lines', async () => {
    const key = { access_key_id: 'AKIA0123456789', secret_access_key: 'abcdefghijkl/+' }
    const piped = JSON.stringify(key, null, 2)
    expect(await ratchet('admin provider-key set --workspace acme --provider bedrock', { piped })).toMatchObject({
      code: 0,
    })
    expect(JSON.parse(await openedSecret('bedrock'))).toEqual(key)
  })

  it('replaces a key under a new id, and removes it', async () => {
    const line = 'admin provider-key set --workspace other --provider mistral'
    const first = await json(line, { piped: secret })
    const second = await json(line, { piped: `${secret}-two` })
    expect(second.id).not.toBe(first.id)
    expect(await openedSecret('mistral')).toBe(`${secret}-two`)
    expect((await ratchet('admin provider-key list --workspace other')).out.split('\n')).toEqual([
      expect.stringMatching(/^PROVIDER +KEY +BASE URL +SET$/),
      expect.stringMatching(/^mistral +…-two +- +2026-11-21T12:00:00.000Z$/),
      '',
    ])
    const remove = 'admin provider-key remove --workspace other --provider mistral'
    expect((await ratchet(remove)).out).toBe('removed the key of other for mistral\n')
    expect(await ratchet(remove)).toMatchObject({ code: 1, err: 'error: --provider: other has no key for mistral\n' })
    expect((await ratchet('admin provider-key list --workspace other')).out).toBe('other has no provider keys\n')
  })

  it('uses the keys of `npm start` only for its database', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'ratchet-cli-'))
    const fleet = { base_url: 'http://127.0.0.1:1', database_url: database.url, workspace: 'demo' }
    writeFileSync(path.join(folder, 'fleet.json'), JSON.stringify(fleet))
    writeFileSync(path.join(folder, 'secrets.json'), JSON.stringify({ encryption_keys: encryptionKeys }))
    const line = 'admin provider-key set --workspace acme --provider deepseek'
    const env = { RATCHET_DATA_DIR: folder, ENCRYPTION_KEYS: undefined }
    const elsewhere = await ratchet(line, { env, piped: secret })
    const beside = await ratchet(line, { env: { ...env, DATABASE_URL: undefined }, piped: secret })
    rmSync(folder, { recursive: true })
    expect([elsewhere.code, beside.code]).toEqual([2, 0])
    expect(elsewhere.err).toContain('ENCRYPTION_KEYS')
    expect(await openedSecret('deepseek')).toBe(secret)
  })

  const serviceKey = mintApiKey('sk_svc_', randomBytes)

  it.each([
    ['standard input is a terminal', '', { piped: null }, 'no key given'],
    ['the input is empty', '', { piped: '' }, 'does not contain a key'],
    ['there are two lines', '', { piped: `${secret}\n${secret}` }, 'does not contain a key'],
    ['it is too short', '', { piped: 'sk-short' }, 'does not contain a key'],
    ['it is one of our own keys', '', { piped: serviceKey }, 'contains a key of this service'],
    ['the variable is not set', ' --from-env NOPE', {}, '--from-env: NOPE is not set'],
    ['the base URL is plain http', ' --base-url http://api.example.com', { piped: secret }, 'scheme must be https'],
    ['the base URL is private', ' --base-url https://169.254.169.254/', { piped: secret }, 'not public'],
    ['the base URL contains a password', ' --base-url https://u:p@x.example/', { piped: secret }, 'credentials'],
    ['there are no encryption keys', '', { env: { ENCRYPTION_KEYS: '' }, piped: secret }, 'ENCRYPTION_KEYS'],
    ['the encryption keys are malformed', '', { env: { ENCRYPTION_KEYS: 'x' }, piped: secret }, 'ENCRYPTION_KEYS'],
  ] as [string, string, Surroundings, string][])(
    'stores nothing when %s',
    async (_when, options, surroundings, says) => {
      const line = `admin provider-key set --workspace acme --provider cohere${options}`
      expect(await ratchet(line, surroundings)).toEqual({ code: 2, out: '', err: expect.stringContaining(says) })
      const { rows } = await pool.query("SELECT 1 FROM provider_key WHERE provider = 'cohere'")
      expect(rows).toEqual([])
    },
  )
})

describe('a provider key', () => {
  const commands = allCommands(secret)

  it('is not in the output of any command, in any format, with and without help', async () => {
    const surroundings = { env: { SECRET: secret, RATCHET_API_KEY: secret, RATCHET_DEBUG: '1' }, piped: secret }
    await ratchet('admin create-workspace --slug silent --name W --owner-email ann@example.com')
    await ratchet('admin provider-key set --workspace silent --provider openai', surroundings)
    expect(Object.keys(commands).sort()).toEqual(leavesOf(buildProgram(recordingIo(), () => undefined)).sort())
    let printed = ''
    for (const [name, options] of Object.entries(commands)) {
      for (const format of ['', ' --json', ' --help', ' --nonsense']) {
        const { out, err } = await ratchet(`${name} ${options}${format}`.replaceAll('  ', ' ').trim(), surroundings)
        printed += out + err
      }
    }
    expect(printed).toContain('WXYZ') // the four characters that may be seen
    expect(printed).not.toContain(secret.slice(-5))
    expect(printed).not.toContain(secret.slice(0, 12))
  })

  it('is not read from the command line, where other programs could see it', async () => {
    for (const words of [secret, `--key ${secret}`, `--key=${secret}`, `-k${secret}`]) {
      const { code, err } = await ratchet(`admin provider-key set --workspace acme --provider openai ${words}`)
      expect({ code, repeats: err.includes(secret) }).toEqual({ code: 2, repeats: false })
    }
  })
})

function leavesOf(command: Command, before = ''): string[] {
  return command.commands.flatMap((child) => {
    const name = `${before} ${child.name()}`.trim()
    return child.commands.length === 0 ? [name] : leavesOf(child, name)
  })
}
