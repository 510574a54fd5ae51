import { splitItems } from '../assist/split-items.ts'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import type { JudgeRun } from '../runs/judge-run.ts'
import { tunedItems } from './tuned-items.ts'

const items = Array.from({ length: 20 }, (_, index) => ({
  itemKey: `item-${index}`,
  human: index % 2 === 0 ? ('fail' as const) : ('pass' as const),
}))
const criterion = storedCriterion({ judgePrompt: 'found' })

function improvement(more: object): JudgeRun {
  const tried = [{ prompt: 'before' }, { prompt: 'found' }]
  return { id: 'run', result: { phase: 'done', best: 1, tried, ...more } } as unknown as JudgeRun
}

function deps(run: JudgeRun) {
  return {
    runs: { list: async () => ({ total: 1, runs: [run] }) },
    calibrations: { judgedItems: async () => items },
  }
}

it('gives the half of the items that the present prompt was tuned on', async () => {
  const { train, holdout } = splitItems(items)
  const tuned = await tunedItems(deps(improvement({})), criterion)
  expect([...tuned].toSorted()).toEqual(train.map(({ itemKey }) => itemKey).toSorted())
  for (const { itemKey } of holdout) expect(tuned.has(itemKey)).toBe(false)
})

it.each([
  ['is still running', { phase: 'holdout' }],
  ['proposed nothing', { best: 0 }],
  ['found another prompt', { tried: [{ prompt: 'before' }, { prompt: 'other' }] }],
])('gives none for an improvement that %s', async (_case, more) => {
  expect(await tunedItems(deps(improvement(more)), criterion)).toEqual(new Set())
})
