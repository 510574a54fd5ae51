import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { recordingIo } from './recording-io.fixture.ts'
import { runCli } from './run-cli.ts'

let folder: string
let edge: Server
let readyzStatus: number

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ratchet-cli-'))
  readyzStatus = 200
  edge = createServer((request, response) => {
    response.writeHead(request.url === '/readyz' ? readyzStatus : 404).end('{}')
  })
  edge.listen(0, '127.0.0.1')
  await once(edge, 'listening')
})
afterEach(async () => {
  edge.close()
  await rm(folder, { recursive: true })
})

function baseUrl(): string {
  return `http://127.0.0.1:${(edge.address() as { port: number }).port}`
}

async function writeFleet(content: string): Promise<void> {
  await writeFile(path.join(folder, 'fleet.json'), content)
}

function fleet(): Record<string, unknown> {
  return {
    base_url: baseUrl(),
    voice_base_url: 'http://127.0.0.1:8098',
    dashboard_url: null,
    database_url: 'postgres://me:hush@127.0.0.1:5432/ratchet',
    redis_url: 'redis://127.0.0.1:6379',
    simulated_provider_url: 'http://127.0.0.1:9',
    workspace: 'demo',
    api_key: 'sk_svc_hush',
    member_api_key: 'sk_svc_hush',
    voice_api_key: 'ck_live_owner',
    pids: {},
  }
}

async function status(...flags: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = recordingIo({ RATCHET_DATA_DIR: folder })
  const code = await runCli(['status', ...flags], io)
  return { code, out: io.out(), err: io.err() }
}

it('shows a fleet that is ready, without its secrets', async () => {
  await writeFleet(JSON.stringify(fleet()))

  const { code, out } = await status()

  expect(code).toBe(0)
  expect(out).toBe(
    [
      'status                  ready',
      `base_url                ${baseUrl()}`,
      'simulated_provider_url  http://127.0.0.1:9',
      'workspace               demo',
      '',
    ].join('\n'),
  )
  expect((await status('--json')).out).not.toContain('hush')
})

it('fails for a fleet that is not ready', async () => {
  readyzStatus = 503
  await writeFleet(JSON.stringify(fleet()))

  const { code, out } = await status('--json')

  expect([code, JSON.parse(out).status]).toEqual([1, 'not ready'])
})

it('fails for a fleet whose supervisor was killed, although it is ready', async () => {
  const { pid = 0 } = spawnSync(process.execPath, ['--version'])
  await writeFleet(JSON.stringify({ ...fleet(), pids: { supervisor: pid } }))
  const { code, out } = await status('--json')
  expect([code, JSON.parse(out)]).toMatchObject([1, { status: 'ready', supervisor: 'killed' }])
  expect((await status()).out).toContain('nothing is restarted')

  await writeFleet(JSON.stringify({ ...fleet(), pids: { supervisor: process.pid } }))
  expect(JSON.parse((await status('--json')).out)).toMatchObject({ status: 'ready', supervisor: 'running' })
})

it('fails for a fleet that was killed', async () => {
  await writeFleet(JSON.stringify(fleet()))
  edge.close()
  await once(edge, 'close')

  const { code, out } = await status('--json')

  expect([code, JSON.parse(out).status]).toEqual([1, 'no answer'])
})

it('names the command that starts one when there is none', async () => {
  expect(await status()).toEqual({ code: 1, out: 'not started; `npm start` starts it\n', err: '' })
})

it.each(['', '{', '{"base_url": 7}'])('names the file with the content %j', async (content) => {
  await writeFleet(content)

  expect(await status()).toEqual({
    code: 1,
    out: '',
    err: `error: ${path.join(folder, 'fleet.json')} is not a file that \`npm start\` wrote\n`,
  })
})

it("uses the fleet's database for the admin commands", async () => {
  await writeFleet(JSON.stringify({ ...fleet(), database_url: 'postgres://me:hush@127.0.0.1:1/ratchet' }))
  const io = recordingIo({ RATCHET_DATA_DIR: folder })

  expect(await runCli(['admin', 'wallet', '--workspace', 'demo'], io)).toBe(1)

  expect(io.err()).toContain('the database at 127.0.0.1:1 cannot be used')
})
