import fc from 'fast-check'
import { chooseCandidates, openStrata, reachedWith } from './choose-candidates.ts'
import { type FrameItem, gradingStrategies, stratumOf } from './grading-frame.ts'

const rank = (logId: string) => logId
const strategies = gradingStrategies

function item(logId: string, stratum: string, more: Partial<FrameItem> = {}): FrameItem {
  return { logId, stratum, isOffered: false, isGraded: false, human: null, ...more }
}

function judged(fails: number, passes: number): FrameItem[] {
  return Array.from({ length: fails + passes }, (_, index) =>
    item(`log-${String(index).padStart(3, '0')}`, index < fails ? 'judged_fail' : 'judged_pass'),
  )
}

it.each([
  [10, 90, 10, 5, 5],
  [2, 90, 10, 2, 8],
  [90, 1, 10, 9, 1],
  [0, 3, 10, 0, 3],
  [5, 5, 3, 1, 2],
])('of %i fails and %i passes balances %i as %i and %i', (fails, passes, limit, chosenFails, chosenPasses) => {
  const chosen = chooseCandidates(openStrata(judged(fails, passes), rank), 'balanced', { limit, rank })
  const of = (stratum: string) => chosen.filter((each) => each.stratum === stratum)
  const counts = [of('judged_fail').length, of('judged_pass').length]
  if (limit === 3) expect(counts.toSorted()).toEqual([chosenFails, chosenPasses])
  else expect(counts).toEqual([chosenFails, chosenPasses])
})

it('prefers exchanges with different verdicts of the judge, and takes some of the others, without which nothing is known of them', () => {
  const items = Array.from({ length: 100 }, (_, index) =>
    item(`log-${index}`, stratumOf({ verdict: 'pass', isDisputed: index < 40 })),
  )
  const chosen = chooseCandidates(openStrata(items, rank), 'disagreement', { limit: 20, rank })
  const disputed = chosen.filter(({ stratum }) => stratum === 'judged_pass_disputed').length
  expect([disputed, chosen.length - disputed]).toEqual([14, 6])
})

const itemSets = fc
  .array(
    fc.record({
      verdict: fc.constantFrom('pass' as const, 'fail' as const),
      isDisputed: fc.boolean(),
      isGraded: fc.boolean(),
    }),
    { maxLength: 40 },
  )
  .map((rows) =>
    rows.map(({ isGraded, ...known }, index) =>
      item(`log-${String(index).padStart(3, '0')}`, stratumOf(known), { isGraded }),
    ),
  )

it.each(strategies)('%s: what has been reached of each stratum is a prefix of its random order', (strategy) => {
  fc.assert(
    fc.property(itemSets, fc.integer({ min: 1, max: 50 }), (items, limit) => {
      const strata = openStrata(items, rank)
      const chosen = chooseCandidates(strata, strategy, { limit, rank })
      expect(chosen).toHaveLength(Math.min(limit, items.filter(({ isGraded }) => !isGraded).length))
      const reached = new Set(reachedWith(strata, chosen))
      for (const { logId } of chosen) expect(reached.has(logId)).toBe(true)
      for (const { ranked, items: open } of strata) {
        const flags = ranked.map(({ logId }) => reached.has(logId))
        expect(flags.lastIndexOf(true)).toBe(flags.filter(Boolean).length - 1)
        const ids = new Set(chosen.map(({ logId }) => logId))
        for (const { logId } of open) if (reached.has(logId)) expect(ids.has(logId)).toBe(true)
      }
    }),
  )
})

it('lists exchanges in one random order, so that the place of one tells nothing about the verdict', () => {
  const chosen = chooseCandidates(openStrata(judged(20, 20), rank), 'balanced', {
    limit: 10,
    rank: (id) => `${id.at(-1)}${id}`,
  })
  const ids = chosen.map(({ logId }) => logId)
  expect(ids).toEqual(ids.toSorted((one, other) => (`${one.at(-1)}${one}` < `${other.at(-1)}${other}` ? -1 : 1)))
})
