import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { recordingIo } from '../recording-io.fixture.ts'
import { apiKey, ioFor, runEvalCommand } from './run-against.fixture.ts'
import { type ScriptedApi, startScriptedApi } from './scripted-api.fixture.ts'

const list = { object: 'list', data: [], total: 0, limit: 20, offset: 0, has_more: false }
let api: ScriptedApi
let folder: string

beforeEach(async () => {
  api = await startScriptedApi()
  api.answers('GET /v1/evals', { body: list })
  folder = mkdtempSync(path.join(tmpdir(), 'ratchet-cli-'))
})
afterEach(async () => {
  await api.stop()
  rmSync(folder, { recursive: true })
})

function writeFleet(more: object): void {
  const fleet = { base_url: api.baseUrl, database_url: 'postgres://me:hush@db/ratchet', workspace: 'demo', ...more }
  writeFileSync(path.join(folder, 'fleet.json'), JSON.stringify(fleet))
}

async function run(env: Record<string, string>, ...flags: string[]) {
  return runEvalCommand(recordingIo({ RATCHET_DATA_DIR: folder, ...env }), ['list', ...flags])
}

it('prefers options to the environment, and the environment to the fleet', async () => {
  writeFleet({ api_key: 'of-fleet' })
  const env = { RATCHET_BASE_URL: `${api.baseUrl}/env/v1/`, RATCHET_API_KEY: 'of-env' }
  api.answers('GET /env/v1/evals', { body: list })
  api.answers('GET /flag/v1/evals', { body: list })

  await run({})
  await run(env)
  await run(env, '--base-url', `${api.baseUrl}/flag`, '--api-key', 'of-flag')
  await run({ RATCHET_API_KEY: 'of-env' })

  expect(api.seen.map(({ line, authorization }) => [line.split('?')[0], authorization])).toEqual([
    ['GET /v1/evals', 'Bearer of-fleet'],
    ['GET /env/v1/evals', 'Bearer of-env'],
    ['GET /flag/v1/evals', 'Bearer of-flag'],
    ['GET /v1/evals', 'Bearer of-env'],
  ])
})

it('sends the key of the fleet only to the fleet', async () => {
  writeFleet({ api_key: 'of-fleet' })

  expect(await run({ RATCHET_BASE_URL: api.baseUrl })).toMatchObject({
    code: 1,
    err: `error: no API key for ${api.baseUrl}: set RATCHET_API_KEY or give --api-key\n`,
  })
  expect(api.seen).toEqual([])
})

it('does not follow a redirect', async () => {
  api.answers('GET /v1/evals', { status: 302, body: '', headers: { location: `${api.baseUrl}/elsewhere` } })

  expect((await runEvalCommand(ioFor(api), 'list')).err).toContain('answered 302')
  expect(api.seen).toHaveLength(1)
})

it('prints in one line what to do without a deployment', async () => {
  expect(await run({})).toMatchObject({
    code: 1,
    out: '',
    err: 'error: no deployment: run `npm start`, set RATCHET_BASE_URL and RATCHET_API_KEY or give --base-url and --api-key\n',
  })
})

it.each([
  [{ RATCHET_BASE_URL: 'https://me:hush@host', RATCHET_API_KEY: 'k' }, [], 'RATCHET_BASE_URL: expected a URL'],
  [{ RATCHET_API_KEY: 'hush' }, ['--base-url', 'host'], '--base-url: expected a URL'],
  [{ RATCHET_API_KEY: 'hush' }, ['--base-url', 'ftp://host'], '--base-url: expected a URL'],
  [{ RATCHET_API_KEY: 'hush' }, ['--base-url', 'http://host/?key=hush'], '--base-url: expected a URL'],
  [{ RATCHET_BASE_URL: 'http://host', RATCHET_API_KEY: 'hu\nsh hush' }, [], 'RATCHET_API_KEY: expected an API key'],
  [{ RATCHET_BASE_URL: 'http://host' }, ['--api-key', 'hush hush'], '--api-key: expected an API key'],
])('names the wrong value without printing it: %j %j', async (env, flags, message) => {
  const { code, err } = await run(env, ...flags)

  expect(code).toBe(1)
  expect(err).toContain(`error: ${message}`)
  expect(err).not.toContain('hush')
})

it('names the file when its key is missing', async () => {
  writeFleet({})

  expect((await run({})).err).toBe(
    'error: api_key of fleet.json: expected an API key, which is one word of visible ASCII characters\n',
  )
})

it.each([
  ['succeeds', { body: list }],
  ['is refused', { status: 401, body: '{}' }],
  ['cannot be reached', 'hang up'],
  ['is delayed', { status: 503, body: '' }],
] as const)('does not print the key when the request %s', async (_, answer) => {
  api.answers('GET /v1/evals', answer)
  const io = ioFor(api)

  await runEvalCommand(io, 'list --json')
  await runEvalCommand(io, 'list')

  expect(api.seen[0]?.authorization).toBe(`Bearer ${apiKey}`)
  expect(io.out() + io.err()).not.toContain('hush')
})
