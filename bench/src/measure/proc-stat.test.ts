import {
  busyTicksOfCore,
  machineTicks,
  parsePeakResidentKb,
  parseProcStat,
  parsePssKb,
  splitIntoTrees,
  ticksOf,
} from './proc-stat.ts'

const line =
  '4711 (postgres: a (b) c) S 100 4711 4711 0 -1 4194560 901 22 0 0 31 12 5 2 20 0 1 0 8675 222 333 18446744073709551615'

const stat = (pid: number, parent: number, own: number, ended = 0) => ({ pid, name: 'some', parent, own, ended })

describe('parseProcStat', () => {
  it('reads times and parent although the command name holds brackets and spaces', () => {
    expect(parseProcStat(line)).toEqual({ pid: 4711, name: 'postgres: a (b) c', parent: 100, own: 43, ended: 7 })
  })
})

describe('parsePeakResidentKb', () => {
  it('reads the peak, not the current size', () => {
    expect(parsePeakResidentKb('VmPeak:\t  900 kB\nVmHWM:\t  51234 kB\nVmRSS:\t   1000 kB\n')).toBe(51_234)
  })
})

describe('parsePssKb', () => {
  it('reads the proportional size, not one of its parts', () => {
    const text = '55d0-7ffd ---p 00000000 00:00 0 [rollup]\nRss:   90000 kB\nPss:   51234 kB\nPss_Anon:  7 kB\n'
    expect(parsePssKb(text)).toBe(51_234)
  })

  it('is not a number for another text', () => {
    expect(parsePssKb('Rss: 1 kB\n')).toBeNaN()
  })
})

describe('splitIntoTrees', () => {
  const pidsOf = (roots: Readonly<Record<string, number>>, processes: readonly ReturnType<typeof stat>[]) =>
    Object.fromEntries(
      Object.entries(splitIntoTrees(roots, processes)).map(([name, members]) => [name, members.map(({ pid }) => pid)]),
    )

  it('has exactly the descendants, in any order of the list', () => {
    const processes = [stat(30, 20, 4), stat(20, 10, 2), stat(10, 1, 1), stat(11, 1, 100)]
    expect(pidsOf({ all: 10 }, processes)).toEqual({ all: [30, 20, 10] })
  })

  it('counts a named process and its descendants under its own name only', () => {
    const processes = [stat(10, 1, 1), stat(20, 10, 2), stat(30, 20, 4), stat(21, 10, 8)]
    expect(pidsOf({ supervisor: 10, edge: 20 }, processes)).toEqual({ supervisor: [10, 21], edge: [20, 30] })
  })

  it('has no process for a root that does not run', () => {
    expect(pidsOf({ gone: 99 }, [stat(10, 1, 1)])).toEqual({ gone: [] })
  })
})

describe('ticksOf', () => {
  it('does not fall when a child ends', () => {
    const before = ticksOf([stat(10, 1, 5)])
    const during = ticksOf([stat(10, 1, 5), stat(20, 10, 3)])
    const after = ticksOf([stat(10, 1, 6, 4)])
    expect([during - before, after - before]).toEqual([3, 5])
  })
})

describe('ticks of the machine', () => {
  const text = 'cpu  99 9 99 900 20 9 9 9 0 0\ncpu0 10 1 5 400 30 2 3 4 0 0\ncpu01 7 7 7 7 7 7 7 7 0 0\nintr 1\n'

  it('counts all time of the core except idle time', () => {
    expect(busyTicksOfCore(text, '0')).toBe(25)
  })

  it('counts all cores, with idle time and with time that another machine had', () => {
    expect(machineTicks(text)).toEqual({ busy: 234, stolen: 9, all: 1_154 })
  })
})
