import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eventually } from '@ratchet/testing/eventually'
import { dataPaths, repositoryRoot } from '../fleet/data-paths.ts'
import { type FleetInfo, readFleetFile } from '../fleet/fleet-file.ts'
import { collectOutput } from '../processes/collect-output.ts'
import { identify, isRunning } from '../processes/process-identity.ts'

const timeoutMs = 120_000

/** An environment without stores and provider keys. */
const unset = { DATABASE_URL: undefined, REDIS_URL: undefined, OPENAI_API_KEY: undefined, ANTHROPIC_API_KEY: undefined }

const folder = mkdtempSync(path.join(tmpdir(), 'ratchet-start-'))
const data = dataPaths(folder)
/** Data of a fleet of another person, started in the same second. */
const otherFolder = mkdtempSync(path.join(tmpdir(), 'ratchet-start-'))

function run(command: 'start' | 'stop', ...args: string[]): Promise<{ ok: boolean; output: string }> {
  return runOn(folder, command, ...args)
}

function runOn(dataFolder: string, command: 'start' | 'stop', ...args: string[]) {
  const script = path.join(repositoryRoot, 'infra/src/commands', `${command}.ts`)
  const env = { ...process.env, ...unset, RATCHET_DATA_DIR: dataFolder, FORCE_COLOR: undefined }
  return collectOutput(process.execPath, [script, ...args], { cwd: repositoryRoot, env })
}

function fleet(paths = data): FleetInfo {
  const info = readFleetFile(paths.fleetFile)
  if (info === null) throw new Error('there is no fleet.json')
  return info
}

function chat(body: unknown, key = fleet().api_key): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(`${fleet().base_url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** The first line that Redis answers to a command. */
function redisReply({ hostname, port }: { readonly hostname: string; readonly port: number }, command: string) {
  return new Promise<string>((resolve, reject) => {
    const socket = connect(port, hostname, () => socket.write(`${command}\r\n`))
    socket.once('error', reject)
    socket.once('data', (reply) => {
      socket.destroy()
      resolve(reply.toString())
    })
  })
}

function audit(): Promise<{ ok: boolean; output: string }> {
  const bin = path.join(repositoryRoot, 'packages/cli/bin/ratchet.mjs')
  const env = { ...process.env, ...unset, DATABASE_URL: fleet().database_url, FORCE_COLOR: undefined }
  return collectOutput(process.execPath, [bin, 'admin', 'audit'], { cwd: repositoryRoot, env })
}

const question = { model: 'sim/echo', messages: [{ role: 'user', content: 'Hello?' }] }

beforeAll(async () => {
  const started = await Promise.all([folder, otherFolder].map((each) => runOn(each, 'start', '--detach')))
  for (const { ok, output } of started) if (!ok) throw new Error(output)
}, timeoutMs)

afterAll(async () => {
  for (const each of [folder, otherFolder]) {
    await runOn(each, 'stop', '--now')
    rmSync(each, { recursive: true, force: true })
  }
}, timeoutMs)

it('shares no port with a fleet that starts at the same time', async () => {
  const other = fleet(dataPaths(otherFolder))
  const addressesOf = (info: FleetInfo) => [info.base_url, info.database_url, ...Object.values(info.metrics_urls)]
  const ports = [fleet(), other].map((info) => addressesOf(info).map((url) => new URL(url).port))
  expect(ports[0]?.filter((port) => ports[1]?.includes(port))).toEqual([])
  expect((await chat(question)).status).toBe(200)
  const headers = { authorization: `Bearer ${other.api_key}` }
  expect((await fetch(`${other.base_url}/v1/models`, { headers })).status).toBe(200)
  expect((await fetch(`${fleet().base_url}/v1/models`, { headers })).status).toBe(401)
  expect(await runOn(otherFolder, 'stop', '--now')).toMatchObject({ ok: true })
})

it('leaves a file with addresses and keys that only its owner can read', () => {
  expect(statSync(data.fleetFile).mode & 0o777).toBe(0o600)
  expect(statSync(data.secretsFile).mode & 0o777).toBe(0o600)
  expect(fleet()).toMatchObject({
    voice_base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    workspace: 'demo',
  })
  expect(fleet().dashboard_url).toBe(fleet().base_url.replace('127.0.0.1', 'localhost'))
})

it('leaves no file or folder that another user can read', async () => {
  expect((await chat(question)).status).toBe(200)
  const open = readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    // Postgres may remove a file after it was listed.
    const mode = lstatSync(path.join(folder, name), { throwIfNoEntry: false })?.mode ?? 0
    return (mode & 0o077) === 0 ? [] : [`${name} ${(mode & 0o777).toString(8)}`]
  })
  expect(open).toEqual([])
  // If root starts the fleet, Postgres is another user, who may pass through the folder.
  expect(statSync(folder).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o711 : 0o700)
  for (const name of ['postgres/PG_VERSION', 'redis/appendonlydir', 'inference.sock', 'logs/edge.log', 'run.json'])
    expect(existsSync(path.join(folder, name))).toBe(true)
})

it('refuses commands to Redis without its password, and goes on', async () => {
  const { hostname, port } = new URL(fleet().redis_url)
  const forbidden = [
    'PING',
    'AUTH guess',
    'AUTH default ',
    'CONFIG GET requirepass',
    'KEYS *',
    'FLUSHALL',
    'SHUTDOWN NOSAVE',
  ]
  for (const command of forbidden) {
    const reply = await redisReply({ hostname, port: Number(port) }, command)
    expect([command, reply]).toEqual([command, expect.stringMatching(/^-(NOAUTH|WRONGPASS|ERR)/)])
  }
  expect((await chat(question)).status).toBe(200)
})

it('accepts the key of the owner and the key of the member', async () => {
  for (const key of [fleet().api_key, fleet().member_api_key]) {
    const response = await chat(question, key)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Hello?' } }] })
  }
})

it('opens the dashboard at the address of the API, and the owner signs in with the generated password', async () => {
  const { dashboard_url: origin, owner_email: email, owner_password: password, base_url: url } = fleet()
  const page = await fetch(`${url}/sign-in`, { headers: { accept: 'text/html' } })
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="root">')])
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', origin: String(origin) }
  const body = JSON.stringify({ email, password })
  const signedIn = await fetch(`${url}/api/auth/sign-in/email`, { method: 'POST', headers, body })
  expect(signedIn.status).toBe(200)
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  expect((await fetch(`${url}/api/w/demo/v1/models`, { headers: { cookie } })).status).toBe(200)
})

it('serves every part of the API, from one process for the back office', async () => {
  const headers = { authorization: `Bearer ${fleet().api_key}` }
  const parts = ['models', 'logs', 'traces', 'datasets', 'criteria', 'labels', 'evals', 'aliases', 'webhooks']
  const statusOf = async (part: string) => (await fetch(`${fleet().base_url}/v1/${part}`, { headers })).status
  // On a machine under load a first connection to the database may take too long.
  await eventually(async () => expect(await Promise.all(parts.map(statusOf))).toEqual(parts.map(() => 200)), {
    withinMs: 45_000,
  })
  const metrics = Object.values(fleet().metrics_urls).map(async (url) => (await fetch(url)).status)
  expect(new Set(await Promise.all(metrics))).toEqual(new Set([200]))
  expect(Object.keys(fleet().pids).sort()).toEqual(
    [
      'back-office',
      'edge',
      'inference',
      'logging-worker',
      'postgres',
      'redis',
      'simulated-provider',
      'supervisor',
      'voice-worker',
    ].sort(),
  )
  expect(readdirSync(data.logs)).toEqual(expect.arrayContaining(['judging.log', 'alias-worker.log', 'dashboard.log']))
})

it('prints the address of the running fleet when it is started again, and starts nothing', async () => {
  const before = fleet()
  const { ok, output } = await run('start')
  expect(ok).toBe(true)
  expect(output).toContain(`already runs on ${folder} (process ${before.pids.supervisor}): ${before.base_url}/v1`)
  expect(fleet()).toEqual(before)
})

it('refuses to reset a running fleet', async () => {
  const { ok, output } = await run('start', '--detach', '--reset')
  expect(ok).toBe(false)
  expect(output).toMatch(/^✗ Ratchet already runs .* Run `npm stop` first\.$/m)
})

it(
  'restarts killed services and stores',
  async () => {
    const { pids } = fleet()
    for (const name of ['postgres', 'redis', 'inference', 'back-office', 'edge'])
      process.kill(pids[name] ?? 0, 'SIGKILL')
    await eventually(async () => (await chat(question)).status === 200, { withinMs: 45_000, everyMs: 100 })
    expect(Object.keys(fleet().pids).sort()).toEqual(Object.keys(pids).sort())
  },
  timeoutMs,
)

it(
  'leaves no process behind when it is stopped, and keeps keys and data for the next start',
  async () => {
    const before = fleet()
    const running = Object.values(before.pids).flatMap((pid) => identify(pid) ?? [])
    expect(running).toHaveLength(Object.keys(before.pids).length)
    expect(await run('stop')).toMatchObject({ ok: true })
    expect(running.filter(isRunning)).toEqual([])
    expect(existsSync(data.fleetFile)).toBe(false)
    const again = await run('start', '--detach')
    expect(again).toMatchObject({ ok: true })
    expect(again.output).toContain('up to date')
    const { api_key, member_api_key, owner_password, base_url } = before
    expect(fleet()).toMatchObject({ api_key, member_api_key, owner_password, base_url })
    expect((await chat(question)).status).toBe(200)
  },
  timeoutMs,
)

it(
  'cleans up after a supervisor that was killed',
  async () => {
    const left = Object.values(fleet().pids).flatMap((pid) => identify(pid) ?? [])
    process.kill(fleet().pids.supervisor ?? 0, 'SIGKILL')
    const { ok, output } = await run('start', '--detach')
    expect(output).toContain('the previous fleet was killed; stopping its remaining processes')
    expect(ok).toBe(true)
    expect(left.filter(isRunning)).toEqual([])
    expect((await chat(question)).status).toBe(200)
    expect(await audit()).toMatchObject({ ok: true, output: expect.stringContaining('is correct') })
  },
  timeoutMs,
)
