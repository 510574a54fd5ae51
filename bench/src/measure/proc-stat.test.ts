import { busyTicksOfCore, parsePeakResidentKb, parseProcStat, ticksOfTree } from './proc-stat.ts'

const line =
  '4711 (postgres: a (b) c) S 100 4711 4711 0 -1 4194560 901 22 0 0 31 12 5 2 20 0 1 0 8675 222 333 18446744073709551615'

describe('parseProcStat', () => {
  it('reads times and parent although the command name holds brackets and spaces', () => {
    expect(parseProcStat(line)).toEqual({ pid: 4711, parent: 100, own: 43, ended: 7 })
  })
})

describe('parsePeakResidentKb', () => {
  it('reads the peak, not the current size', () => {
    expect(parsePeakResidentKb('VmPeak:\t  900 kB\nVmHWM:\t  51234 kB\nVmRSS:\t   1000 kB\n')).toBe(51_234)
  })
})

describe('ticksOfTree', () => {
  const stat = (pid: number, parent: number, own: number, ended = 0) => ({ pid, parent, own, ended })

  it('counts exactly the descendants, in any order of the list', () => {
    const processes = [stat(30, 20, 4), stat(20, 10, 2), stat(10, 1, 1), stat(11, 1, 100)]
    expect(ticksOfTree(10, processes)).toBe(7)
  })

  it('includes the time of a child that has ended', () => {
    const before = ticksOfTree(10, [stat(10, 1, 5)])
    const during = ticksOfTree(10, [stat(10, 1, 5), stat(20, 10, 3)])
    const after = ticksOfTree(10, [stat(10, 1, 6, 4)])
    expect([during - before, after - before]).toEqual([3, 5])
  })
})

describe('busyTicksOfCore', () => {
  const text = 'cpu  99 9 99 999 9 9 9 9 0 0\ncpu0 10 1 5 400 30 2 3 4 0 0\ncpu01 7 7 7 7 7 7 7 7 0 0\nintr 1\n'

  it('counts all time of the core except idle time', () => {
    expect(busyTicksOfCore(text, '0')).toBe(25)
  })
})
