import type { GrpoStep } from '@ratchet/contracts/grpo-progress'
import { publicId } from '@ratchet/contracts/public-id'
import { eventually } from '@ratchet/testing/eventually'
import { createPgToolCalls } from '../environment-tools/pg-tool-calls.ts'
import { httpTool, receiver, staticTool } from '../environment-tools/tool-app.fixture.ts'
import { bodyOf, type GrpoRunApp, grpoRunApp, small16 } from './grpo.fixture.ts'

let app: GrpoRunApp
let stopJudging: () => Promise<void>

beforeAll(async () => {
  app = await grpoRunApp()
  stopJudging = app.startJudging()
})

afterAll(async () => {
  await stopJudging()
  await app.drop()
})

async function createTool(body: object) {
  const created = await app.send('post', '/v1/environment_tools', body)
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  return created.body
}

const reaching = (id: string, status: string) =>
  eventually(
    async () => {
      const run = await app.read(id)
      if (run.status === status) return run
      throw new Error(`${run.status} ${run.status_message} ${JSON.stringify(app.money.failures.slice(-2))}`)
    },
    { withinMs: 60_000 },
  )

const hyperparameters = { ...small16, maxSteps: 3 }

it('lets the model call tools, which stay as they were until the run has ended', async () => {
  const worker = app.startWorker()
  const tool = await createTool(staticTool())
  const created = await app.create({ hyperparameters, environment: { toolIds: [tool.id], maxTurns: 2 } })
  expect(created.environment).toEqual({ tool_ids: [tool.id], max_turns: 2, on_miss: null })
  const path = `/v1/environment_tools/${tool.id}`
  expect((await app.send('delete', path)).body.error.code).toBe('tool_in_use')
  const { id } = await reaching(created.id, 'awaiting_adoption')
  await worker.stop()
  const { body } = await app.send('get', `/v1/grpo/runs/${id}/rollouts?step=1&limit=1`)
  expect(body.data[0].completion).toEqual([
    expect.objectContaining({
      role: 'assistant',
      tool_calls: [expect.objectContaining({ function: expect.objectContaining({ name: tool.name }) })],
    }),
    expect.objectContaining({ role: 'tool', content: expect.any(String) }),
    expect.objectContaining({ role: 'assistant', content: expect.any(String) }),
  ])
  const { data: steps } = (await app.send('get', `/v1/grpo/runs/${id}/steps`)).body
  for (const step of steps) {
    expect(step.tool_calls_per_rollout).toBeGreaterThan(0)
    expect(step.tool_failure_ratio).toBe(0)
  }
  await createPgToolCalls(app.pool).releaseEnded()
  expect((await app.send('delete', path)).status).toBe(200)
})

it('pauses a run whose tools fail, and lets it go on when they are mended', async () => {
  let isBroken = true
  let calls = 0
  const tool = await receiver((response) => {
    calls += 1
    // Eight failures in a row would suspend it.
    response.statusCode = calls % (isBroken ? 3 : 10) === 0 ? 500 : 200
    response.end('It is sunny.')
  })
  const worker = app.startWorker()
  const { id: toolId } = await createTool(httpTool(tool.url, {}, { retries: 0 }))
  const { id } = await app.create({ hyperparameters, environment: { toolIds: [toolId] } })
  const paused = await reaching(id, 'paused')
  expect(paused).toMatchObject({ paused_reason: 'tool_misses', held_usd: 0 })
  expect(paused.status_message).toMatch(/calls of tools/)
  isBroken = false
  expect((await app.send('post', `/v1/grpo/runs/${id}/resume`)).status).toBe(200)
  await reaching(id, 'awaiting_adoption')
  await worker.stop()
  tool.close()
  const { data: steps } = (await app.send('get', `/v1/grpo/runs/${id}/steps`)).body
  const ratios: readonly number[] = steps.map((step: GrpoStep) => step.tool_failure_ratio)
  expect(Math.max(...ratios)).toBeGreaterThan(0)
  expect(Math.max(...ratios)).toBeLessThan(0.3)
})

it.each([
  [
    'an unknown tool',
    () => ({ toolIds: [publicId('environmentTool', '00000000-0000-7000-8000-000000000001')] }),
    'not_found',
  ],
  [
    'a tool with side effects',
    async () => ({ toolIds: [(await createTool(staticTool({ sideEffects: true }))).id] }),
    'invalid_request',
  ],
  [
    'a tool that only grades',
    async () => ({ toolIds: [(await createTool(staticTool({ usableAs: ['reward'] }))).id] }),
    'invalid_request',
  ],
])('refuses %s', async (_, environmentOf, code) => {
  const environment = await environmentOf()
  for (const path of ['/v1/grpo/runs', '/v1/grpo/runs/estimate']) {
    const { body } = await app.send('post', path, { ...bodyOf(app.datasetId), environment })
    expect(body.error).toMatchObject({ code, param: 'environment.toolIds' })
  }
})
