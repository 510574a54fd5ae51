import { randomUUID } from 'node:crypto'
import type { AbuseGuardStore } from './abuse-guard-store.ts'

export interface AbuseGuardSubject {
  readonly store: AbuseGuardStore
  /** Advances the store's time. */
  pass(seconds: number): Promise<void>
  /** Number of calls that the store still has for a workspace. */
  held(workspaceId: string): Promise<number>
  /** Gives a workspace a limit of its own. */
  allow(workspaceId: string, calls: number): Promise<void>
}

const limit = { calls: 3, windowSeconds: 60 }

/** The behaviour of every abuse guard. */
export function abuseGuardContract(subject: () => AbuseGuardSubject): void {
  it('admits calls up to the limit of the window, and returns when the next one is possible', async () => {
    const { store } = subject()
    const workspaceId = randomUUID()
    for (let i = 0; i < 3; i++) expect(await store.admit(workspaceId, limit)).toEqual({ kind: 'admitted' })
    const refused = await store.admit(workspaceId, limit)
    expect(refused).toEqual({ kind: 'refused', calls: 3, retryAfterSeconds: expect.any(Number) })
    const { retryAfterSeconds } = refused as { retryAfterSeconds: number }
    expect(retryAfterSeconds).toBeGreaterThan(55)
    expect(retryAfterSeconds).toBeLessThanOrEqual(60)
  })

  it('counts each workspace separately', async () => {
    const { store } = subject()
    for (let i = 0; i < 5; i++) expect(await store.admit(randomUUID(), limit)).toEqual({ kind: 'admitted' })
  })

  it('admits as many calls as the limit of a workspace of its own allows, and no more for others', async () => {
    const { store, allow } = subject()
    const [raised, lowered, other] = [randomUUID(), randomUUID(), randomUUID()]
    await allow(raised, 5)
    await allow(lowered, 1)
    const admitted = async (workspaceId: string) => {
      const kinds: string[] = []
      for (let i = 0; i < 7; i++) kinds.push((await store.admit(workspaceId, limit)).kind)
      return kinds.filter((kind) => kind === 'admitted').length
    }
    expect([await admitted(raised), await admitted(lowered), await admitted(other)]).toEqual([5, 1, 3])
    expect(await store.admit(raised, limit)).toMatchObject({ kind: 'refused', calls: 5 })
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
