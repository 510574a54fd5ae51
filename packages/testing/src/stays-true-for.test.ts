import { staysTrueFor } from './stays-true-for.ts'

it('repeats the check until the time is over', async () => {
  let checks = 0
  const startedAt = performance.now()
  const probe = () => {
    checks += 1
  }
  await staysTrueFor(60, probe, { everyMs: 5 })
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(59)
  expect(checks).toBeGreaterThan(1)
})

it.each<[string, () => unknown]>([
  ['the probe answered false', () => false],
  ['the probe answered null', async () => null],
  ['not any more', () => Promise.reject(new Error('not any more'))],
])('fails at once with the reason: %s', async (why, fails) => {
  let checks = 0
  const startedAt = performance.now()
  const probe = () => {
    checks += 1
    return checks < 3 ? true : fails()
  }
  const checking = staysTrueFor(20_000, probe, { everyMs: 1 })
  await expect(checking).rejects.toThrow(why)
  expect(checks).toBe(3)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})

it('treats undefined, which a passing expect returns, as true', async () => {
  await staysTrueFor(5, () => expect(1).toBe(1))
})
