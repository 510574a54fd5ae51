import type { Identity } from '@ratchet/contracts/identity'
import type { Response } from 'express'
import { testDeps, testNow } from '../app.fixture.ts'
import type { IdempotencyStore } from '../idempotency/idempotency.ts'
import { createMemoryIdempotencyStore } from '../idempotency/memory-idempotency.ts'
import { claimIdempotency, type RequestClaim } from './idempotent-answer.ts'
import {
  candidatesFor,
  completion,
  plannedRequest,
  question,
  recordingResponse,
  requestWith,
  silentProvider,
  testWorkspaceId,
} from './planned-request.fixture.ts'

const identity = { workspaceId: testWorkspaceId, keyId: 'k1' } as Identity
const begun: RequestClaim[] = []

afterEach(() => {
  // Ends the renewing of leases.
  for (const claim of begun.splice(0)) if (!claim.answered) claim.completionHook.abandoned?.(0)
})

async function claim(
  idempotency: IdempotencyStore,
  headers: Readonly<Record<string, string>>,
  { body = question, reported = {} }: { body?: object; reported?: Readonly<Record<string, string>> } = {},
) {
  const planned = plannedRequest(body)
  const { response, written } = recordingResponse()
  const deps = testDeps(silentProvider, { idempotency })
  const http = { request: requestWith(headers), response: response as Response }
  const claimed = await claimIdempotency(deps, { ...http, read: planned, identity, fleet: null, headers: reported })
  if (claimed !== null) begun.push(claimed)
  return { claimed, planned, written }
}

function newStore() {
  return createMemoryIdempotencyStore({ now: testNow })
}

const keyed = { 'Idempotency-Key': 'a-key' }

describe('claimIdempotency', () => {
  it('does nothing for a request without a key, and refuses a key that is none', async () => {
    const store = newStore()
    expect((await claim(store, {})).claimed).toBeNull()
    await expect(claim(store, { 'Idempotency-Key': 'a b' })).rejects.toMatchObject({ param: 'Idempotency-Key' })
    expect(store.size).toBe(0)
  })

  it('bills each attempt under an id of its own', async () => {
    const store = newStore()
    const { claimed: first } = await claim(store, keyed)
    if (first?.answered === false) first.completionHook.abandoned?.(0)
    const { claimed: second } = await claim(store, keyed)
    expect(first?.billingId).toMatch(/^[0-9a-f-]{36}$/)
    expect(second?.billingId).not.toBe(first?.billingId)
  })

  it('says who is in the way: the same request, or another one', async () => {
    const store = newStore()
    await claim(store, keyed)
    await expect(claim(store, keyed)).rejects.toMatchObject({ code: 'conflict', headers: { 'retry-after': '1' } })
    const other = { ...question, temperature: 0 }
    await expect(claim(store, keyed, { body: other })).rejects.toMatchObject({ code: 'idempotency_conflict' })
  })

  it('gives an answer again under its model`s name, with the cost and the headers it had', async () => {
    const store = newStore()
    const { claimed: first, planned } = await claim(store, keyed, { reported: { 'X-Svc-Alias': 'fast-one' } })
    const candidates = candidatesFor(planned)
    const bytes = Buffer.from(JSON.stringify(completion))
    const kept = { bytes, served: candidates[0].request, costNano: 0n, tokens: 7, fromCache: false }
    if (first?.answered === false) await first.completionHook.beforeCharge?.(kept)
    const { claimed: second, written } = await claim(store, keyed)
    expect(second).toMatchObject({ answered: true, billingId: first?.billingId })
    if (second?.answered === true) await second.replay(planned.surface, planned.facts)
    expect(written).toMatchObject({
      status: 200,
      headers: {
        'Idempotent-Replay': 'true',
        'X-Svc-Alias': 'fast-one',
        'X-Svc-Served-Model': 'acme/fast',
        'X-Svc-Cost-Usd': '0.00',
      },
    })
  })
})

describe('the lease of a claim', () => {
  /** Timers that a test sets off by hand. */
  function heldIntervals() {
    const real = { set: globalThis.setInterval, clear: globalThis.clearInterval }
    const ticks = new Map<object, () => void>()
    const set = (tick: () => void, ms: number) => {
      const timer = { ms }
      ticks.set(timer, tick)
      return timer
    }
    globalThis.setInterval = set as unknown as typeof setInterval
    globalThis.clearInterval = ((timer: object) => ticks.delete(timer)) as typeof clearInterval
    const restore = () => Object.assign(globalThis, { setInterval: real.set, clearInterval: real.clear })
    return { ticks, restore }
  }

  it.each(['kept', 'given up'])('is renewed well before it runs out, until the answer is %s', async (end) => {
    const { ticks, restore } = heldIntervals()
    try {
      const store = newStore()
      let renewed = 0
      const extend: IdempotencyStore['extend'] = async (claimed) => {
        renewed += 1
        return store.extend(claimed)
      }
      const { claimed, planned } = await claim({ ...store, extend }, keyed)
      expect([...ticks.keys()]).toEqual([{ ms: 10_000 }])
      for (const tick of ticks.values()) tick()
      expect(renewed).toBe(1)
      const [{ request: served }] = candidatesFor(planned)
      const kept = { bytes: Buffer.from('{}'), served, costNano: 0n, tokens: 0, fromCache: false }
      if (claimed?.answered !== false) throw new Error('not claimed')
      if (end === 'kept') await claimed.completionHook.beforeCharge?.(kept)
      else claimed.completionHook.abandoned?.(0)
      expect(ticks.size).toBe(0)
    } finally {
      restore()
    }
  })
})
