import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { recordingIo } from '../recording-io.fixture.ts'
import { runCli } from '../run-cli.ts'
import { agents } from './agent-settings.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ratchet-connect-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function connect(agent: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const io = recordingIo({ RATCHET_DATA_DIR: folder, ...env })
  const code = await runCli(['connect', agent, ...args], io)
  return { code, out: io.out(), err: io.err() }
}

const there = ['--base-url', 'https://llm.acme.test/v1/']

it('prints what Claude Code reads', async () => {
  const { code, out } = await connect('claude-code', [...there, '--model', 'opus-alias'])
  expect(code).toBe(0)
  expect(out.split('\n')).toEqual([
    '# in your shell:',
    "export ANTHROPIC_BASE_URL='https://llm.acme.test'",
    'export ANTHROPIC_AUTH_TOKEN=$RATCHET_API_KEY',
    "export ANTHROPIC_MODEL='opus-alias'",
    "export ANTHROPIC_DEFAULT_HAIKU_MODEL='opus-alias'",
    'claude',
    '',
  ])
})

it('prints what Codex reads', async () => {
  const { out } = await connect('codex', there)
  expect(out).toContain('# in your shell:\ncodex\n')
  expect(out).toContain('base_url = "https://llm.acme.test/v1"\nenv_key = "RATCHET_API_KEY"\nwire_api = "responses"')
})

it.each(agents)('has an address, a key and a model for %s, and no key in a file', async (agent) => {
  const { out } = await connect(agent, [...there, '--model', "it's/a-model"])
  expect(out).toContain('https://llm.acme.test')
  const io = recordingIo({ RATCHET_DATA_DIR: folder })
  expect(await runCli(['--json', 'connect', agent, ...there], io)).toBe(0)
  const { env, file } = JSON.parse(io.out())
  expect(Object.values(env)).toContain('$RATCHET_API_KEY')
  expect(file?.content ?? '').not.toContain('$RATCHET')
})

it.each(agents)('prints no key for %s but that of the demo', async (agent) => {
  const env = { RATCHET_BASE_URL: 'https://llm.acme.test', RATCHET_API_KEY: 'sk_secret' }
  const { out } = await connect(agent, [], env)
  expect(out).not.toContain('sk_secret')
  expect(out).not.toContain('RATCHET_API_KEY=$RATCHET_API_KEY')
})

it('uses a simulated model on the fleet of `npm start` that has only those', async () => {
  const fleet = {
    base_url: 'http://127.0.0.1:8080',
    api_key: 'sk_demo',
    database_url: 'postgres://me:hush@127.0.0.1/ratchet',
    simulated_provider_url: 'http://127.0.0.1:9',
    workspace: 'demo',
  }
  await writeFile(path.join(folder, 'fleet.json'), JSON.stringify(fleet))
  const { out } = await connect('claude-code')
  expect(out).toContain("export ANTHROPIC_MODEL='sim/tools'")
  expect(out).toContain("export ANTHROPIC_AUTH_TOKEN='sk_demo'")
  expect((await connect('codex', [], { RATCHET_API_KEY: 'sk_secret' })).out).not.toMatch(/sk_/)
  await writeFile(path.join(folder, 'fleet.json'), JSON.stringify({ ...fleet, simulated_provider_url: null }))
  expect((await connect('claude-code')).out).toContain("export ANTHROPIC_MODEL='claude-sonnet-4-6'")
})

it.each([
  ['--model', 'two words'],
  ['--model', ''],
])('refuses %s %j', async (...args) => {
  expect((await connect('codex', [...there, ...args])).code).toBe(2)
})
