import { eventually } from '@ratchet/testing/eventually'
import { httpTool, type Receiver, receiver } from '../environment-tools/tool-app.fixture.ts'
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

async function createGrader(tool: Receiver, more: object = {}) {
  const grades = { usableAs: ['reward'], parameters: { type: 'object' }, ...more }
  const created = await app.send('post', '/v1/environment_tools', httpTool(tool.url, grades, { retries: 0 }))
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
/** Half of the reward for answers without a flaw, as a program sees them. */
const grade = (completion: readonly { readonly content: string }[]) =>
  completion.at(-1)?.content.includes('(flawed)') === true ? 0 : 1

const gradedBy = (id: string, more: object = {}) => ({
  hyperparameters,
  reward: { functions: [{ type: 'length' }], tools: [{ environmentToolId: id, weight: 3 }] },
  holdout: {},
  ...more,
})

it('rewards answers by a tool, which is asked once about each, whoever is killed', async () => {
  const tool = await receiver((response, { arguments: { completion } }) =>
    response.end(JSON.stringify({ reward: grade(completion), detail: 'd' })),
  )
  const { id: toolId, name } = await createGrader(tool)
  let worker = app.startWorker()
  const created = await app.create(gradedBy(toolId))
  expect(created.reward.tools).toEqual([{ environment_tool_id: toolId, name, weight: 0.75, required: false }])
  for (const seen of [40, 130]) {
    await eventually(() => expect(tool.received.length).toBeGreaterThan(seen), { withinMs: 30_000 })
    await worker.kill()
    await stopJudging()
    stopJudging = app.startJudging()
    worker = app.startWorker()
  }
  const run = await reaching(created.id, 'awaiting_adoption')
  await worker.stop()
  const { body: steps } = await app.send('get', `/v1/grpo/runs/${run.id}/steps`)
  expect(steps.data[0].terms).toEqual({ length: 1, [name]: expect.any(Number) })
  const { rows } = await app.operator.query('SELECT count(*)::int AS answers FROM grpo_rollout')
  const asked = tool.received.map(({ headers }) => headers['webhook-id'])
  expect(new Set(asked).size).toBe(rows[0].answers)
  // A call that was under way when its worker was stopped may be repeated, under the same id.
  expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(16)
  expect(tool.received[0]?.body).toMatchObject({
    rollout_id: expect.stringMatching(/^look-0-\d+-\d$/),
    arguments: { messages: expect.any(Array), completion: expect.any(Array), reference: expect.any(String) },
  })
  tool.close()
})

it('waits for a tool that cannot be reached, then pauses, and goes on when it is mended', async () => {
  let isBroken = true
  let calls = 0
  const tool = await receiver((response, { arguments: { completion } }) => {
    calls += 1
    // Eight failures in a row would suspend it.
    response.statusCode = isBroken && calls % 2 === 0 ? 503 : 200
    response.end(JSON.stringify({ reward: grade(completion) }))
  })
  const { id: toolId } = await createGrader(tool)
  const worker = app.startWorker()
  const { id } = await app.create(gradedBy(toolId))
  const soon =
    "UPDATE grpo_step SET leased_until = now() WHERE state = 'judging' AND leased_until > now() + interval '1 s'"
  const paused = await eventually(
    async () => {
      await app.operator.query(soon)
      const run = await app.read(id)
      expect(run.status).toBe('paused')
      return run
    },
    { withinMs: 30_000 },
  )
  expect(paused).toMatchObject({ paused_reason: 'tool_misses', reward_baseline: null })
  isBroken = false
  expect((await app.send('post', `/v1/grpo/runs/${id}/resume`)).status).toBe(200)
  await reaching(id, 'awaiting_adoption')
  await worker.stop()
  tool.close()
})

it('counts a tool that says no reward as 0, and shows that it said none', async () => {
  const tool = await receiver((response, { arguments: { completion } }) =>
    response.end(completion.at(-1).content.length % 2 === 0 ? '{"reward":1}' : 'nothing'),
  )
  const { id: environmentToolId, name } = await createGrader(tool)
  const sampleOf = (content: string) => ({
    messages: [{ role: 'user', content: 'Say it.' }],
    completion: [{ role: 'assistant', content }],
  })
  const { status, body } = await app.send('post', '/v1/grpo/rewards/test', {
    reward: { tools: [{ environmentToolId }] },
    samples: [sampleOf('Even'), sampleOf('Odd')],
  })
  expect([status, body.samples]).toEqual([
    200,
    [
      { reward: 1, terms: { [name]: 1 } },
      { reward: 0, terms: { [name]: null } },
    ],
  ])
  tool.close()
})

it.each([
  ['a tool that is listed twice', async (id: string) => [id, id]],
  ['a tool that only answers models', async () => [(await createGrader(nowhere, { usableAs: ['tool'] })).id]],
  ['a tool with side effects', async () => [(await createGrader(nowhere, { sideEffects: true })).id]],
])('refuses %s', async (_, idsOf) => {
  const ids = await idsOf((await createGrader(nowhere)).id)
  const reward = { tools: ids.map((environmentToolId) => ({ environmentToolId })) }
  const run = { ...bodyOf(app.datasetId), holdout: {}, reward }
  for (const path of ['/v1/grpo/runs', '/v1/grpo/runs/estimate']) {
    expect((await app.send('post', path, run)).body.error).toMatchObject({ param: 'reward.tools' })
  }
})

const nowhere: Receiver = { url: 'http://127.0.0.1:9999/', received: [], close: () => undefined }
