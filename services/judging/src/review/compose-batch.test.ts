import { openStrata } from '../labels/choose-candidates.ts'
import type { FrameItem } from '../labels/grading-frame.ts'
import { rankIn } from '../labels/grading-frames.ts'
import { type BatchFacts, composeBatch, isDouble } from './compose-batch.ts'
import { riskThirds } from './round-strata.ts'

const roundId = 'round'
const nothing = { new: 0, double: 0, again: 0, known: 0 }

function frame(count: number, taken: readonly string[] = []) {
  const items = Array.from({ length: count }, (_, index): FrameItem => {
    const logId = `log${index}`
    const isTaken = taken.includes(logId)
    const stratum = index % 5 === 0 ? 'judged_fail_risk_0' : 'judged_pass_risk_0'
    return { logId, stratum, isOffered: isTaken, isGraded: isTaken, human: null }
  })
  return openStrata(items, rankIn(roundId))
}

const compose = (more: Partial<BatchFacts> = {}) =>
  composeBatch({
    roundId,
    graderId: 'ann',
    count: 10,
    shares: { double: 0, again: 0, known: 0 },
    strata: frame(100),
    ofOthers: [],
    own: [],
    known: [],
    given: nothing,
    knownFails: 0,
    ...more,
  })

const of = (items: ReturnType<typeof compose>, kind: string) => items.filter((item) => item.kind === kind)

it('takes new items of all strata, each stratum in its random order', () => {
  const items = compose()
  expect(items.map(({ kind }) => kind)).toEqual(Array.from({ length: 10 }, () => 'new'))
  const rank = rankIn(roundId)
  for (const stratum of ['judged_fail_risk_0', 'judged_pass_risk_0']) {
    const all =
      frame(100)
        .find((each) => each.stratum === stratum)
        ?.ranked.map(({ logId }) => logId) ?? []
    const taken = items.filter((item) => item.stratum === stratum).map(({ logId }) => logId ?? '')
    expect(taken.length).toBeGreaterThan(0)
    expect(taken.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))).toEqual(all.slice(0, taken.length))
  }
})

it('mixes a batch for each person in another order, so that the place tells nothing', () => {
  const places = (graderId: string) => compose({ graderId }).map(({ logId }) => logId)
  expect(places('ann')).toEqual(places('ann'))
  expect(places('ann')).not.toEqual(places('bob'))
  expect(places('ann').toSorted()).toEqual(places('bob').toSorted())
})

it('gives about so many items to two people as the round says, whatever their stratum', () => {
  const logIds = Array.from({ length: 4_000 }, (_, index) => `log${index}`)
  const share = logIds.filter((logId) => isDouble(roundId, logId, 15)).length / logIds.length
  expect(share).toBeCloseTo(0.15, 1)
  const ofOthers = logIds.slice(0, 100).map((logId) => ({ logId, stratum: 'judged_pass_risk_0', isUnsure: false }))
  const shares = { double: 15, again: 0, known: 0 }
  // A new person meets what others graded; later at most half of a batch is such.
  expect(of(compose({ ofOthers, shares }), 'double').length).toBeGreaterThan(5)
  expect(of(compose({ ofOthers, shares, given: { ...nothing, new: 10 } }), 'double')).toHaveLength(5)
  expect(of(compose({ ofOthers, shares, strata: frame(0), given: { ...nothing, new: 10 } }), 'double').length).toBe(10)
})

it('shows own items again after thirty others, and known ones that fail as often as they pass', () => {
  const own = [
    { logId: 'log1', stratum: 's', labelId: 'l1', since: 30 },
    { logId: 'log2', stratum: 's', labelId: 'l2', since: 29 },
  ]
  const known = Array.from({ length: 20 }, (_, index) => ({
    labelId: `k${index}`,
    verdict: index < 2 ? ('fail' as const) : ('pass' as const),
  }))
  const shares = { double: 0, again: 50, known: 40 }
  const items = compose({ own, known, shares, given: { ...nothing, new: 40 } })
  expect(of(items, 'again').map(({ logId }) => logId)).toEqual(['log1'])
  const shown = of(items, 'known').map(({ labelId }) => labelId)
  expect([shown.length, of(items, 'new').length]).toEqual([4, 5])
  expect(shown).toEqual(expect.arrayContaining(['k0', 'k1']))
  expect(of(compose({ known, shares: { double: 0, again: 0, known: 12 } }), 'known')).toHaveLength(1)
})

it('splits items into thirds by what tells something about errors', () => {
  const signs = [
    { otherVerdicts: [], tokens: 10, isContradicted: false },
    { otherVerdicts: ['fail' as const], tokens: 5, isContradicted: false },
    { otherVerdicts: ['pass' as const], tokens: 11, isContradicted: false },
  ]
  expect(riskThirds(signs)[1]).toBe(2)
  const said = signs.map((each, index) => ({ ...each, isContradicted: index === 0 }))
  expect(riskThirds(said).slice(0, 2)).toEqual([2, 1])
  expect(
    riskThirds(Array.from({ length: 9 }, () => ({ otherVerdicts: [], tokens: 1, isContradicted: false }))),
  ).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2])
})
