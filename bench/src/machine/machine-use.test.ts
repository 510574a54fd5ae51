import { machineUse, refusalOf } from './machine-use.ts'

const process = (pid: number, name: string, own: number) => ({ pid, name, parent: 1, own, ended: 0 })
const before = {
  ticks: { busy: 1_000, stolen: 10, all: 5_000 },
  processes: [process(7, 'node', 100), process(8, 'postgres', 500), process(9, 'sleep', 0)],
}
const after = {
  ticks: { busy: 1_180, stolen: 22, all: 5_600 },
  processes: [process(7, 'node', 112), process(8, 'postgres', 560), process(9, 'sleep', 0), process(10, 'tsc', 90)],
}

describe('machineUse', () => {
  it('is the share of all cores that was used, with the busiest processes first and new ones among them', () => {
    expect(machineUse(before, after)).toEqual({
      percent: 30,
      stolenPercent: 2,
      busiest: [
        { name: 'tsc', pid: 10, percent: 15 },
        { name: 'postgres', pid: 8, percent: 10 },
        { name: 'node', pid: 7, percent: 2 },
      ],
    })
  })
})

describe('refusalOf', () => {
  it('lets a quiet machine pass', () => {
    expect(refusalOf({ percent: 15, stolenPercent: 0, busiest: [] })).toBeNull()
  })

  it('names what uses a loaded machine, and how to run anyway', () => {
    const refusal = refusalOf(machineUse(before, after))
    expect(refusal).toContain('30 %')
    expect(refusal).toContain('tsc (pid 10) 15 %, postgres (pid 8) 10 %, node (pid 7) 2 %, other virtual machines 2 %')
    expect(refusal).toContain('--force')
  })

  it('says so when no single process is busy', () => {
    expect(refusalOf({ percent: 40, stolenPercent: 0, busiest: [] })).toContain('many short ones')
  })
})
