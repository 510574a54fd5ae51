import type { GrpoRollout } from '@ratchet/contracts/grpo-protocol'
import { eventually } from '@ratchet/testing/eventually'
import { type Body, changedTrainers } from './changed-trainer.fixture.ts'
import { criterion, type GrpoRunApp, grpoRunApp, rewardId, small16 } from './grpo.fixture.ts'

let app: GrpoRunApp
let stopJudging: () => Promise<void>
const { trainerSaying, stop } = changedTrainers()

beforeAll(async () => {
  app = await grpoRunApp()
  stopJudging = app.startJudging()
})
afterAll(async () => {
  await stopJudging()
  await app.drop()
  stop()
})

/** A run of four steps, whose answers from the third step on are like this. */
async function runOf(change: (rollout: GrpoRollout) => object, more: object = {}): Promise<Body> {
  const isLate = ({ kind, adapter_version: version }: Body) => kind !== 'look' && version >= 2
  const worker = app.startWorker({
    trainerOf: trainerSaying({
      of: 'rollouts',
      change: ({ rollouts, ...body }) => ({
        ...body,
        rollouts: rollouts.map((rollout: GrpoRollout) =>
          isLate(rollout) ? { ...rollout, ...change(rollout) } : rollout,
        ),
      }),
    }),
  })
  const { id } = await app.create({ hyperparameters: { ...small16, maxSteps: 4, learningRate: 1e-7 }, ...more })
  const run = await eventually(
    async () => {
      const read = await app.read(id)
      if (read.status !== 'awaiting_adoption') throw new Error(`${read.status} ${read.status_message}`)
      return read
    },
    { withinMs: 60_000 },
  )
  await worker.stop()
  const { data } = (await app.send('get', `/v1/grpo/runs/${id}/steps`)).body
  return { run, alarms: data.map((step: Body) => step.alarms), steps: data }
}

const none: readonly string[] = []

it.each([
  ['length_drift', ({ sampled_tokens: tokens }: GrpoRollout) => longer(tokens)],
  ['entropy_collapse', () => ({ entropy: 0.01 })],
  ['duplicates', ({ group }: GrpoRollout) => ({ completion: [{ role: 'assistant', content: sameAs(group) }] })],
])(
  'finds %s at the step where it begins, warns once, and stops nothing',
  async (alarm, change) => {
    const { run, alarms } = await runOf(change)
    expect(alarms).toEqual([none, none, [alarm], [alarm]])
    expect(run.warnings.filter((warning: string) => warning.startsWith('At step '))).toEqual([
      expect.stringContaining('At step 3'),
    ])
  },
  90_000,
)

const sameAs = (group: number) => `The same answer to prompt ${group}.`

const longer = (tokens: number) => {
  const length = tokens * 3
  return {
    sampled_tokens: length,
    token_ids: Array.from({ length }, () => 1),
    logprobs: Array.from({ length }, () => -0.1),
  }
}

it('finds the term that alone tells answers apart', async () => {
  const reward = { criteria: [{ criterionId: criterion(rewardId) }], functions: [{ type: 'length' }] }
  const { run, alarms, steps } = await runOf(() => ({}), { reward })
  expect(alarms).toEqual([['one_term'], ['one_term'], ['one_term'], ['one_term']])
  expect(steps[0].top_term).toEqual({ name: criterion(rewardId), share: 1 })
  expect(run.warnings.filter((warning: string) => warning.startsWith('At step '))).toHaveLength(1)
}, 90_000)

it('has the entropy of the policy from its trainer', async () => {
  const { steps, alarms } = await runOf(() => ({}))
  for (const step of steps) expect(step.entropy).toBeCloseTo(0.673, 1)
  expect(alarms).toEqual([none, none, none, none])
}, 90_000)
