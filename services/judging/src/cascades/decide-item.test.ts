import { countVotes, decideItem } from './decide-item.ts'
import { verdictPrompts } from './verdict-prompts.ts'

it('is decided by the first judge with enough equal verdicts', () => {
  const thresholds = [3, 2, 1]
  const lone = { fail: 1, pass: 0 }
  expect(decideItem([{ fail: 3, pass: 0 }], thresholds)).toEqual({ verdict: 'fail', by: 0 })
  expect(decideItem([{ fail: 2, pass: 1 }, { fail: 0, pass: 2 }, lone], thresholds)).toEqual({ verdict: 'pass', by: 1 })
  expect(decideItem([{ fail: 2, pass: 1 }, { fail: 1, pass: 1 }, lone], thresholds)).toEqual({ verdict: 'fail', by: 2 })
})

it('is left to people when no judge has enough, and leaves out judges that do not take part', () => {
  expect(decideItem([{ fail: 2, pass: 1 }], [3, 1])).toBeNull()
  expect(decideItem([{ fail: 3, pass: 0 }], [null, 1])).toBeNull()
  expect(decideItem([countVotes([null, null, null])], [3, 1])).toBeNull()
})

it('counts unreadable verdicts for neither side', () => {
  expect(countVotes(['fail', null, 'pass', 'fail'])).toEqual({ fail: 2, pass: 1 })
})

it('requests each verdict in other words, and the first in those of the judge', () => {
  const prompts = verdictPrompts('Fail what is rude.', 5)
  expect(prompts[0]).toBeNull()
  expect(new Set(prompts).size).toBe(5)
  expect(prompts.slice(1).every((prompt) => prompt?.startsWith('Fail what is rude.'))).toBe(true)
  expect(verdictPrompts('Fail what is rude.', 1)).toEqual([null])
})
