import { randomUUID } from 'node:crypto'
import type { AbuseGuardStore } from './abuse-guard-store.ts'

export interface AbuseGuardSubject {
  readonly store: AbuseGuardStore
  /** Advances the store's time. */
  pass(seconds: number): Promise<void>
  /** Number of calls that the store still has for a workspace. */
  held(workspaceId: string): Promise<number>
}

const limit = { calls: 3, windowSeconds: 60 }

/** The behaviour of every abuse guard. */
export function abuseGuardContract(subject: () => AbuseGuardSubject): void {
  it('admits calls up to the limit of the window, and returns when the next one is possible', async () => {
    const { store } = subject()
    const workspaceId = randomUUID()
    for (let i = 0; i < 3; i++) expect(await store.admit(workspaceId, limit)).toEqual({ kind: 'admitted' })
    const refused = await store.admit(workspaceId, limit)
    expect(refused).toEqual({ kind: 'refused', retryAfterSeconds: expect.any(Number) })
    const { retryAfterSeconds } = refused as { retryAfterSeconds: number }
    expect(retryAfterSeconds).toBeGreaterThan(55)
    expect(retryAfterSeconds).toBeLessThanOrEqual(60)
  })

  it('counts each workspace separately', async () => {
    const { store } = subject()
    for (let i = 0; i < 5; i++) expect(await store.admit(randomUUID(), limit)).toEqual({ kind: 'admitted' })
  })

  it('frees each call when the window has passed it, and does not count refused calls', async () => {
    const { store, pass } = subject()
    const workspaceId = randomUUID()
    await store.admit(workspaceId, limit)
    await pass(30)
    await store.admit(workspaceId, limit)
    await store.admit(workspaceId, limit)
    const refused = await store.admit(workspaceId, limit)
    expect(refused).toMatchObject({ kind: 'refused' })
    expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeLessThanOrEqual(30)
    await pass(31)
    expect(await store.admit(workspaceId, limit)).toEqual({ kind: 'admitted' })
    expect(await store.admit(workspaceId, limit)).toMatchObject({ kind: 'refused' })
  })

  it('deletes calls that are older than the window', async () => {
    const { store, pass, held } = subject()
    const [used, idle] = [randomUUID(), randomUUID()]
    for (const workspaceId of [used, used, idle]) await store.admit(workspaceId, limit)
    await pass(61)
    await store.admit(used, limit)
    expect(await held(used)).toBe(1)
    await store.prune(limit.windowSeconds)
    expect(await held(idle)).toBe(0)
    expect(await held(used)).toBe(1)
  })
}
