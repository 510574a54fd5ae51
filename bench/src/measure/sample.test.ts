import { ratio, type Sample, summarize } from './sample.ts'

const samples: Sample[] = [
  ...[10, 30, 14].map((value, index) => ({ target: 'fleet', figure: 'cpu', round: index + 1, value })),
  ...[5, 10, 7].map((value, index) => ({ target: 'nginx', figure: 'cpu', round: index + 1, value })),
  { target: 'nginx', figure: 'memory', round: 1, value: 3 },
]

describe('summarize', () => {
  it('gives the median and the extremes of the rounds', () => {
    expect(summarize(samples, 'fleet', 'cpu')).toEqual({ median: 14, least: 10, most: 30 })
  })

  it('is null for figures that were not measured', () => {
    expect(summarize(samples, 'fleet', 'memory')).toBeNull()
  })
})

describe('ratio', () => {
  it('compares within each round before it takes the median', () => {
    expect(ratio(samples, { figure: 'cpu', target: 'fleet', to: 'nginx' })).toBe(2)
  })

  it('is absent when one side is', () => {
    expect(ratio(samples, { figure: 'memory', target: 'fleet', to: 'nginx' })).toBeNull()
  })
})
