import { checksWithoutScripts } from '@ratchet/judge-kit/checks/checks.fixture'
import { createJudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import {
  type Refused,
  type Scripted,
  type ScriptedInference,
  scriptedInference,
} from '@ratchet/judge-kit/fleet/scripted-inference.fixture'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import { WorkPostponed } from '@ratchet/work-kit/leases/decide-retry'
import { createJudge } from './create-judge.ts'
import type { LeasedJudgement } from './judgement.ts'

const uuid = (digit: number) => `00000000-0000-7000-8000-00000000000${digit}`
const at = new Date('2026-01-07T12:00:00Z')
const pass = '{"verdict":"PASS","explanation":"Fine."}'

const judgement: LeasedJudgement = {
  id: uuid(1),
  workspaceId: uuid(2),
  criterionId: uuid(3),
  runId: null,
  source: 'online',
  instrument: 4,
  judgePrompt: null,
  judgedResponse: null,
  item: { kind: 'log', logId: uuid(5) },
  labelId: null,
  human: null,
  samplingProbability: 1,
  stratum: null,
  segment: 'none',
  tag: null,
  isCanary: false,
  itemAt: null,
  expiresAt: null,
  createdAt: at,
  generation: 1,
  failures: 0,
  prompt: 'The answer is rude.',
  unit: 'request',
  judgeModel: 'sim/judge',
  checks: null,
  currentInstrument: 4,
  isRequested: true,
  requestedBy: uuid(6),
  spendCap: null,
  runKind: null,
}

const exchange: JudgedExchange = {
  messages: [{ role: 'user', content: 'Hello?' }],
  response: { role: 'assistant', content: 'Hello!' },
  tools: null,
  model: 'sim/small',
}

interface Surroundings {
  readonly entry?: (logId: string) => Promise<JudgedExchange | null>
  readonly snapshot?: JudgedExchange | null
  readonly isEarlierUnderWay?: boolean
  /** Collects the ids of judges whose weekly cap is noted as reached. */
  readonly noted?: string[]
  readonly areOthersUnderWay?: boolean
}

function judgeWith(
  inference: ScriptedInference,
  { entry, snapshot = null, isEarlierUnderWay = false, areOthersUnderWay = false, noted = [] }: Surroundings = {},
) {
  const now = () => at
  return createJudge({
    judgeExchange: createJudgeExchange({ inference, now, ...checksWithoutScripts }),
    log: {
      entry: (async (_identity: unknown, logId: string) => (entry === undefined ? exchange : entry(logId))) as never,
    },
    snapshots: { get: async () => snapshot },
    judgements: { hasEarlierUnderWay: async () => isEarlierUnderWay, hasOthersUnderWay: async () => areOthersUnderWay },
    capNotices: { note: async ({ id }) => void noted.push(id) },
    now,
  })
}

const answering = (...script: readonly Scripted[]) =>
  scriptedInference({ answer: (_body, answered) => script[answered] ?? pass })

/** Refuses the first question and answers what comes later, or refuses what comes after so many answers. */
const refusing = (refused: Refused, after = 0) =>
  scriptedInference({ answer: (_body, answered) => (answered < after ? 'Well.' : refused) })

it('gives the verdict, the model and the cost', async () => {
  const inference = answering(pass)
  expect(await judgeWith(inference)(judgement)).toEqual({
    verdict: 'pass',
    failure: null,
    explanation: 'Fine.',
    judgeModelResolved: 'sim/judge-2026-01-01',
    judgeFingerprint: 'fp_1',
    promptTokens: 100,
    completionTokens: 10,
    costNano: 7_000n,
  })
  const [question] = inference.calls
  expect(question?.identity).toMatchObject({ workspaceId: uuid(2), userId: uuid(6), purpose: 'judge' })
  expect(question?.body).toMatchObject({ model: 'sim/judge', temperature: 0, max_tokens: 2_048 })
  expect(question?.body.messages.map(({ role }) => role)).toEqual(['system', 'user'])
})

describe('a run', () => {
  const run = {
    ...judgement,
    unit: 'trace' as const,
    item: { kind: 'run' as const, traceId: 't', stepIds: [uuid(7), uuid(8)] },
  }
  const question = { role: 'user', content: 'Why?' }
  const steps = new Map<string, JudgedExchange>([
    [uuid(7), { messages: [question], response: { role: 'assistant', content: 'First.' }, tools: null, model: 'm' }],
    [uuid(8), { messages: [question], response: { role: 'assistant', content: 'Last.' }, tools: null, model: 'm' }],
  ])
  const judgeOf = (inference: ScriptedInference, stored: ReadonlyMap<string, JudgedExchange>) =>
    judgeWith(inference, { entry: async (logId) => stored.get(logId) ?? null })

  it('is judged as a whole, with one call', async () => {
    const inference = answering(pass)
    expect(await judgeOf(inference, steps)(run)).toMatchObject({ verdict: 'pass', failure: null })
    const [call] = inference.calls
    expect(call?.body.messages[0]?.content).toContain('run FAIL')
    expect(call?.body.messages[1]?.content).toMatch(/Why\?[\s\S]*First\.[\s\S]*Last\./)
    expect(inference.calls).toHaveLength(1)
  })

  it('is not judged when a step was deleted, nor when it is too large', async () => {
    const inference = answering(pass)
    const shorter = new Map([...steps].slice(0, 1))
    expect(await judgeOf(inference, shorter)(run)).toMatchObject({ verdict: null, failure: 'gone' })
    const content = 'x'.repeat(5_000_000)
    const larger = new Map([...steps].map(([id, each]) => [id, { ...each, messages: [{ role: 'user', content }] }]))
    expect(await judgeOf(inference, larger)(run)).toMatchObject({ verdict: null, failure: 'too_large' })
    expect(inference.calls).toEqual([])
  })
})

it('passes the spend cap on', async () => {
  const inference = answering(pass)
  const spendCap = { id: uuid(3), capNano: 5n, windowStart: new Date('2026-01-05T00:00:00Z'), windowEnd: null }
  await judgeWith(inference)({ ...judgement, spendCap })
  expect(inference.calls[0]?.identity.spendCap).toEqual({
    id: uuid(3),
    capNano: '5',
    windowStart: '2026-01-05T00:00:00.000Z',
  })
})

it('calls the judge once more after a reply without a verdict, and counts both costs', async () => {
  const inference = answering('Hm.', '{"verdict":"FAIL","explanation":"Rude."}')
  const outcome = await judgeWith(inference)(judgement)
  expect(outcome).toMatchObject({ verdict: 'fail', promptTokens: 200, completionTokens: 20, costNano: 14_000n })
  const [first, second] = inference.calls
  expect(second?.key).toBe(`${first?.key}-retry`)
  expect(second?.body).toEqual(first?.body)
})

it.each<[string, Scripted]>([
  ['words', 'It passes.'],
  ['no message', { content: null }],
  ['a message that is no text', { content: [{ type: 'text', text: pass }] }],
  ['a verdict that is cut off', { content: pass, finish_reason: 'length' }],
])('counts %s as neither pass nor fail', async (_case, scripted) => {
  const inference = answering(scripted, scripted, pass)
  const outcome = await judgeWith(inference)(judgement)
  expect(outcome).toMatchObject({ verdict: null, failure: 'unparseable', costNano: 14_000n })
  expect(inference.calls).toHaveLength(2)
})

it('is charged once, however often it is retried', async () => {
  const inference = answering('Hm.', pass)
  const outcomes = await Promise.all([1, 2, 3].map((generation) => judgeWith(inference)({ ...judgement, generation })))
  expect(
    new Set(outcomes.map((outcome) => JSON.stringify({ ...outcome, costNano: String(outcome.costNano) }))).size,
  ).toBe(1)
  expect(inference.charged).toHaveLength(2)
})

it('uses another key for another request', async () => {
  const inference = answering(pass, pass, pass)
  await judgeWith(inference)(judgement)
  await judgeWith(inference)({ ...judgement, id: uuid(9) })
  await judgeWith(inference)({ ...judgement, prompt: 'The answer is long.' })
  expect(new Set(inference.charged).size).toBe(3)
})

it.each<[string, Surroundings, Partial<LeasedJudgement>]>([
  ['an entry that is deleted', { entry: async () => null }, {}],
  ['a log that is off', { entry: async () => Promise.reject(new LoggingIsOff()) }, {}],
  ['a snapshot that is not there', {}, { item: { kind: 'snapshot', snapshotId: uuid(7) } }],
  ['a judge that was changed', {}, { currentInstrument: 5 }],
  ['monitoring that was turned off', {}, { isRequested: false }],
  [
    'the answer of a shadow to an entry that is deleted',
    { entry: async () => null },
    { judgedResponse: exchange.response, source: 'shadow' },
  ],
  ['a candidate of a judge that was changed', {}, { currentInstrument: 5, judgePrompt: 'x', source: 'improvement' }],
])('makes no call for %s', async (_case, surroundings, more) => {
  const inference = answering(pass)
  const outcome = await judgeWith(inference, surroundings)({ ...judgement, ...more })
  expect(outcome).toMatchObject({ verdict: null, failure: 'gone', costNano: 0n })
  expect(inference.calls).toEqual([])
})

it('judges the snapshot of a graded exchange', async () => {
  const inference = answering(pass)
  const entry = async () => Promise.reject(new Error('not to be read'))
  const item = { kind: 'snapshot', snapshotId: uuid(7) } as const
  const outcome = await judgeWith(inference, { entry, snapshot: exchange })({ ...judgement, item })
  expect(outcome.verdict).toBe('pass')
  expect(inference.calls[0]?.body.messages[1]?.content).toContain('\nHello!\n')
})

it('judges the answer of a shadow instead of the served one', async () => {
  const inference = answering(pass)
  const judgedResponse = { role: 'assistant', content: 'From the shadow.' }
  await judgeWith(inference)({ ...judgement, source: 'shadow', judgedResponse })
  const question = inference.calls[0]?.body.messages[1]?.content
  expect(question).toContain('\nFrom the shadow.\n')
  expect(question).toContain('Hello?')
  expect(question).not.toContain('Hello!')
})

it('makes no call for an exchange that is too large', async () => {
  const inference = answering(pass)
  const large = { ...exchange, response: { role: 'assistant', content: 'a'.repeat(1_000_001) } }
  expect(await judgeWith(inference, { entry: async () => large })(judgement)).toMatchObject({ failure: 'too_large' })
  expect(inference.calls).toEqual([])
})

it.each<[Refused, string]>([
  [{ status: 400, code: 'context_length_exceeded' }, 'too_large'],
  [{ status: 413, code: 'request_too_large' }, 'too_large'],
  [{ status: 400, code: 'invalid_request' }, 'refused'],
  [{ status: 400, code: 'unknown_provider' }, 'refused'],
  [{ status: 404, code: 'model_not_found' }, 'refused'],
  [{ status: 402, code: 'spend_cap_reached' }, 'over_cap'],
])('fails after the answer %j, with the cost of earlier calls', async (refused, failure) => {
  expect(await judgeWith(refusing(refused))(judgement)).toMatchObject({ verdict: null, failure, costNano: 0n })
  expect(await judgeWith(refusing(refused, 1))(judgement)).toMatchObject({ verdict: null, failure, costNano: 7_000n })
})

it.each<[Refused, number]>([
  [{ status: 402, code: 'insufficient_balance' }, 60_000],
  [{ status: 409, code: 'conflict' }, 1_000],
])('waits after %j', async (refused, delayMs) => {
  const waiting = judgeWith(refusing(refused))(judgement)
  await expect(waiting).rejects.toThrow(WorkPostponed)
  await expect(waiting).rejects.toMatchObject({ delayMs })
})

it.each([
  ['2026-01-07T12:10:00Z', 600_000],
  ['2026-01-12T00:00:00Z', 3_600_000],
  ['2026-01-07T11:59:59Z', 1_000],
])('waits for the end of the window at %s, and looks in between', async (windowEnd, delayMs) => {
  const spendCap = { id: uuid(3), capNano: 5n, windowStart: at, windowEnd: new Date(windowEnd) }
  const waiting = judgeWith(refusing({ status: 402, code: 'spend_cap_reached' }))({ ...judgement, spendCap })
  await expect(waiting).rejects.toMatchObject({ name: 'WorkPostponed', delayMs })
})

it('notes that the weekly cap is reached, and nothing for the cap of a run or an empty wallet', async () => {
  const noted: string[] = []
  const judge = async (code: string, windowEnd: Date | null, areOthersUnderWay = false) => {
    const spendCap = { id: uuid(3), capNano: 5n, windowStart: at, windowEnd }
    await judgeWith(refusing({ status: 402, code }), { noted, areOthersUnderWay })({ ...judgement, spendCap }).catch(
      () => undefined,
    )
  }
  await judge('spend_cap_reached', null)
  await judge('insufficient_balance', new Date('2026-01-12T00:00:00Z'))
  // Holds of other judgements are released soon, and the cap of last week says nothing about this one.
  await judge('spend_cap_reached', new Date('2026-01-12T00:00:00Z'), true)
  await judge('spend_cap_reached', at)
  expect(noted).toEqual([])
  await judge('spend_cap_reached', new Date('2026-01-12T00:00:00Z'))
  expect(noted).toEqual([uuid(3)])
})

it('waits while other judgements of its run hold the rest of the cap', async () => {
  const refused = refusing({ status: 402, code: 'spend_cap_reached' })
  const waiting = judgeWith(refused, { isEarlierUnderWay: true })(judgement)
  await expect(waiting).rejects.toMatchObject({ name: 'WorkPostponed', delayMs: 500 })
})

it.each<Refused>([
  { status: 0, code: null },
  { status: 401, code: 'invalid_api_key' },
  { status: 403, code: 'insufficient_permissions' },
  { status: 408, code: 'request_timeout' },
  { status: 429, code: 'rate_limit_exceeded' },
  { status: 500, code: 'internal_error' },
  { status: 502, code: null },
  { status: 503, code: 'service_unavailable' },
])('is to be tried again after %j', async (refused) => {
  await expect(judgeWith(refusing(refused))(judgement)).rejects.toMatchObject({
    name: 'FleetCallError',
    status: refused.status,
  })
})

it('fails when a reply has no cost', async () => {
  await expect(judgeWith(answering({ content: pass, cost: '1.5' }))(judgement)).rejects.toThrow('x-internal-cost-nano')
})
