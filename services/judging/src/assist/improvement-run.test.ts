import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import type { GradeInForce } from '../calibration/graded-items.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import type { DoneJudgement, PlannedJudgement } from '../judgements/judgement.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import type { AssistQuestion } from './assistant.ts'
import type { ImprovementState } from './improvement.ts'
import { createImprovementRunHandler } from './improvement-run.ts'

const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const criterion = {
  id: '00000000-0000-7000-8000-0000000000c1',
  workspaceId,
  judgePrompt: 'present',
  judgeModel: 'judge',
  instrument: 1,
} as StoredCriterion

const grades = Array.from(
  { length: 40 },
  (_, index): GradeInForce => ({
    labelId: `label-${index}`,
    itemKey: `item-${index}`,
    verdict: index % 2 === 0 ? 'fail' : 'pass',
    graderId: 'g',
    isOwn: true,
    snapshotId: `snapshot-${index}`,
    sampling: { kind: 'picked' },
    segment: 'none',
    tag: null,
    createdAt: new Date(0),
  }),
)

/** By prompt: how many of ten items that people failed the judge passes. */
type Leniency = Readonly<Record<string, number>>

interface Scenario {
  readonly leniency: Leniency
  readonly rewrites: readonly string[]
  readonly maxIterations?: number
  readonly failure?: DoneJudgement['failure']
}

/** Runs an improvement to its end. */
async function improve({ leniency, rewrites, maxIterations = 3, failure = null }: Scenario) {
  const questions: AssistQuestion[] = []
  const done: DoneJudgement[] = []
  const runHandler = createImprovementRunHandler({
    slicedWork: createSlicedWork(),
    criteria: { get: async () => criterion },
    grades: { inForce: async () => grades },
    judgements: {
      async *ofRun() {
        yield* done
      },
    },
    snapshots: {
      get: async (_workspace, id) => ({
        messages: [{ role: 'user', content: id }],
        response: { role: 'assistant', content: 'Yes.' },
        tools: null,
        model: null,
      }),
    },
    assistant: {
      async ask(question) {
        questions.push(question)
        return { value: { judge_prompt: rewrites[questions.length - 1] }, costNano: 5n }
      },
    },
  })
  let run = {
    id: 'run',
    workspaceId,
    criterionId: criterion.id,
    instrument: 1,
    request: { maxIterations, model: 'writer' },
    result: null,
    rowsTotal: null,
    createdAt: new Date(0),
    createdBy: 'user',
    maxCostNano: null,
  } as unknown as LeasedRun
  for (let step = 0; step < 20; step += 1) {
    const { judgements = [], ...outcome } = await runHandler(run)
    if (outcome.kind !== 'wait') return { outcome, questions, done }
    done.push(
      ...judgeAll(judgements, leniency).map((each) => (failure === null ? each : { ...each, verdict: null, failure })),
    )
    run = { ...run, rowsTotal: outcome.rowsTotal, result: outcome.result }
  }
  throw new Error('the improvement does not end')
}

function judgeAll(planned: readonly PlannedJudgement[], leniency: Leniency): DoneJudgement[] {
  let fails = 0
  return planned.map((each, index) => {
    const isWrong = each.human === 'fail' && fails++ % 10 < (leniency[each.judgePrompt ?? 'present'] ?? 0)
    return { ...doneJudgement(index), ...each, verdict: isWrong ? 'pass' : each.human }
  })
}

const stateOf = (outcome: { result?: unknown }) => outcome.result as ImprovementState

it('proposes the best prompt, measured on grades that it was not tuned on', async () => {
  const { outcome, done } = await improve({
    leniency: { present: 5, better: 2, worse: 8 },
    rewrites: ['better', 'worse', 'better'],
  })
  expect(outcome.kind).toBe('done')
  const { tried, best, holdout, currentHoldout } = stateOf(outcome)
  expect(tried[best]?.prompt).toBe('better')
  expect(holdout).toMatchObject({ rows: 20, tpr: 0.8, tnr: 1 })
  expect(currentHoldout).toMatchObject({ rows: 20, tpr: 0.5, tnr: 1 })
  const labelsOf = (count: number, from: number) =>
    new Set(done.slice(from, from + count).map(({ labelId }) => labelId))
  const train = labelsOf(20, 0)
  const holdoutLabels = labelsOf(40, done.length - 40)
  expect([...train].filter((label) => holdoutLabels.has(label))).toEqual([])
})

it('shows the model the errors of the best prompt so far, once for each iteration', async () => {
  const { questions } = await improve({
    leniency: { present: 5, better: 2, other: 3 },
    rewrites: ['better', 'other', 'better'],
  })
  expect(questions).toHaveLength(3)
  expect(questions[0]?.user).toContain('present')
  expect(questions[1]?.user).toContain('better')
  expect(questions[0]?.user).toContain('The person failed it, the judge passed it')
  expect(new Set(questions.map(({ key }) => key)).size).toBe(3)
})

it('proposes no prompt that is not better on the other half', async () => {
  const { outcome } = await improve({ leniency: { present: 5 }, rewrites: ['present', 'present'] })
  expect(stateOf(outcome)).toMatchObject({ phase: 'done', best: 0, holdout: null, reason: expect.any(String) })
})

it('does not rewrite the prompt of a judge without errors', async () => {
  const { outcome, questions } = await improve({ leniency: {}, rewrites: [] })
  expect(questions).toEqual([])
  expect(stateOf(outcome)).toMatchObject({ phase: 'done', best: 0, reason: expect.any(String) })
})

it('fails when the spend cap is reached', async () => {
  const { outcome } = await improve({ leniency: {}, rewrites: [], failure: 'over_cap' })
  expect(outcome).toEqual({ kind: 'failed', error: 'The improvement reached max_cost_usd before it was done.' })
})
