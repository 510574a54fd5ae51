import { publicId } from '@ratchet/contracts/public-id'
import type { ShownLook } from './progress/progress-store.ts'
import { createGrpoRewards } from './reward-facts.ts'
import type { GrpoRun } from './runs/run.ts'

const uuid = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
const [workspaceId, runId, criterionId, datasetId] = ['w', uuid(3), uuid(1), uuid(2)]
const judges = [
  { role: 'reward', criterionId, judgeModel: 'openai/gpt-5' },
  { role: 'holdout', criterionId: 'other', judgeModel: 'anthropic/claude-x' },
]
const run = { id: runId, name: 'Polite', judges, datasetId, evalDatasetId: null } as unknown as GrpoRun
const look = (step: number, verdict: string, graded = 0, falsePass = 0) =>
  ({ step, figures: { verdict }, graded, falsePass }) as unknown as ShownLook
const looks = [look(0, 'collecting'), look(20, 'healthy', 30, 1), look(40, 'diverging', 2, 2)]

const rewards = (found: GrpoRun | null = run) =>
  createGrpoRewards({ runs: { get: async () => found }, progress: { looks: async () => looks } })
const version = (step: number | null) => ({ workspaceId, producedBy: { type: 'grpo' as const, id: runId }, step })
const facts = (step: number | null, found: GrpoRun | null = run) => rewards(found).factsOf(version(step))

it('names the judges that rewarded, and what guard and people found at the step', async () => {
  expect(await facts(20)).toMatchObject({
    criterionIds: [publicId('criterion', criterionId)],
    judgeModels: ['openai/gpt-5'],
    guard: 'healthy',
    audit: { graded: 30, false_pass: 1, upper: expect.closeTo(0.149, 3) },
  })
})

it('takes the verdict of the last look before a step, and no grades of other answers', async () => {
  expect(await facts(30)).toMatchObject({ guard: 'healthy', audit: null })
  expect(await facts(40)).toMatchObject({ guard: 'diverging', audit: { graded: 2 } })
})

it('traces a version to its run, with the looks until its step', async () => {
  expect(await rewards().traceOf(version(20))).toMatchObject({
    kind: 'run',
    id: publicId('grpoRun', runId),
    details: { name: 'Polite', criteria: [{ judge_model: 'openai/gpt-5' }] },
    datasetIds: [datasetId],
    guard: { verdict: 'healthy', step: 20, looks: [{ step: 0 }, { step: 20, verdict: 'healthy' }] },
    audit: { graded: 30 },
  })
})

it('knows nothing of a run that does not exist', async () => {
  expect(await rewards(null).traceOf(version(20))).toBeNull()
  expect(await facts(20, null)).toBeNull()
})
