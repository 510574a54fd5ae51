import type { CreateEval } from '@ratchet/contracts/evals'
import { costOfAnswer, type Refused, type ScriptedInference } from '@ratchet/judge-kit/fleet/scripted-inference.fixture'
import { maxJudgedChars } from '@ratchet/judge-kit/prompt/build-data-prompt'
import { WorkPostponed } from '@ratchet/work-kit/leases/decide-retry'
import { evalRequest, leasedSample, newEval, reply } from '../runs/eval.fixture.ts'
import { evaluationOf, judgeModel, modelsAnswering, nameOf, preferring, verdict } from './evaluated-work.fixture.ts'

const run = newEval({ maxCostNano: 5_000_000n })
const sample = leasedSample({ run })
const sampleOfEval = (more: Partial<CreateEval>) => leasedSample({ run: { ...run, request: evalRequest(more) } })
const threeModels = () => sampleOfEval({ candidate_models: ['sim/large', 'sim/small'] })

const modelsOf = ({ calls }: ScriptedInference) => calls.map(({ body }) => body.model).toSorted()
const keysOf = ({ calls }: ScriptedInference) => calls.map(({ key }) => key).toSorted()

describe('a sample', () => {
  it('is answered by every model and judged in both orders, and each result is saved', async () => {
    const inference = modelsAnswering({ [judgeModel]: preferring('sim/large') })
    const work = evaluationOf(sample, inference)
    expect(await work.attempt()).toEqual({ outcomes: ['win'], failure: null })
    expect(modelsOf(inference)).toEqual([judgeModel, judgeModel, 'sim/large', 'sim/medium'])
    expect(work.answers).toMatchObject([
      { modelIndex: 0, message: reply(nameOf('sim/medium')), error: null, isRecorded: false, costNano: costOfAnswer },
      { modelIndex: 1, message: reply(nameOf('sim/large')), error: null, isRecorded: false, costNano: costOfAnswer },
    ])
    const saved = { candidateIndex: 1, failure: null, explanation: 'Because.', costNano: costOfAnswer }
    expect(work.verdicts).toEqual([
      { ...saved, isSwapped: false, preference: 'second' },
      { ...saved, isSwapped: true, preference: 'first' },
    ])
  })

  it('is paid for by its workspace, under the cap of its eval', async () => {
    const inference = modelsAnswering()
    await evaluationOf(sample, inference).attempt()
    const cap = { id: run.id, capNano: '5000000', windowStart: run.createdAt.toISOString() }
    const payer = { workspaceId: run.workspaceId, userId: run.createdBy, spendCap: cap }
    for (const { identity, body } of inference.calls) {
      expect(identity).toMatchObject({ ...payer, purpose: body.model === judgeModel ? 'judge' : 'eval' })
    }
  })

  it.each([
    ['sim/large', ['win', 'tie']],
    ['sim/medium', ['loss', 'loss']],
    ['sim/none', ['tie', 'tie']],
  ])('has an outcome for each candidate: %s is preferred', async (best, outcomes) => {
    const inference = modelsAnswering({ [judgeModel]: preferring(best) })
    expect(await evaluationOf(threeModels(), inference).attempt()).toEqual({ outcomes, failure: null })
  })

  it('is a tie when the judge prefers a position', async () => {
    const inference = modelsAnswering({ [judgeModel]: verdict('first') })
    expect(await evaluationOf(sample, inference).attempt()).toEqual({ outcomes: ['tie'], failure: null })
  })

  it('whose prompt was deleted fails without a model call', async () => {
    const inference = modelsAnswering()
    const purged = { ...threeModels(), prompt: null }
    expect(await evaluationOf(purged, inference).attempt()).toEqual({
      outcomes: ['error', 'error'],
      failure: 'gone',
    })
    expect(inference.calls).toEqual([])
  })

  it('uses a stored answer as the baseline without a call', async () => {
    const inference = modelsAnswering({ [judgeModel]: verdict('first') })
    const stored = sampleOfEval({ baseline_model: 'logged', sample_filters: { trace_replay: true } })
    const work = evaluationOf({ ...stored, reference: reply('Stored.') }, inference)
    await work.attempt()
    expect(modelsOf(inference)).toEqual([judgeModel, judgeModel, 'sim/large'])
    expect(work.answers[0]).toMatchObject({
      message: reply('Stored.'),
      isRecorded: true,
      costNano: 3_000n,
      latencyMs: 120,
    })
    expect(inference.calls.at(-1)?.body.messages[1]?.content).toContain('\nStored.\n')
  })
})

describe('answers that read the same', () => {
  it('are a tie without a call of the judge', async () => {
    const inference = modelsAnswering({
      'sim/medium': 'Four.',
      'sim/large': '<think>Hm.</think>Four.',
      'sim/small': '4',
    })
    const work = evaluationOf(threeModels(), inference)
    expect(await work.attempt()).toEqual({ outcomes: ['tie', 'tie'], failure: null })
    expect(modelsOf(inference).filter((model) => model === judgeModel)).toHaveLength(2)
    expect(work.verdicts.filter(({ candidateIndex }) => candidateIndex === 1)).toMatchObject([
      { preference: 'tie', failure: null, costNano: 0n },
      { preference: 'tie', failure: null, costNano: 0n },
    ])
  })
})

describe('another attempt', () => {
  it('repeats no call whose result is saved', async () => {
    const inference = modelsAnswering()
    const work = evaluationOf(threeModels(), inference)
    const end = await work.attempt()
    const calls = inference.calls.length
    expect(await work.attempt(3)).toEqual(end)
    expect(inference.calls).toHaveLength(calls)
    expect([work.answers.length, work.verdicts.length]).toEqual([3, 4])
  })

  it('continues where the one before failed', async () => {
    const inference = modelsAnswering({
      'sim/small': (_body, calls) => (calls === 0 ? { status: 502, code: null } : nameOf('sim/small')),
      [judgeModel]: (_body, calls) => (calls === 1 ? { status: 503, code: null } : verdict('tie')),
    })
    const work = evaluationOf(threeModels(), inference)
    await expect(work.attempt()).rejects.toMatchObject({ status: 502 })
    expect(work.answers.map(({ modelIndex }) => modelIndex)).toEqual([0, 1])
    await expect(work.attempt(1)).rejects.toBeInstanceOf(WorkPostponed)
    expect([work.answers.length, work.verdicts.length]).toEqual([3, 3])
    expect(await work.attempt(1)).toEqual({ outcomes: ['tie', 'tie'], failure: null })
    expect(modelsOf(inference).filter((model) => model !== judgeModel)).toHaveLength(4)
    expect(modelsOf(inference).filter((model) => model === judgeModel)).toHaveLength(5)
  })

  it('uses the same idempotency keys when nothing was saved, so nothing is charged twice', async () => {
    const inference = modelsAnswering()
    const same = threeModels()
    await evaluationOf(same, inference).attempt()
    const keys = keysOf(inference)
    await evaluationOf(same, inference).attempt()
    expect(keysOf(inference)).toEqual([...keys, ...keys].toSorted())
    expect(inference.charged).toHaveLength(keys.length)
  })

  it('uses different keys for every model, verdict, repetition, prompt and eval', async () => {
    const inference = modelsAnswering({ 'sim/medium': 'A', 'sim/large': 'B', 'sim/small': 'C' })
    const first = threeModels()
    const others = [
      leasedSample({ ...first, id: leasedSample().id, repetition: 1 }),
      leasedSample({ ...first, id: leasedSample().id, position: 1 }),
      threeModels(),
    ]
    for (const each of [first, ...others]) await evaluationOf(each, inference).attempt()
    expect(new Set(keysOf(inference)).size).toBe(4 * 7)
  })
})

describe('a model that refuses', () => {
  it.each<Refused>([
    { status: 400, code: null },
    { status: 400, code: 'context_length_exceeded' },
    { status: 400, code: 'unknown_provider' },
    { status: 404, code: 'model_not_found' },
    { status: 413, code: 'request_too_large' },
    { status: 422, code: null },
  ])('with %j has no answer, at once, and the others are judged', async (refused) => {
    const inference = modelsAnswering({ 'sim/large': refused })
    const work = evaluationOf(threeModels(), inference)
    expect(await work.attempt()).toEqual({ outcomes: ['error', 'tie'], failure: null })
    expect(work.answers).toContainEqual({
      modelIndex: 1,
      message: null,
      error: `It was refused: ${refused.code}.`,
      isRecorded: false,
      costNano: 0n,
      latencyMs: null,
      assertions: {},
    })
    expect(work.verdicts.map(({ candidateIndex }) => candidateIndex)).toEqual([2, 2])
  })

  it('and is the baseline leaves nothing to compare', async () => {
    const inference = modelsAnswering({ 'sim/medium': { status: 400, code: null } })
    expect(await evaluationOf(threeModels(), inference).attempt()).toEqual({
      outcomes: ['error', 'error'],
      failure: null,
    })
    expect(modelsOf(inference)).not.toContain(judgeModel)
  })

  it.each([502, 500, 504, 408, 401, 403])(
    'with %d is called three times before it counts as failed',
    async (status) => {
      const inference = modelsAnswering({ 'sim/large': { status, code: null } })
      const work = evaluationOf(sample, inference)
      for (const failures of [0, 1]) await expect(work.attempt(failures)).rejects.toMatchObject({ status })
      expect(work.answers).toHaveLength(1)
      expect(await work.attempt(2)).toEqual({ outcomes: ['error'], failure: null })
      expect(work.answers[1]).toMatchObject({ modelIndex: 1, error: 'It was refused: null.' })
    },
  )

  it.each<[Refused, number]>([
    [{ status: 503, code: 'service_unavailable' }, 2_000],
    [{ status: 429, code: 'rate_limit_exceeded' }, 2_000],
    [{ status: 0, code: null }, 2_000],
    [{ status: 409, code: 'conflict' }, 1_000],
    [{ status: 402, code: 'insufficient_balance' }, 60_000],
  ])('with %j postpones the sample, however often', async (refused, delayMs) => {
    const models = evaluationOf(sample, modelsAnswering({ 'sim/large': refused }))
    const judge = evaluationOf(sample, modelsAnswering({ [judgeModel]: refused }))
    for (const work of [models, judge]) {
      for (const failures of [0, 4]) {
        const error = await work.attempt(failures).catch((thrown) => thrown)
        expect([error instanceof WorkPostponed, error.delayMs]).toEqual([true, delayMs])
      }
    }
    expect([models.answers.length, judge.answers.length, judge.verdicts.length]).toEqual([1, 2, 0])
  })
})

describe('a judge', () => {
  it('that names no winner twice is unparseable, and billed twice', async () => {
    const inference = modelsAnswering({ [judgeModel]: 'The first, I think.' })
    const work = evaluationOf(sample, inference)
    expect(await work.attempt()).toEqual({ outcomes: ['error'], failure: null })
    expect(modelsOf(inference).filter((model) => model === judgeModel)).toHaveLength(4)
    for (const verdict of work.verdicts) {
      expect(verdict).toMatchObject({ preference: null, failure: 'unparseable', costNano: 2n * costOfAnswer })
    }
  })

  it('that is interrupted between its two tries is billed once for each', async () => {
    let isUnavailable = true
    const inference = modelsAnswering({
      [judgeModel]: () => (isUnavailable && inference.charged.length >= 4 ? { status: 503, code: null } : 'Hm.'),
    })
    const work = evaluationOf(sample, inference)
    await expect(work.attempt()).rejects.toBeInstanceOf(WorkPostponed)
    // The billed cost is saved even if no worker continues.
    for (const verdict of work.verdicts)
      expect(verdict).toMatchObject({ failure: 'unfinished', costNano: costOfAnswer })
    isUnavailable = false
    await work.attempt()
    expect(work.verdicts.map(({ costNano }) => costNano)).toEqual([2n * costOfAnswer, 2n * costOfAnswer])
    expect(inference.charged).toHaveLength(6)
  })

  it.each<[Refused, string]>([
    [{ status: 400, code: null }, 'refused'],
    [{ status: 404, code: 'model_not_found' }, 'refused'],
    [{ status: 400, code: 'context_length_exceeded' }, 'too_large'],
    [{ status: 413, code: 'request_too_large' }, 'too_large'],
  ])('that refuses with %j gives no verdict: %s', async (refused, failure) => {
    const work = evaluationOf(sample, modelsAnswering({ [judgeModel]: refused }))
    expect(await work.attempt()).toEqual({ outcomes: ['error'], failure: null })
    expect(work.verdicts).toMatchObject([
      { preference: null, failure, costNano: 0n },
      { preference: null, failure, costNano: 0n },
    ])
  })

  it('that does not answer is called three times, and then counts as a refusal', async () => {
    const work = evaluationOf(sample, modelsAnswering({ [judgeModel]: { status: 502, code: null } }))
    for (const failures of [0, 1]) await expect(work.attempt(failures)).rejects.toMatchObject({ status: 502 })
    expect(work.verdicts).toEqual([])
    expect(await work.attempt(2)).toEqual({ outcomes: ['error'], failure: null })
    expect(work.verdicts).toMatchObject([{ failure: 'refused' }, { failure: 'refused' }])
  })

  it('is not called with a prompt that is too large', async () => {
    const inference = modelsAnswering({ 'sim/large': 'a'.repeat(maxJudgedChars) })
    const work = evaluationOf(sample, inference)
    expect(await work.attempt()).toEqual({ outcomes: ['error'], failure: null })
    expect(work.verdicts).toMatchObject([{ failure: 'too_large' }, { failure: 'too_large' }])
    expect(modelsOf(inference)).not.toContain(judgeModel)
  })
})
