import type { CreateEval } from '@ratchet/contracts/evals'
import { costOfAnswer, type Refused, type ScriptedInference } from '@ratchet/judge-kit/fleet/scripted-inference.fixture'
import { WorkPostponed } from '@ratchet/service-kit/with-lease'
import { longestComparison } from '../judging/build-compare-prompt.ts'
import { evalRequest, leasedSample, newEval, reply } from '../runs/eval.fixture.ts'
import { evaluating, judgeModel, modelsThatSay, nameOf, preferring, verdict } from './evaluated-work.fixture.ts'

const run = newEval({ maxCostNano: 5_000_000n })
const sample = leasedSample({ run })
const ofEval = (more: Partial<CreateEval>) => leasedSample({ run: { ...run, request: evalRequest(more) } })
const threeModels = () => ofEval({ candidate_models: ['sim/large', 'sim/small'] })

const modelsOf = ({ asked }: ScriptedInference) => asked.map(({ body }) => body.model).toSorted()
const keysOf = ({ asked }: ScriptedInference) => asked.map(({ key }) => key).toSorted()

describe('a sample', () => {
  it('is answered by every model and looked at in both orders, and each result is kept', async () => {
    const inference = modelsThatSay({ [judgeModel]: preferring('sim/large') })
    const work = evaluating(sample, inference)
    expect(await work.attempt()).toEqual({ outcomes: ['win'], failure: null })
    expect(modelsOf(inference)).toEqual([judgeModel, judgeModel, 'sim/large', 'sim/medium'])
    expect(work.answers).toMatchObject([
      { modelIndex: 0, message: reply(nameOf('sim/medium')), error: null, isRecorded: false, costNano: costOfAnswer },
      { modelIndex: 1, message: reply(nameOf('sim/large')), error: null, isRecorded: false, costNano: costOfAnswer },
    ])
    const kept = { candidateIndex: 1, failure: null, explanation: 'Because.', costNano: costOfAnswer }
    expect(work.looks).toEqual([
      { ...kept, isSwapped: false, preference: 'second' },
      { ...kept, isSwapped: true, preference: 'first' },
    ])
  })

  it('is paid for by its workspace, under the cap of its eval', async () => {
    const inference = modelsThatSay()
    await evaluating(sample, inference).attempt()
    const cap = { id: run.id, capNano: '5000000', windowStart: run.createdAt.toISOString() }
    const payer = { workspaceId: run.workspaceId, userId: run.createdBy, spendCap: cap }
    for (const { identity, body } of inference.asked) {
      expect(identity).toMatchObject({ ...payer, purpose: body.model === judgeModel ? 'judge' : 'eval' })
    }
  })

  it.each([
    ['sim/large', ['win', 'tie']],
    ['sim/medium', ['loss', 'loss']],
    ['sim/none', ['tie', 'tie']],
  ])('has an outcome for each candidate: %s is preferred', async (best, outcomes) => {
    const inference = modelsThatSay({ [judgeModel]: preferring(best) })
    expect(await evaluating(threeModels(), inference).attempt()).toEqual({ outcomes, failure: null })
  })

  it('is a tie where the judge prefers a place', async () => {
    const inference = modelsThatSay({ [judgeModel]: verdict('first') })
    expect(await evaluating(sample, inference).attempt()).toEqual({ outcomes: ['tie'], failure: null })
  })

  it('whose prompt was forgotten is given up, and nobody is asked', async () => {
    const inference = modelsThatSay()
    const forgotten = { ...threeModels(), prompt: null }
    expect(await evaluating(forgotten, inference).attempt()).toEqual({ outcomes: ['error', 'error'], failure: 'gone' })
    expect(inference.asked).toEqual([])
  })

  it('with a stored answer is compared with that, for nothing', async () => {
    const inference = modelsThatSay({ [judgeModel]: verdict('first') })
    const stored = ofEval({ baseline_model: 'logged', sample_filters: { trace_replay: true } })
    const work = evaluating({ ...stored, reference: reply('Stored.') }, inference)
    await work.attempt()
    expect(modelsOf(inference)).toEqual([judgeModel, judgeModel, 'sim/large'])
    expect(work.answers[0]).toMatchObject({
      message: reply('Stored.'),
      isRecorded: true,
      costNano: 3_000n,
      latencyMs: 120,
    })
    expect(inference.asked.at(-1)?.body.messages[1]?.content).toContain('\nStored.\n')
  })
})

describe('answers that read the same', () => {
  it('are a tie that nobody is asked about', async () => {
    const inference = modelsThatSay({ 'sim/medium': 'Four.', 'sim/large': '<think>Hm.</think>Four.', 'sim/small': '4' })
    const work = evaluating(threeModels(), inference)
    expect(await work.attempt()).toEqual({ outcomes: ['tie', 'tie'], failure: null })
    expect(modelsOf(inference).filter((model) => model === judgeModel)).toHaveLength(2)
    expect(work.looks.filter(({ candidateIndex }) => candidateIndex === 1)).toMatchObject([
      { preference: 'tie', failure: null, costNano: 0n },
      { preference: 'tie', failure: null, costNano: 0n },
    ])
  })
})

describe('another attempt', () => {
  it('asks nothing again of what is known', async () => {
    const inference = modelsThatSay()
    const work = evaluating(threeModels(), inference)
    const end = await work.attempt()
    const asked = inference.asked.length
    expect(await work.attempt(3)).toEqual(end)
    expect(inference.asked).toHaveLength(asked)
    expect([work.answers.length, work.looks.length]).toEqual([3, 4])
  })

  it('goes on where the one before broke', async () => {
    const inference = modelsThatSay({
      'sim/small': (_body, asked) => (asked === 0 ? { status: 502, code: null } : nameOf('sim/small')),
      [judgeModel]: (_body, asked) => (asked === 1 ? { status: 503, code: null } : verdict('tie')),
    })
    const work = evaluating(threeModels(), inference)
    await expect(work.attempt()).rejects.toMatchObject({ status: 502 })
    expect(work.answers.map(({ modelIndex }) => modelIndex)).toEqual([0, 1])
    await expect(work.attempt(1)).rejects.toBeInstanceOf(WorkPostponed)
    expect([work.answers.length, work.looks.length]).toEqual([3, 3])
    expect(await work.attempt(1)).toEqual({ outcomes: ['tie', 'tie'], failure: null })
    expect(modelsOf(inference).filter((model) => model !== judgeModel)).toHaveLength(4)
    expect(modelsOf(inference).filter((model) => model === judgeModel)).toHaveLength(5)
  })

  it('asks under the same keys when nothing could be kept, and nothing is charged twice', async () => {
    const inference = modelsThatSay()
    const same = threeModels()
    await evaluating(same, inference).attempt()
    const keys = keysOf(inference)
    await evaluating(same, inference).attempt()
    expect(keysOf(inference)).toEqual([...keys, ...keys].toSorted())
    expect(inference.charged).toHaveLength(keys.length)
  })

  it('asks under keys of their own for every model, look, repetition, prompt and eval', async () => {
    const inference = modelsThatSay({ 'sim/medium': 'A', 'sim/large': 'B', 'sim/small': 'C' })
    const first = threeModels()
    const others = [
      leasedSample({ ...first, id: leasedSample().id, repetition: 1 }),
      leasedSample({ ...first, id: leasedSample().id, position: 1 }),
      threeModels(),
    ]
    for (const each of [first, ...others]) await evaluating(each, inference).attempt()
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
    const inference = modelsThatSay({ 'sim/large': refused })
    const work = evaluating(threeModels(), inference)
    expect(await work.attempt()).toEqual({ outcomes: ['error', 'tie'], failure: null })
    expect(work.answers).toContainEqual({
      ...{ modelIndex: 1, message: null, error: `It was refused: ${refused.code}.`, isRecorded: false },
      ...{ costNano: 0n, latencyMs: null, assertions: {} },
    })
    expect(work.looks.map(({ candidateIndex }) => candidateIndex)).toEqual([2, 2])
  })

  it('and is the baseline leaves nothing to be compared', async () => {
    const inference = modelsThatSay({ 'sim/medium': { status: 400, code: null } })
    expect(await evaluating(threeModels(), inference).attempt()).toEqual({
      outcomes: ['error', 'error'],
      failure: null,
    })
    expect(modelsOf(inference)).not.toContain(judgeModel)
  })

  it.each([502, 500, 504, 408, 401, 403])('with %d is asked three times before it has no answer', async (status) => {
    const inference = modelsThatSay({ 'sim/large': { status, code: null } })
    const work = evaluating(sample, inference)
    for (const failures of [0, 1]) await expect(work.attempt(failures)).rejects.toMatchObject({ status })
    expect(work.answers).toHaveLength(1)
    expect(await work.attempt(2)).toEqual({ outcomes: ['error'], failure: null })
    expect(work.answers[1]).toMatchObject({ modelIndex: 1, error: 'It was refused: null.' })
  })

  it.each<[Refused, number]>([
    [{ status: 503, code: 'service_unavailable' }, 2_000],
    [{ status: 429, code: 'rate_limit_exceeded' }, 2_000],
    [{ status: 0, code: null }, 2_000],
    [{ status: 409, code: 'conflict' }, 1_000],
    [{ status: 402, code: 'insufficient_balance' }, 60_000],
  ])('with %j has everything wait, however often', async (refused, delayMs) => {
    const models = evaluating(sample, modelsThatSay({ 'sim/large': refused }))
    const judge = evaluating(sample, modelsThatSay({ [judgeModel]: refused }))
    for (const work of [models, judge]) {
      for (const failures of [0, 4]) {
        const error = await work.attempt(failures).catch((thrown) => thrown)
        expect([error instanceof WorkPostponed, error.delayMs]).toEqual([true, delayMs])
      }
    }
    expect([models.answers.length, judge.answers.length, judge.looks.length]).toEqual([1, 2, 0])
  })
})

describe('a judge', () => {
  it('that twice names no winner is counted, and paid for twice', async () => {
    const inference = modelsThatSay({ [judgeModel]: 'The first, I think.' })
    const work = evaluating(sample, inference)
    expect(await work.attempt()).toEqual({ outcomes: ['error'], failure: null })
    expect(modelsOf(inference).filter((model) => model === judgeModel)).toHaveLength(4)
    for (const look of work.looks) {
      expect(look).toMatchObject({ preference: null, failure: 'unparseable', costNano: 2n * costOfAnswer })
    }
  })

  it('that is interrupted between its two tries is paid for both, once', async () => {
    let isAway = true
    const inference = modelsThatSay({
      [judgeModel]: () => (isAway && inference.charged.length >= 4 ? { status: 503, code: null } : 'Hm.'),
    })
    const work = evaluating(sample, inference)
    await expect(work.attempt()).rejects.toBeInstanceOf(WorkPostponed)
    // What was paid for is known, also if nobody ever comes back.
    for (const look of work.looks) expect(look).toMatchObject({ failure: 'unfinished', costNano: costOfAnswer })
    isAway = false
    await work.attempt()
    expect(work.looks.map(({ costNano }) => costNano)).toEqual([2n * costOfAnswer, 2n * costOfAnswer])
    expect(inference.charged).toHaveLength(6)
  })

  it.each<[Refused, string]>([
    [{ status: 400, code: null }, 'refused'],
    [{ status: 404, code: 'model_not_found' }, 'refused'],
    [{ status: 400, code: 'context_length_exceeded' }, 'too_large'],
    [{ status: 413, code: 'request_too_large' }, 'too_large'],
  ])('that refuses with %j gives no verdict: %s', async (refused, failure) => {
    const work = evaluating(sample, modelsThatSay({ [judgeModel]: refused }))
    expect(await work.attempt()).toEqual({ outcomes: ['error'], failure: null })
    expect(work.looks).toMatchObject([
      { preference: null, failure, costNano: 0n },
      { preference: null, failure, costNano: 0n },
    ])
  })

  it('that does not answer is asked three times, and then counts as one that refuses', async () => {
    const work = evaluating(sample, modelsThatSay({ [judgeModel]: { status: 502, code: null } }))
    for (const failures of [0, 1]) await expect(work.attempt(failures)).rejects.toMatchObject({ status: 502 })
    expect(work.looks).toEqual([])
    expect(await work.attempt(2)).toEqual({ outcomes: ['error'], failure: null })
    expect(work.looks).toMatchObject([{ failure: 'refused' }, { failure: 'refused' }])
  })

  it('is not shown what is too large', async () => {
    const inference = modelsThatSay({ 'sim/large': 'a'.repeat(longestComparison) })
    const work = evaluating(sample, inference)
    expect(await work.attempt()).toEqual({ outcomes: ['error'], failure: null })
    expect(work.looks).toMatchObject([{ failure: 'too_large' }, { failure: 'too_large' }])
    expect(modelsOf(inference)).not.toContain(judgeModel)
  })
})
