import { publicId } from '@ratchet/contracts/public-id'
import type { ShownLook } from './progress/progress-store.ts'
import { createGrpoRewards } from './reward-facts.ts'
import type { GrpoRun } from './runs/run.ts'

const [workspaceId, runId, criterionId] = ['w', 'r', '00000000-0000-7000-8000-000000000001']
const judges = [
  { role: 'reward', criterionId, judgeModel: 'openai/gpt-5' },
  { role: 'holdout', criterionId: 'other', judgeModel: 'anthropic/claude-x' },
]
const run = { id: runId, judges } as unknown as GrpoRun
const look = (step: number, verdict: string, graded = 0, falsePass = 0) =>
  ({ step, figures: { verdict }, graded, falsePass }) as unknown as ShownLook
const looks = [look(0, 'collecting'), look(20, 'healthy', 30, 1), look(40, 'diverging', 2, 2)]

const facts = (step: number | null, found: GrpoRun | null = run) =>
  createGrpoRewards({ runs: { get: async () => found }, progress: { looks: async () => looks } }).factsOf({
    workspaceId,
    producedBy: { type: 'grpo', id: runId },
    step,
  })

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

it('knows nothing of a run that does not exist', async () => {
  expect(await facts(20, null)).toBeNull()
})
