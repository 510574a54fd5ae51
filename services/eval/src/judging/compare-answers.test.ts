import { fleetIdentity } from '@ratchet/contracts/identity'
import { checksWithoutScripts } from '@ratchet/judge-kit/checks/checks.fixture'
import {
  type ChatBody,
  costOfAnswer,
  type Scripted,
  type ScriptedInference,
  scriptedInference,
} from '@ratchet/judge-kit/fleet/scripted-inference.fixture'
import { maxJudgedChars } from '@ratchet/judge-kit/prompt/build-data-prompt'
import { judge } from '@ratchet/simulated-provider/answers/judge'
import { simulatedModel } from '@ratchet/simulated-provider/simulated-model'
import { readChatRequest } from '@ratchet/simulated-provider/wire/chat-request'
import { type Comparison, createCompareAnswers } from './compare-answers.ts'
import { plainComparison, said } from './comparison.fixture.ts'
import { isConsistent, type Preference, pairOutcome } from './pair-verdict.ts'

const at = new Date('2026-01-07T12:00:00Z')
const tie = '{"explanation":"Alike.","winner":"tie"}'

const comparison: Comparison = {
  ...plainComparison,
  identity: { ...fleetIdentity, purpose: 'judge' },
  judgeModel: 'sim/judge',
  checks: null,
  keyOf: (body) => `key-${body.length}`,
}

const compareWith = (inference: ScriptedInference) =>
  createCompareAnswers({ inference, now: () => at, ...checksWithoutScripts })
const answering = (...script: readonly Scripted[]) =>
  scriptedInference({ answer: (_body, answered) => script[answered] ?? tie })

it('returns the preference, with the answering model and the cost', async () => {
  const inference = answering('{"explanation":"Kinder.","winner":"first"}')
  const { finding, replies } = await compareWith(inference)(comparison)
  expect(finding).toEqual({ kind: 'chosen', choice: 'first', explanation: 'Kinder.' })
  expect(replies).toMatchObject([{ model: 'sim/judge-2026-01-01', costNano: costOfAnswer }])
  const [question] = inference.calls
  expect(question?.identity).toEqual(comparison.identity)
  expect(question?.key).toBe(comparison.keyOf(JSON.stringify(question?.body)))
  expect(question?.body).toMatchObject({ model: 'sim/judge', temperature: 0, max_tokens: 2_048 })
  expect(question?.body.messages.map(({ role }) => role)).toEqual(['system', 'user'])
})

it('calls the judge once more when it names no winner, and counts both costs', async () => {
  const inference = answering('The first, I think.', tie)
  const { finding, replies } = await compareWith(inference)(comparison)
  expect(finding).toEqual({ kind: 'chosen', choice: 'tie', explanation: 'Alike.' })
  expect(replies).toHaveLength(2)
  const [question, again] = inference.calls
  expect(again).toEqual({ ...question, key: `${question?.key}-retry` })
})

it('is unparseable when the judge names no winner twice', async () => {
  const inference = answering('Hm.', '{"winner":"both","explanation":""}')
  const { finding, replies } = await compareWith(inference)(comparison)
  expect(finding).toEqual({ kind: 'unparseable' })
  expect(replies).toHaveLength(2)
  expect(inference.calls).toHaveLength(2)
})

it('returns a refusal with the answers billed before it', async () => {
  const inference = answering('Hm.', { status: 402, code: 'insufficient_balance' })
  const { finding, replies } = await compareWith(inference)(comparison)
  expect(finding).toMatchObject({ kind: 'refused', refusal: { status: 402, code: 'insufficient_balance' } })
  expect(replies).toHaveLength(1)
})

it('does not call the judge when the prompt is too large', async () => {
  const inference = answering()
  const first = said('a'.repeat(maxJudgedChars))
  expect(await compareWith(inference)({ ...comparison, first })).toEqual({
    finding: { kind: 'too_large' },
    replies: [],
  })
  expect(inference.calls).toEqual([])
})

it('requests a JSON schema when the model supports it', async () => {
  const inference = scriptedInference({ answer: () => tie, model: { capabilities: ['chat', 'json_schema'] } })
  await compareWith(inference)(comparison)
  expect(inference.calls[0]?.body).toMatchObject({ response_format: { json_schema: { name: 'preference' } } })
})

/** The judges of the simulated provider, called directly. */
const simulated = scriptedInference({
  answer: (body: ChatBody) => {
    const model = simulatedModel(body.model)
    if (model === null) return { status: 404, code: 'model_not_found' }
    return judge({ seed: 'seed', name: '00', model, body, behaviour: null }, readChatRequest(body))
  },
})

/** Preferences in both orders between a sound baseline answer and a flawed candidate answer. */
async function preferencesOf(judgeModel: string, index: number): Promise<[Preference, Preference]> {
  const [sound, flawed] = [said(`Answer ${index}.`), said(`(flawed) Answer ${index}.`)]
  const orders = [
    { first: sound, second: flawed, id: `look-${index}-0` },
    { first: flawed, second: sound, id: `look-${index}-1` },
  ]
  const found = orders.map(async (order) => {
    const request = { ...comparison, ...order, judgeModel, keyOf: () => `${judgeModel}-${order.id}` }
    const { finding } = await compareWith(simulated)(request)
    if (finding.kind !== 'chosen') throw new Error(finding.kind)
    return finding.choice
  })
  return (await Promise.all(found)) as [Preference, Preference]
}

const twenty = Array.from({ length: 20 }, (_, index) => index)

it.each([
  ['sim/judge', 18],
  ['sim/judge-1-1', 20],
])('lets %s prefer the sound answer in both orders', async (judgeModel, minLost) => {
  const pairs = await Promise.all(twenty.map((index) => preferencesOf(judgeModel, index)))
  expect(pairs.filter((preferences) => !isConsistent(preferences))).toEqual([])
  const lost = pairs.filter((preferences) => pairOutcome({ kind: 'judged', preferences }) === 'loss')
  expect(lost.length).toBeGreaterThanOrEqual(minLost)
})

it('finds a judge inconsistent that always prefers the first answer', async () => {
  const pairs = await Promise.all(twenty.map((index) => preferencesOf('sim/judge-first', index)))
  expect(pairs.filter(isConsistent)).toEqual([])
  expect(new Set(pairs.map((preferences) => pairOutcome({ kind: 'judged', preferences })))).toEqual(new Set(['tie']))
})
