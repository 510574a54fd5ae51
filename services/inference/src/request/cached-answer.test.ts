import { ServiceError } from '@ratchet/service-kit/service-error'
import { testDeps } from '../app.fixture.ts'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { defaultSettings } from '../workspace-settings/workspace-settings.ts'
import { type RequestCache, requestCache } from './cached-answer.ts'
import type { KeptAnswer } from './completion-hooks.ts'
import {
  candidatesFor,
  completion,
  plannedRequest,
  question,
  recordingResponse,
  requestWith,
  silentProvider,
} from './planned-request.fixture.ts'
import { replayAnswer } from './replay-answer.ts'

const on = { 'X-Svc-Cache': 'on' }
const bytes = Buffer.from(JSON.stringify(completion))

/** One cache, asked by several requests. */
function cacheFor() {
  const deps = testDeps(silentProvider, { catalog: catalogOf([modelEntry('acme/fast'), modelEntry('acme/slow')]) })
  return (body: object = question, headers: Readonly<Record<string, string>> = on, responseCache = false) => {
    const planned = plannedRequest(body, { settings: { ...defaultSettings, responseCache } })
    const candidates = candidatesFor(planned, deps)
    const cache = requestCache(deps, { planned, candidates, request: requestWith(headers) })
    const answer = (index = 0): KeptAnswer => {
      const served = candidates[index]?.request
      if (served === undefined) throw new Error(`no candidate ${index}`)
      return { bytes, served, costNano: 3_000n, tokens: 7, fromCache: false }
    }
    return { cache, answer }
  }
}

async function bodyFound(cache: RequestCache | null): Promise<unknown> {
  const replay = (await cache?.find()) ?? null
  if (replay === null) return null
  const { response, written } = recordingResponse()
  replayAnswer(response, replay)
  return { ...written, body: JSON.parse(written.body ?? '') }
}

describe('requestCache', () => {
  it('is none unless the request or its workspace asks for it', () => {
    const ask = cacheFor()
    expect(ask(question, {}).cache).toBeNull()
    expect(ask(question, { 'X-Svc-Cache': 'off' }, true).cache).toBeNull()
    expect(ask(question, {}, true).cache).not.toBeNull()
    expect(ask(question, on).cache).not.toBeNull()
  })

  it('names the header that says nothing', () => {
    const ask = cacheFor()
    expect(() => ask(question, { 'X-Svc-Cache': 'maybe' })).toThrow(ServiceError)
    expect(() => ask(question, { ...on, 'X-Svc-Cache-Ttl': '-1' })).toThrow(/X-Svc-Cache-Ttl/)
  })

  it('finds what an equal request left, for nothing, and says that it is a hit', async () => {
    const ask = cacheFor()
    const first = ask()
    expect(await bodyFound(first.cache)).toBeNull()
    await first.cache?.completionHook.afterCharge?.(first.answer())
    expect(await bodyFound(ask().cache)).toMatchObject({
      status: 200,
      headers: { 'X-Svc-Cache': 'hit', 'X-Svc-Served-Model': 'acme/fast', 'X-Svc-Cost-Usd': '0.00' },
      body: { id: 'c1', usage: { prompt_tokens: 3, cost_usd: 0 } },
    })
  })

  it('keeps neither what a fallback said nor what it gave itself', async () => {
    const ask = cacheFor()
    const { cache, answer } = ask({ ...question, models: ['acme/slow'] })
    await cache?.completionHook.afterCharge?.(answer(1))
    await cache?.completionHook.afterCharge?.({ ...answer(0), fromCache: true })
    expect(await bodyFound(ask().cache)).toBeNull()
    await cache?.completionHook.afterCharge?.(answer(0))
    expect(await bodyFound(ask().cache)).not.toBeNull()
  })

  it('hears nothing of a failure', () => {
    expect(cacheFor()().cache?.completionHook.abandoned).toBeUndefined()
  })
})
