import { fleetIdentity } from '@ratchet/contracts/identity'
import {
  type ChatBody,
  costOfAnswer,
  type Scripted,
  type ScriptedInference,
  scriptedInference,
} from '@ratchet/judge-kit/fleet/scripted-inference.fixture'
import { judge } from '@ratchet/simulated-provider/answers/judge'
import { simulatedModel } from '@ratchet/simulated-provider/simulated-model'
import { readChatRequest } from '@ratchet/simulated-provider/wire/chat-request'
import { isConsistent, outcomeOf, type Preference } from '../samples/measured-sample.ts'
import { longestComparison } from './build-compare-prompt.ts'
import { createCompareAnswers, type Look } from './compare-answers.ts'
import { plainComparison, said } from './comparison.fixture.ts'

const at = new Date('2026-01-07T12:00:00Z')
const tie = '{"explanation":"Alike.","winner":"tie"}'

const look: Look = {
  ...plainComparison,
  identity: { ...fleetIdentity, purpose: 'judge' },
  judgeModel: 'sim/judge',
  keyOf: (body) => `key-${body.length}`,
}

const compareWith = (inference: ScriptedInference) => createCompareAnswers({ inference, now: () => at })
const answering = (...script: readonly Scripted[]) =>
  scriptedInference({ answer: (_body, answered) => script[answered] ?? tie })

it('gives the preference, with what answered and what it cost', async () => {
  const inference = answering('{"explanation":"Kinder.","winner":"first"}')
  const { finding, replies } = await compareWith(inference)(look)
  expect(finding).toEqual({ kind: 'preference', preference: 'first', explanation: 'Kinder.' })
  expect(replies).toMatchObject([{ model: 'sim/judge-2026-01-01', costNano: costOfAnswer }])
  const [question] = inference.asked
  expect(question?.identity).toEqual(look.identity)
  expect(question?.key).toBe(look.keyOf(JSON.stringify(question?.body)))
  expect(question?.body).toMatchObject({ model: 'sim/judge', temperature: 0, max_tokens: 2_048 })
  expect(question?.body.messages.map(({ role }) => role)).toEqual(['system', 'user'])
})

it('asks the same once more where no winner is named, and pays for both', async () => {
  const inference = answering('The first, I think.', tie)
  const { finding, replies } = await compareWith(inference)(look)
  expect(finding).toEqual({ kind: 'preference', preference: 'tie', explanation: 'Alike.' })
  expect(replies).toHaveLength(2)
  const [question, again] = inference.asked
  expect(again).toEqual({ ...question, key: `${question?.key}-retry` })
})

it('gives up a judge that twice names no winner', async () => {
  const inference = answering('Hm.', '{"winner":"both","explanation":""}')
  const { finding, replies } = await compareWith(inference)(look)
  expect(finding).toEqual({ kind: 'unparseable' })
  expect(replies).toHaveLength(2)
  expect(inference.asked).toHaveLength(2)
})

it('passes a refusal on, with what was paid for before it', async () => {
  const inference = answering('Hm.', { status: 402, code: 'insufficient_balance' })
  const { finding, replies } = await compareWith(inference)(look)
  expect(finding).toMatchObject({ kind: 'refused', refusal: { status: 402, code: 'insufficient_balance' } })
  expect(replies).toHaveLength(1)
})

it('asks nobody about what is too large', async () => {
  const inference = answering()
  const first = said('a'.repeat(longestComparison))
  expect(await compareWith(inference)({ ...look, first })).toEqual({ finding: { kind: 'too_large' }, replies: [] })
  expect(inference.asked).toEqual([])
})

it('asks for the form of a preference where the model keeps to forms', async () => {
  const inference = scriptedInference({ answer: () => tie, model: { capabilities: ['chat', 'json_schema'] } })
  await compareWith(inference)(look)
  expect(inference.asked[0]?.body).toMatchObject({ response_format: { json_schema: { name: 'preference' } } })
})

/** The simulated provider's judges, without the provider. */
const simulated = scriptedInference({
  answer: (body: ChatBody) => {
    const model = simulatedModel(body.model)
    if (model === null) return { status: 404, code: 'model_not_found' }
    return judge({ seed: 'seed', name: '00', model, body, behaviour: null }, readChatRequest(body))
  },
})

/** The two looks at a sound answer of the baseline and a flawed one of the candidate. */
async function looksOf(judgeModel: string, index: number): Promise<[Preference, Preference]> {
  const [sound, flawed] = [said(`Answer ${index}.`), said(`(flawed) Answer ${index}.`)]
  const orders = [
    { first: sound, second: flawed, id: `look-${index}-0` },
    { first: flawed, second: sound, id: `look-${index}-1` },
  ]
  const found = orders.map(async (order) => {
    const ask = { ...look, ...order, judgeModel, keyOf: () => `${judgeModel}-${order.id}` }
    const { finding } = await compareWith(simulated)(ask)
    if (finding.kind !== 'preference') throw new Error(finding.kind)
    return finding.preference
  })
  return (await Promise.all(found)) as [Preference, Preference]
}

const twenty = Array.from({ length: 20 }, (_, index) => index)

it.each([
  ['sim/judge', 18],
  ['sim/judge-1-1', 20],
])('lets %s prefer the sound answer in both orders', async (judgeModel, fewest) => {
  const pairs = await Promise.all(twenty.map((index) => looksOf(judgeModel, index)))
  expect(pairs.filter((looks) => !isConsistent(looks))).toEqual([])
  const lost = pairs.filter((looks) => outcomeOf({ kind: 'judged', looks }) === 'loss')
  expect(lost.length).toBeGreaterThanOrEqual(fewest)
})

it('shows a judge that prefers what stands first to be inconsistent', async () => {
  const pairs = await Promise.all(twenty.map((index) => looksOf('sim/judge-first', index)))
  expect(pairs.filter(isConsistent)).toEqual([])
  expect(new Set(pairs.map((looks) => outcomeOf({ kind: 'judged', looks })))).toEqual(new Set(['tie']))
})
