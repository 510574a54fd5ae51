import {
  freshExchanges,
  presentExchanges,
  sampleExchanges,
  samplePrompts,
  sampleRuns,
} from '@ratchet/contracts/internal-logs'
import { listLogs } from '@ratchet/contracts/logs'
import { listSegments } from '@ratchet/contracts/segments'
import { getTrace, listTraces } from '@ratchet/contracts/traces'
import { type LoggingService, type RequestChoices, startLoggingService } from '../logging-service.fixture.ts'
import { otlpRequest } from '../traces/otlp/otlp-request.fixture.ts'
import { type ChdbServer, startChdb } from './clickhouse-under-test.fixture.ts'

let engine: ChdbServer
let service: LoggingService

beforeAll(async () => {
  engine = await startChdb()
  service = await startLoggingService({ LOG_STORE_URL: engine.url })
}, 300_000)
afterAll(async () => {
  await service?.stop()
  await engine?.stop()
})

async function answer(choices: RequestChoices): Promise<string> {
  const response = await service.send(choices)
  const body = await response.text()
  expect([response.status < 300, body]).toEqual([true, body])
  return body
}

const post = async (path: string, body: object, workspaceId: string) =>
  JSON.parse(await answer({ method: 'POST', path, body, workspaceId }))
const get = async (path: string, workspaceId: string) => JSON.parse(await answer({ path, workspaceId }))

const hourAgo = Date.now() - 3_600_000
const entry = (n: number, more: object = {}) => ({
  model: 'acme/fast',
  created_at: new Date(hourAgo + n * 1_000).toISOString(),
  messages: [
    { role: 'system', content: 'You sort mail.' },
    { role: 'user', content: `Mail ${n}, code word${n}` },
  ],
  response: { role: 'assistant', content: `Folder ${n}` },
  finish_reason: 'stop',
  prompt_tokens: 10,
  completion_tokens: 2,
  ...more,
})

/** A workspace with five imported exchanges, two of them in a trace. */
async function filled(): Promise<string> {
  const workspaceId = await service.addWorkspace()
  const logs = [
    entry(1),
    entry(2, { tag: 'night' }),
    entry(3, { trace_id: 'run-1', finish_reason: 'tool_calls' }),
    entry(4, { trace_id: 'run-1', tag: 'night' }),
    entry(5, { alias: 'mail' }),
  ]
  expect(await post('/v1/logs/import', { logs }, workspaceId)).toMatchObject({ imported: 5 })
  expect(await post('/v1/logs/import', { logs }, workspaceId)).toMatchObject({ imported: 0, duplicates: 5 })
  return workspaceId
}

it('lists, reads, exports and deletes log entries', async () => {
  const workspaceId = await filled()
  const all = listLogs.reply.parse(await get('/v1/logs', workspaceId))
  expect(all).toMatchObject({ total: 5, total_is_exact: true, has_more: false })
  expect(all.data[0]).toMatchObject({ alias: 'mail', source: 'import', step_index: null })
  const first = await get('/v1/logs?tag=night&q=word4&limit=1', workspaceId)
  expect(first).toMatchObject({ total: 1, data: [{ step_index: 1, response: { content: 'Folder 4' } }] })
  const [{ id }] = (await get('/v1/logs?limit=1', workspaceId)).data
  const rest = await get(`/v1/logs?content=none&limit=2&after=${id}`, workspaceId)
  expect(rest).toMatchObject({ total: 5, has_more: true, data: [{ trace_id: 'run-1' }, { trace_id: 'run-1' }] })
  expect(await get(`/v1/logs/${id}`, workspaceId)).toMatchObject({ id, messages: [{}, { role: 'user' }] })
  const exported = (await answer({ path: '/v1/logs/export?tag=night', workspaceId })).trim().split('\n')
  expect(exported).toHaveLength(2)
  const other = await service.addWorkspace()
  expect((await service.send({ path: `/v1/logs/${id}`, workspaceId: other })).status).toBe(404)
  await answer({ method: 'DELETE', path: `/v1/logs/${id}`, workspaceId })
  expect((await service.send({ path: `/v1/logs/${id}`, workspaceId })).status).toBe(404)
  expect(await get('/v1/logs', workspaceId)).toMatchObject({ total: 4 })
  expect(await get('/v1/logs', other)).toMatchObject({ total: 0, data: [] })
})

it('lists segments and traces', async () => {
  const workspaceId = await filled()
  const segments = listSegments.reply.parse(await get('/v1/logs/segments', workspaceId))
  expect(segments.data).toMatchObject([{ exchanges: 5, sample: 'You sort mail.', label: expect.any(String) }])
  for (const query of ['', '?tag=night', '?min_steps=2']) {
    const traces = listTraces.reply.parse(await get(`/v1/traces${query}`, workspaceId))
    expect(traces).toMatchObject({ total: 1, data: [{ id: 'run-1', steps: 2, tags: ['night'], total_tokens: 24 }] })
  }
  const trace = getTrace.reply.parse(await get('/v1/traces/run-1', workspaceId))
  expect(trace).toMatchObject({ id: 'run-1', steps: 2, data: [{ step_index: 0 }, { step_index: 1 }] })
  await answer({ path: '/v1/traces/run-1/export', workspaceId })
})

it('receives spans, each once, and shows those of a trace', async () => {
  const workspaceId = await service.addWorkspace()
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]),
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'Hello' }] }]),
  }
  const tool = { startMs: hourAgo, name: 'lookup', spanId: '1'.repeat(16), statusCode: 2 }
  const request = otlpRequest([{ startMs: hourAgo, attributes }, tool])
  for (let n = 0; n < 2; n++) await post('/v1/traces', request, workspaceId)
  const { data } = await get('/v1/traces', workspaceId)
  expect(data).toMatchObject([{ steps: 1, error_count: 1, models: ['gpt-4o'] }])
  expect(await get(`/v1/traces/${data[0].id}`, workspaceId)).toMatchObject({ spans: [{ name: 'lookup' }] })
})

it('gives judging, eval and alias what they pick', async () => {
  const workspaceId = await filled()
  const sample = await post(sampleExchanges.path, { filters: { tag: 'night' }, count: 5, seed: 1 }, workspaceId)
  expect(sampleExchanges.reply.parse(sample)).toMatchObject({ total: 2, data: [{ tag: 'night' }, { tag: 'night' }] })
  const prompts = await post(samplePrompts.path, { filters: {}, count: 2, seed: 1 }, workspaceId)
  expect(samplePrompts.reply.parse(prompts)).toMatchObject({ total: 5, distinct: 5, data: [{}, {}] })
  const runs = await post(sampleRuns.path, { filters: {}, max_steps: 5, seed: 1 }, workspaceId)
  expect(sampleRuns.reply.parse(runs)).toMatchObject({ total_runs: 1, data: [{ trace_id: 'run-1', steps: [{}, {}] }] })
  const after = '00000000-0000-0000-0000-000000000000'
  const fresh = await get(`${freshExchanges.path}?after=${after}&limit=9&alias=mail`, workspaceId)
  expect(freshExchanges.reply.parse(fresh).data).toMatchObject([{ alias: 'mail' }])
  const ids = fresh.data.map((row: { id: string }) => row.id)
  const present = await post(presentExchanges.path, { ids: [...ids, `log_${'0'.repeat(32)}`] }, workspaceId)
  expect(present).toEqual({ ids })
})

it('makes datasets of matching entries', async () => {
  const workspaceId = await filled()
  const body = { name: 'mails', filters: { tag: 'night' }, holdout_pct: 0 }
  const { dataset } = await post('/v1/datasets/from_logs', body, workspaceId)
  expect(dataset).toMatchObject({ name: 'mails', source: 'logs' })
  const lines = (await answer({ path: `/v1/datasets/${dataset.id}/export`, workspaceId })).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).messages.at(-1).content).toSorted()).toEqual(['Folder 2', 'Folder 4'])
})

it('answers 503 while ClickHouse is unavailable', async () => {
  const workspaceId = await service.addWorkspace()
  const unavailable = await startLoggingService({ LOG_STORE_URL: 'http://127.0.0.1:9/log' })
  try {
    const own = unavailable.workspaceId
    expect(own).not.toBe(workspaceId)
    for (const path of ['/v1/logs', '/v1/traces', '/v1/logs/segments']) {
      const { status } = await unavailable.send({ path })
      expect([path, status]).toEqual([path, 503])
    }
  } finally {
    await unavailable.stop()
  }
}, 60_000)
