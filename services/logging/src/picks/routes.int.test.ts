import {
  drawRuns,
  freshExchanges,
  maxJudgedSteps,
  quietRuns,
  readRuns,
  samplePrompts,
  sampleRuns,
} from '@ratchet/contracts/internal-logs'
import { uuidOf } from '@ratchet/contracts/public-id'
import { type ExchangeFields, storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { type LoggingService, refusalOf, startLoggingService } from '../logging-service.fixture.ts'

let service: LoggingService

beforeAll(async () => {
  service = await startLoggingService()
}, 60_000)
afterAll(() => service?.stop())

const store = (workspaceId: string, fields: readonly ExchangeFields[]) =>
  storeExchanges(service.operator, { workspaceId, at: new Date() }, fields)
const hashOf = (prompt: number) => ({ promptHash: Buffer.alloc(32, prompt) })

async function post(path: string, body: object, workspaceId: string): Promise<unknown> {
  const answer = await service.send({ method: 'POST', path, body, workspaceId })
  expect(answer.status).toBe(200)
  return answer.json()
}

it('samples distinct prompts, without their content', async () => {
  const workspaceId = await service.addWorkspace()
  await store(
    workspaceId,
    [hashOf(1), hashOf(1), hashOf(2), { ...hashOf(3), tag: 'other' }].map((each) => ({ tag: 't', ...each })),
  )
  const body = { filters: { tag: 't' }, count: 5, seed: 7 }
  const sample = await post(samplePrompts.path, body, workspaceId)
  const { data, ...counts } = samplePrompts.reply.parse(sample)
  expect(counts).toEqual({ total: 3, looked_at: 3, distinct: 2 })
  expect(data.map(({ tag }) => tag)).toEqual(['t', 't'])
  expect(JSON.stringify(sample)).not.toContain('capital of France')
  expect(await post(samplePrompts.path, body, workspaceId)).toEqual(sample)
})

it('returns fresh exchanges, only those of one alias if the request names one', async () => {
  const workspaceId = await service.addWorkspace()
  const [plain = '', named = ''] = await store(workspaceId, [{}, { alias: 'bot' }])
  const after = '00000000-0000-0000-0000-000000000000'
  const send = async (query: string) => {
    const answer = await service.send({ path: `${freshExchanges.path}?after=${after}${query}`, workspaceId })
    const { data } = freshExchanges.reply.parse(await answer.json())
    return data.map(({ id }) => uuidOf('log', id))
  }
  const stored = [plain, named].toSorted()
  expect(await send('')).toEqual(stored)
  expect(await send('&limit=1&alias=bot')).toEqual([named])
  const refusal = await refusalOf(service, { path: `${freshExchanges.path}?after=${after}&alias=`, workspaceId })
  expect(refusal).toMatchObject({ status: 400, param: 'alias' })
})

it('samples whole runs, their steps counted from 0, without their content', async () => {
  const workspaceId = await service.addWorkspace()
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  await store(workspaceId, [
    { traceId: 'r', createdAt: minutesAgo(30), finishReason: 'tool_calls', hasToolCalls: true },
    { traceId: 'r', createdAt: minutesAgo(20) },
  ])
  const sample = await post(sampleRuns.path, { max_steps: 2 }, workspaceId)
  const { data, ...counts } = sampleRuns.reply.parse(sample)
  expect(counts).toEqual({ total_runs: 1, eligible_steps: 2 })
  expect(data.map(({ trace_id }) => trace_id)).toEqual(['r'])
  expect(data[0]?.steps.map((step) => [step.step_index, step.finish_reason])).toEqual([
    [0, 'tool_calls'],
    [1, 'stop'],
  ])
  expect(JSON.stringify(sample)).not.toContain('capital of France')
  expect(await post(sampleRuns.path, { max_steps: 1 }, workspaceId)).toMatchObject({ total_runs: 1, data: [] })
})

it.each([
  [samplePrompts.path, { count: 5 }],
  [sampleRuns.path, { max_steps: 5 }],
])('%s refuses a workspace whose logging is off', async (path, body) => {
  const workspaceId = await service.addWorkspace({ isLogging: false })
  const refusal = await refusalOf(service, { method: 'POST', path, body, workspaceId })
  expect(refusal).toMatchObject({ status: 409, code: 'logging_disabled' })
})

it.each([
  [samplePrompts.path, { count: 0 }, 'count'],
  [samplePrompts.path, { count: 501 }, 'count'],
  [samplePrompts.path, { count: 5, seed: 0.5 }, 'seed'],
  [samplePrompts.path, { count: 5, filters: { q: 'words' } }, 'filters.q'],
  [sampleRuns.path, { max_steps: 501 }, 'max_steps'],
  [sampleRuns.path, { max_steps: 5, filters: { finish_reason: 'stop' } }, 'filters.finish_reason'],
])('%s refuses %j', async (path, body, param) => {
  expect(await refusalOf(service, { method: 'POST', path, body })).toMatchObject({ status: 400, param })
})

it('draws, lists and reads runs for judges', async () => {
  const workspaceId = await service.addWorkspace()
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const [asked = '', answered = ''] = await store(workspaceId, [
    { traceId: 'done', createdAt: minutesAgo(30), finishReason: 'tool_calls', tag: 't' },
    { traceId: 'done', createdAt: minutesAgo(20) },
    { traceId: 'open', createdAt: minutesAgo(40), finishReason: 'tool_calls' },
    ...Array.from({ length: maxJudgedSteps + 1 }, () => ({ traceId: 'long', createdAt: minutesAgo(50) })),
  ])
  const drawn = drawRuns.reply.parse(await post(drawRuns.path, { filters: { tag: 't' }, count: 5 }, workspaceId))
  expect(drawn).toEqual({ total_runs: 1, trace_ids: ['done'] })
  const query = `?after=${minutesAgo(60).toISOString()}`
  const listed = await service.send({ path: quietRuns.path + query, workspaceId })
  expect(quietRuns.reply.parse(await listed.json()).data.map((run) => run.trace_id)).toEqual(['long', 'open', 'done'])
  const read = await post(readRuns.path, { trace_ids: ['open', 'unknown', 'long', 'done'] }, workspaceId)
  const [open, long, done] = readRuns.reply.parse(read).data
  expect([open?.trace_id, open?.completed]).toEqual(['open', false])
  expect([long?.trace_id, long?.step_count, long?.steps]).toEqual(['long', maxJudgedSteps + 1, []])
  expect([done?.trace_id, done?.completed]).toEqual(['done', true])
  expect(done?.steps.map(({ id }) => uuidOf('log', id))).toEqual([asked, answered])
  expect(JSON.stringify(read)).not.toContain('capital of France')
  const other = await service.addWorkspace()
  expect(readRuns.reply.parse(await post(readRuns.path, { trace_ids: ['done'] }, other)).data).toEqual([])
})
