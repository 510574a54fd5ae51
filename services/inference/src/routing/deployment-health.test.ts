import { createDeploymentHealth } from './deployment-health.ts'

function watched(concurrencyMax = 10) {
  const clock = { ms: 0 }
  const ejections: number[] = []
  const health = createDeploymentHealth({
    concurrencyMax,
    clockMs: () => clock.ms,
    random: () => 0.5,
    onEjected: (forMs) => ejections.push(forMs),
  })
  const call = (outcome: 'succeeded' | 'failed' | 'neither', times = 1) => {
    for (let i = 0; i < times; i += 1) {
      health.tryEnter()
      health.leave(outcome)
    }
  }
  return { health, clock, ejections, call }
}

describe('createDeploymentHealth', () => {
  it('ejects after five consecutive failures, not after five failures', () => {
    const { health, call } = watched()
    call('failed', 4)
    call('succeeded')
    call('failed', 4)
    expect(health.isEjected()).toBe(false)
    call('failed')
    expect(health.isEjected()).toBe(true)
  })

  it('ignores throttling and refusals', () => {
    const { health, call } = watched()
    call('failed', 4)
    call('neither', 50)
    expect(health.isEjected()).toBe(false)
    call('failed')
    expect(health.isEjected()).toBe(true)
  })

  it('returns after 30 s with jitter, and is ejected for longer at its next failure', () => {
    const { health, clock, ejections, call } = watched()
    call('failed', 5)
    expect(ejections).toEqual([33_000])
    clock.ms = 33_000
    expect(health.isEjected()).toBe(false)
    call('failed')
    expect(health.isEjected()).toBe(true)
    expect(ejections).toEqual([33_000, 66_000])
  })

  it('is never ejected for longer than five minutes and the jitter', () => {
    const { clock, ejections, call } = watched()
    for (let i = 0; i < 20; i += 1) {
      call('failed', 5)
      clock.ms += 400_000
    }
    expect(Math.max(...ejections)).toBe(330_000)
  })

  it('starts anew after a success', () => {
    const { health, clock, ejections, call } = watched()
    call('failed', 5)
    clock.ms = 40_000
    call('succeeded')
    call('failed', 4)
    expect(health.isEjected()).toBe(false)
    call('failed')
    expect(ejections).toEqual([33_000, 33_000])
  })

  it('never exceeds its maximum number of calls in flight', () => {
    const { health } = watched(2)
    expect([health.tryEnter(), health.tryEnter(), health.tryEnter()]).toEqual([true, true, false])
    health.leave('neither')
    expect(health.tryEnter()).toBe(true)
  })
})
