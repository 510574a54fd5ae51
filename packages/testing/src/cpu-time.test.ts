import { cpuMs, fastestCpuMs, meanCpuMs } from './cpu-time.ts'

function count(steps: number): number {
  let sum = 0
  for (let step = 0; step < steps; step++) sum = (sum * 31 + step) | 0
  return sum
}

it('grows with the work', () => {
  expect(fastestCpuMs(3, () => count(20_000_000))).toBeGreaterThan(2 * fastestCpuMs(3, () => count(2_000_000)))
})

it('does not count the time that the thread waits', () => {
  const lock = new Int32Array(new SharedArrayBuffer(4))
  expect(cpuMs(() => Atomics.wait(lock, 0, 0, 200))).toBeLessThan(100)
})

it('measures work that is much shorter than the resolution of the system', () => {
  const meanMs = meanCpuMs(() => count(10_000))
  expect(meanMs).toBeGreaterThan(0)
  expect(meanMs).toBeLessThan(5)
})
