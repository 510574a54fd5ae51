import { cpuFigures } from './watch-cpu.ts'

describe('cpuFigures', () => {
  it('shares the time of all processes among the requests, and tells each one’s part', () => {
    expect(cpuFigures('cpu', { cpuMs: { edge: 300, Postgres: 100 }, others: {} }, 1_000)).toEqual({
      cpu: 400,
      'cpu of edge': 300,
      'cpu of Postgres': 100,
    })
  })

  it('says nothing where CPU time cannot be read', () => {
    expect(cpuFigures('cpu', { cpuMs: {}, others: {} }, 1_000)).toEqual({})
  })
})
