import { testDeps, testNow } from '../app.fixture.ts'
import type { IdempotencyStore } from '../idempotency/idempotency.ts'
import { createMemoryIdempotencyStore } from '../idempotency/memory-idempotency.ts'
import { aliasesOf, aliasRoute } from '../workspace-settings/alias-route.fixture.ts'
import { defaultSettings, type WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import { claimIdempotency, type RequestClaim } from './idempotent-answer.ts'
import {
  completion,
  parsedRequest,
  question,
  recordingResponse,
  requestWith,
  silentProvider,
} from './request-records.fixture.ts'

const begun: RequestClaim[] = []

afterEach(() => {
  // Stops the timers that renew the leases.
  for (const claim of begun.splice(0)) if (!claim.answered) claim.completionHook.abandoned?.(0)
})

async function claim(
  idempotency: IdempotencyStore,
  headers: Readonly<Record<string, string>>,
  { body = question, settings = defaultSettings }: { body?: object; settings?: WorkspaceSettings } = {},
) {
  const { response, written } = recordingResponse()
  const deps = testDeps(silentProvider, { idempotency })
  const parsed = parsedRequest(body, { settings, httpRequest: requestWith(headers), httpResponse: response })
  const claimed = await claimIdempotency(deps, parsed)
  if (claimed !== null) begun.push(claimed)
  return { claimed, written }
}

function newStore() {
  return createMemoryIdempotencyStore({ now: testNow })
}

const keyed = { 'Idempotency-Key': 'a-key' }
const aliases = aliasesOf(aliasRoute({ name: 'fast-one' }))
const answer = {
  bytes: Buffer.from('{}'),
  servedModel: 'acme/fast',
  provider: 'acme',
  costNano: 0n,
  tokens: 0,
  fromCache: false,
}

describe('claimIdempotency', () => {
  it('is null for a request without a key, and refuses an invalid key', async () => {
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

  it('distinguishes a concurrent retry of the same request from another request under the same key', async () => {
    const store = newStore()
    await claim(store, keyed)
    await expect(claim(store, keyed)).rejects.toMatchObject({ code: 'conflict', headers: { 'retry-after': '1' } })
    const other = { ...question, temperature: 0 }
    await expect(claim(store, keyed, { body: other })).rejects.toMatchObject({ code: 'idempotency_conflict' })
  })

  it('replays an answer with the model, the cost and the headers that were recorded', async () => {
    const store = newStore()
    const aliased = { body: { ...question, model: 'fast-one' }, settings: { ...defaultSettings, aliases } }
    const { claimed: first } = await claim(store, keyed, aliased)
    const bytes = Buffer.from(JSON.stringify(completion))
    const finished = { ...answer, bytes, tokens: 7 }
    if (first?.answered === false) await first.completionHook.beforeCharge?.(finished)
    const { claimed: second, written } = await claim(store, keyed, { ...aliased, settings: defaultSettings })
    expect(second).toMatchObject({ answered: true, billingId: first?.billingId })
    if (second?.answered === true) await second.replay()
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
  /** Replaces `setInterval` with timers that fire when the test calls them. */
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

  it.each(['recorded', 'abandoned'])('is renewed well before it expires, until the answer is %s', async (end) => {
    const { ticks, restore } = heldIntervals()
    try {
      const store = newStore()
      let renewed = 0
      const extend: IdempotencyStore['extend'] = async (claimed) => {
        renewed += 1
        return store.extend(claimed)
      }
      const { claimed } = await claim({ ...store, extend }, keyed)
      expect([...ticks.keys()]).toEqual([{ ms: 10_000 }])
      for (const tick of ticks.values()) tick()
      expect(renewed).toBe(1)
      if (claimed?.answered !== false) throw new Error('not claimed')
      if (end === 'recorded') await claimed.completionHook.beforeCharge?.(answer)
      else claimed.completionHook.abandoned?.(0)
      expect(ticks.size).toBe(0)
    } finally {
      restore()
    }
  })
})
