import { splitItems } from '../assist/split-items.ts'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import type { ProposedPrompt } from './pg-proposals.ts'
import { tunedItems } from './tuned-items.ts'

const items = Array.from({ length: 20 }, (_, index) => ({
  itemKey: `item-${index}`,
  human: index % 2 === 0 ? ('fail' as const) : ('pass' as const),
}))
const before = 'Fail what is rude to the customer.'
const proposed =
  'Fail an answer that promises a refund without naming the order. An offer to ask a colleague is no promise.'
const question = 'Fail what is not in the language that the user writes.'
const criterion = storedCriterion({ judgePrompt: proposed })
const { train, holdout } = splitItems(items)

function tunedFor(judge: { readonly id?: string; readonly judgePrompt: string }, found: Partial<ProposedPrompt> = {}) {
  return tunedItems(
    {
      calibrations: {
        async *proposals() {
          yield { runId: 'run', criterionId: criterion.id, before, proposed, ...found }
        },
        judgedItems: async () => items,
      },
    },
    { ...criterion, ...judge },
  )
}

const another = { id: '00000000-0000-7000-8000-0000000000c2' }

it('gives the half of the items that the present prompt was tuned on', async () => {
  const tuned = await tunedFor({ judgePrompt: proposed })
  expect([...tuned].toSorted()).toEqual(train.map(({ itemKey }) => itemKey).toSorted())
  for (const { itemKey } of holdout) expect(tuned.has(itemKey)).toBe(false)
})

it.each([
  ['the same prompt with a space', { judgePrompt: `${proposed} ` }],
  ['a prompt that someone wrote after the proposal', { judgePrompt: question }],
  ['the earlier prompt with another word', { judgePrompt: `${before} Be strict.` }],
  ['the proposed prompt in another judge', { ...another, judgePrompt: proposed }],
  [
    'a prompt like it in another judge',
    { ...another, judgePrompt: `Be strict. ${proposed.replace('order', 'order id')}` },
  ],
])('gives them for %s', async (_case, judge) => {
  expect((await tunedFor(judge)).size).toBe(train.length)
})

it.each([
  ['the prompt that was there before', { judgePrompt: before }],
  ['that prompt with other spaces', { judgePrompt: ` ${before}\n` }],
  ['another judge with that prompt', { ...another, judgePrompt: before }],
  ['another judge of another question', { ...another, judgePrompt: question }],
])('gives none for %s', async (_case, judge) => {
  expect(await tunedFor(judge)).toEqual(new Set())
})

it('gives them for the earlier prompt when the proposed one differs in spaces alone', async () => {
  expect((await tunedFor({ judgePrompt: before }, { proposed: `${before} ` })).size).toBe(train.length)
})
