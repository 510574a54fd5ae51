import { cpuFigures } from './watch-cpu.ts'

describe('cpuFigures', () => {
  it('divides the time of all processes by the requests, in total and by process', () => {
    expect(cpuFigures('cpu', { cpuMs: { edge: 300, Postgres: 100 }, others: {} }, 1_000)).toEqual({
      cpu: 400,
      'cpu of edge': 300,
      'cpu of Postgres': 100,
    })
  })

  it('has no figures when CPU time cannot be read', () => {
    expect(cpuFigures('cpu', { cpuMs: {}, others: {} }, 1_000)).toEqual({})
  })
})
