import { createHeartbeat, type Deadline, withTimeout } from './with-timeout.ts'

function deadline(changes: Partial<Deadline> = {}): Deadline {
  const onLate = (ms: number) => new Error(`late after ${Math.round(ms)}`)
  return { silenceMs: 40, maxMs: 400, pulse: createHeartbeat(), onLate, ...changes }
}

const never = new Promise<never>(() => undefined)

describe('withTimeout', () => {
  it('resolves and rejects as the work does', async () => {
    await expect(withTimeout(Promise.resolve(7), deadline())).resolves.toBe(7)
    await expect(withTimeout(Promise.reject(new Error('no')), deadline())).rejects.toThrow('no')
  })

  it('rejects after the silence when no caller gets an answer', async () => {
    const startedAt = performance.now()
    await expect(withTimeout(never, deadline())).rejects.toThrow('late')
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(39)
  })

  it('waits longer while others are answered, up to the maximum', async () => {
    const pulse = createHeartbeat()
    const others = setInterval(() => pulse.beat(), 5)
    const startedAt = performance.now()
    await expect(withTimeout(never, deadline({ pulse, maxMs: 150 }))).rejects.toThrow('late')
    clearInterval(others)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(149)
  })

  it('accepts an answer that arrived while the process was blocked', async () => {
    const answer = new Promise((resolve) => setTimeout(() => setImmediate(() => resolve('answer')), 15))
    const outcome = withTimeout(answer, deadline())
    const heldUpUntil = performance.now() + 100
    while (performance.now() < heldUpUntil);
    await expect(outcome).resolves.toBe('answer')
  })
})
