import { fleetIdentity } from '@ratchet/contracts/identity'
import { requestValue } from './request-value.ts'
import { costOfAnswer, type Scripted, scriptedInference } from './scripted-inference.fixture.ts'

const body = JSON.stringify({ model: 'sim/judge', messages: [] })
const call = { identity: fleetIdentity, body, key: 'k', parse: (message: string) => /\d+/.exec(message)?.[0] ?? null }

const answering = (...script: readonly Scripted[]) =>
  scriptedInference({ answer: (_body, answered) => script[answered] ?? 'Nothing.' })

it.each<[string, readonly Scripted[], object, readonly string[]]>([
  ['the value of the first answer', ['It is 4.'], { kind: 'found', found: '4' }, ['k']],
  ['the value of the second answer', ['Hm.', 'It is 5.'], { kind: 'found', found: '5' }, ['k', 'k-retry']],
  [
    'what follows an answer that was cut off',
    [{ content: '4', finish_reason: 'length' }, '5'],
    { found: '5' },
    ['k', 'k-retry'],
  ],
  ['no value in two answers', ['Hm.', { content: null }, '6'], { kind: 'unparseable' }, ['k', 'k-retry']],
  [
    'no more once it is refused',
    [{ status: 402, code: 'insufficient_balance' }],
    { kind: 'refused', refusal: { status: 402 } },
    ['k'],
  ],
  [
    'none after a refusal of the second',
    ['Hm.', { status: 0, code: null }],
    { kind: 'refused', refusal: { status: 0 } },
    ['k', 'k-retry'],
  ],
])('finds %s', async (_case, script, finding, keys) => {
  const inference = answering(...script)
  const result = await requestValue(inference, call)
  expect(result.finding).toMatchObject(finding)
  expect(inference.calls.map(({ key }) => key)).toEqual(keys)
  expect(new Set(inference.calls.map((question) => JSON.stringify(question.body)))).toEqual(new Set([body]))
  expect(result.replies.map(({ costNano }) => costNano)).toEqual(inference.charged.map(() => costOfAnswer))
})

it('gives the same result on a retry, and is charged once', async () => {
  const inference = answering('Hm.', 'It is 5.')
  const { finding } = await requestValue(inference, call)
  const again = await requestValue(inference, call)
  expect(again.finding).toEqual(finding)
  expect(again.replies.map(({ isReplay }) => isReplay)).toEqual([true, true])
  expect(inference.charged).toEqual(['k', 'k-retry'])
})

it('rethrows errors that are not refusals', async () => {
  const send = async () => {
    throw new TypeError('a mistake of ours')
  }
  await expect(requestValue({ send }, call)).rejects.toThrow('a mistake of ours')
})
