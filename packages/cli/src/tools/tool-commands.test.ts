import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ioFor, runToolsCommand } from '../api/run-against.fixture.ts'
import { refusal, type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'

const path = '/v1/environment_tools'
let api: ScriptedApi
let folder = ''

beforeEach(async () => {
  api = await startScriptedApi()
  folder = await mkdtemp(join(tmpdir(), 'tools-'))
})
afterEach(async () => {
  api.stop()
  await rm(folder, { recursive: true })
})

const tools = (line: string | readonly string[]) => runToolsCommand(ioFor(api), line)
const body = {
  name: 'weather',
  description: 'd',
  parameters: { type: 'object' },
  kind: 'static',
  static: { result: 1 },
}
const stats = { calls: 40, errors: 2, timeouts: 1, p50_ms: 12, p95_ms: 80, hit_rate: 0.9 }
const tool = {
  id: 'tool_1',
  object: 'environment_tool',
  name: 'weather',
  description: 'd',
  parameters: { type: 'object' },
  kind: 'static',
  http: null,
  static: { result: 1, cases: [] },
  recorded: null,
  usable_as: ['tool'],
  side_effects: false,
  max_calls_per_rollout: 10,
  stats,
  version: 2,
  created_at: '2026-12-01T00:00:00.000Z',
  updated_at: '2026-12-01T00:00:00.000Z',
}

it('lists tools with how their calls went', async () => {
  const page = { object: 'list', data: [tool], total: 1, limit: 20, offset: 0, has_more: false }
  api.answers(`GET ${path}`, { body: page })
  expect((await tools('list')).out.split('\n').slice(0, 2)).toEqual([
    'ID      NAME     KIND    VERSION  CALLS  FAILED  FOUND',
    'tool_1  weather  static  2        40     2       90 %',
  ])
})

it('creates a tool from a file, and prints its secret once', async () => {
  const file = join(folder, 'tool.json')
  await writeFile(file, JSON.stringify(body))
  api.answers(`POST ${path}`, { status: 201, body: { ...tool, signing_secret: 'whsec_x' } })
  expect((await tools(['create', file])).out).toBe('tool_1\nsecret  whsec_x\n')
  await writeFile(file, '[]')
  expect(await tools(['create', file])).toMatchObject({ code: 1, err: expect.stringContaining('as a JSON object') })
})

it('shows what a model would see, and fails with the call', async () => {
  const answer = {
    ok: true,
    result: 'sunny',
    truncated: false,
    done: false,
    reward: null,
    recorded_hit: true,
    error: null,
    status: null,
    duration_ms: 12,
  }
  api.answers(`POST ${path}/tool_1/test`, { body: answer })
  expect(await tools(['test', 'tool_1', '--arguments', '{"city":"Rome"}'])).toMatchObject({
    code: 0,
    out: 'sunny\n',
    err: expect.stringContaining('answered, 12 ms, recorded'),
  })
  const error = { code: 'timeout', message: 'It was slow.' }
  api.answers(`POST ${path}/tool_1/test`, {
    body: { ...answer, ok: false, result: 'It was slow.', error, recorded_hit: null },
  })
  expect(await tools('test tool_1')).toMatchObject({
    code: 1,
    out: 'It was slow.\n',
    err: expect.stringContaining('timeout'),
  })
  api.answers(
    `POST ${path}/tool_1/test`,
    refusal(404, { code: 'not_found', message: 'There is no such environment tool.' }),
  )
  expect((await tools('test tool_1')).code).toBe(1)
  expect((await tools(['test', 'tool_1', '--arguments', '[]'])).code).not.toBe(0)
})
