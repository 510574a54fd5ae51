import { withDeadline } from './with-deadline.ts'

it('passes an outcome on', async () => {
  await expect(withDeadline(Promise.resolve(7), 1_000)).resolves.toBe(7)
  await expect(withDeadline(Promise.reject(new Error('no')), 1_000)).rejects.toThrow('no')
})

it('gives up at the deadline', async () => {
  const startedAt = performance.now()
  await expect(withDeadline(new Promise(() => undefined), 20)).rejects.toThrow('no answer within 20 ms')
  expect(performance.now() - startedAt).toBeGreaterThan(15)
})

it('takes an answer that came while the process itself was held up', async () => {
  const work = new Promise((resolve) => setTimeout(() => setImmediate(() => resolve('answer')), 15))
  const outcome = withDeadline(work, 20)
  const heldUpUntil = performance.now() + 60
  while (performance.now() < heldUpUntil);
  await expect(outcome).resolves.toBe('answer')
})
