import { type DrawableStratum, drawAnswers } from './draw-answers.ts'

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const samples = (prefix: string, count: number) =>
  ids(prefix, count).map((logId) => ({ logId, cluster: null, rank: [...logId].reverse().join('') }))
const stratum = (more: Partial<DrawableStratum>): DrawableStratum => ({
  arm: 'canary',
  verdict: 'pass',
  members: 100,
  drawn: 0,
  samples: samples('cp', 50),
  ...more,
})
const grades = { target: { fails: 10, passes: 10 }, canary: { fails: 20, passes: 60 } }
const countOf = (drawn: readonly { readonly logId: string }[], prefix: string) =>
  drawn.filter(({ logId }) => logId.startsWith(prefix)).length

it('draws from each stratum in proportion to what is missing there', () => {
  const strata = [
    stratum({}),
    stratum({ verdict: 'fail', samples: samples('cf', 50) }),
    stratum({ arm: 'target', verdict: 'fail', samples: samples('tf', 50) }),
    stratum({ arm: 'target', samples: samples('tp', 50) }),
  ]
  const drawn = drawAnswers(strata, { grades, limit: 20 })
  expect(['cp', 'cf', 'tf', 'tp'].map((prefix) => countOf(drawn, prefix))).toEqual([12, 4, 2, 2])
})

it('gives the share of the stratum that was drawn as the probability, with earlier draws', () => {
  const strata = [stratum({ drawn: 40, members: 200, samples: samples('cp', 50) })]
  const drawn = drawAnswers(strata, { grades, limit: 10 })
  expect(drawn).toHaveLength(10)
  expect(new Set(drawn.map(({ probability }) => probability))).toEqual(new Set([0.25]))
  expect(drawn.map(({ logId }) => logId).toSorted()).toEqual(ids('cp', 10).toSorted())
})

it('draws no more than is missing, and evenly when nothing is', () => {
  const strata = [stratum({ drawn: 55 }), stratum({ verdict: 'fail', drawn: 20, samples: samples('cf', 50) })]
  expect(drawAnswers(strata, { grades, limit: 20 })).toHaveLength(5)
  const done = strata.map((each) => ({ ...each, drawn: 70 }))
  const drawn = drawAnswers(done, { grades, limit: 20 })
  expect([countOf(drawn, 'cp'), countOf(drawn, 'cf')]).toEqual([10, 10])
})

it('returns an order that does not put the arms or verdicts together', () => {
  const strata = [stratum({}), stratum({ verdict: 'fail', samples: samples('cf', 50) })]
  const order = drawAnswers(strata, { grades, limit: 20 }).map(({ logId }) => logId.slice(0, 2))
  expect(order.indexOf('cf')).toBeLessThan(order.lastIndexOf('cp'))
  expect(order.indexOf('cp')).toBeLessThan(order.lastIndexOf('cf'))
  // Whoever grades from the top has skipped nothing.
  const ranks = drawAnswers(strata, { grades, limit: 20 }).map(({ rank }) => rank)
  expect(ranks).toEqual(ranks.toSorted())
})
