import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { testDeps } from '../app.fixture.ts'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { defaultSettings } from '../workspace-settings/workspace-settings.ts'
import { type RequestCache, requestCache } from './cached-answer.ts'
import type { FinishedAnswer } from './completion-hooks.ts'
import { replayAnswer } from './replay-answer.ts'
import {
  completion,
  plannedRequest,
  question,
  recordingResponse,
  requestWith,
  silentProvider,
} from './request-records.fixture.ts'

const on = { 'X-Svc-Cache': 'on' }
const bytes = Buffer.from(JSON.stringify(completion))

/** One cache that several requests use. */
function cacheFor() {
  const deps = testDeps(silentProvider, { catalog: catalogOf([modelEntry('acme/fast'), modelEntry('acme/slow')]) })
  return (
    body: object = question,
    headers: Readonly<Record<string, string>> = on,
    { responseCache = false, isStrict = false } = {},
  ) => {
    const settings = { ...defaultSettings, responseCache }
    const planned = plannedRequest(body, { settings, isStrict, httpRequest: requestWith(headers) }, deps)
    const cache = requestCache(deps, planned)
    const answer = (index = 0): FinishedAnswer => {
      const model = planned.candidates[index]?.request.model
      if (model === undefined) throw new Error(`no candidate ${index}`)
      return { bytes, servedModel: model.id, provider: model.provider, costNano: 3_000n, tokens: 7, fromCache: false }
    }
    return { cache, answer, leniency: planned.candidates[0].request.leniency }
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
  it('is null unless the request or its workspace enables the cache', () => {
    const ask = cacheFor()
    expect(ask(question, {}).cache).toBeNull()
    expect(ask(question, { 'X-Svc-Cache': 'off' }, { responseCache: true }).cache).toBeNull()
    expect(ask(question, {}, { responseCache: true }).cache).not.toBeNull()
    expect(ask(question, on).cache).not.toBeNull()
  })

  it('refuses an invalid header by its name', () => {
    const ask = cacheFor()
    expect(() => ask(question, { 'X-Svc-Cache': 'maybe' })).toThrow(ServiceError)
    expect(() => ask(question, { ...on, 'X-Svc-Cache-Ttl': '-1' })).toThrow(/X-Svc-Cache-Ttl/)
  })

  it('finds the answer to an equal request, free of charge, and marks it as a hit', async () => {
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

  it('stores neither the answer of a fallback nor an answer from the cache', async () => {
    const ask = cacheFor()
    const { cache, answer } = ask({ ...question, models: ['acme/slow'] })
    await cache?.completionHook.afterCharge?.(answer(1))
    await cache?.completionHook.afterCharge?.({ ...answer(0), fromCache: true })
    expect(await bodyFound(ask().cache)).toBeNull()
    await cache?.completionHook.afterCharge?.(answer(0))
    expect(await bodyFound(ask().cache)).not.toBeNull()
  })

  it('names what was left out of the request again', async () => {
    const ask = cacheFor()
    const { cache, answer, leniency } = ask()
    leniency?.dropped.add('seed').add('user')
    await cache?.completionHook.afterCharge?.(answer())
    expect(await bodyFound(ask().cache)).toMatchObject({ headers: { 'X-Svc-Dropped': 'seed,user' } })
  })

  it('does not answer a strict request from the answer to a lenient one', async () => {
    const ask = cacheFor()
    const { cache, answer } = ask()
    await cache?.completionHook.afterCharge?.(answer())
    expect(await bodyFound(ask(question, on, { isStrict: true }).cache)).toBeNull()
  })

  it('ignores failures', () => {
    expect(cacheFor()().cache?.completionHook.abandoned).toBeUndefined()
  })
})
