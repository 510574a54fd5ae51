import { createMemoryLedger } from '../ledger/memory-ledger.ts'
import { aliasRoute } from '../workspace-settings/alias-route.fixture.ts'
import { aliasedApp, fails } from './aliased-app.fixture.ts'
import { question } from './request-records.fixture.ts'

const named = { ...question, model: 'support-bot' }
const reported = { 'x-svc-alias': 'support-bot', 'x-svc-served-model': 'acme/fast' }
const on = { 'x-svc-cache': 'on' }
const keyed = { 'idempotency-key': 'a-key' }
const routes = [aliasRoute()]
const toNew = aliasRoute({ targetModel: 'acme/new' })

describe('the answer to a request that named an alias states the alias and the model that answered', () => {
  it.each([
    ['/v1/chat/completions', 'acme/fast', named],
    ['/v1/chat/completions', 'acme/fast', { ...named, stream: true }],
    ['/v1/responses', 'acme/fast', { input: 'Hi' }],
    ['/v1/responses', 'acme/fast', { input: 'Hi', stream: true }],
    ['/v1/messages', 'acme/fast', { ...named, max_tokens: 9 }],
    ['/v1/messages', 'acme/fast', { ...named, max_tokens: 9, stream: true }],
    ['/v1/embeddings', 'acme/embed', { input: 'Hi' }],
    ['/v1/rerank', 'acme/rank', { query: 'tea', documents: ['a'] }],
    ['/v2/rerank', 'acme/rank', { query: 'tea', documents: ['a'] }],
  ])('%s, by %s', async (path, targetModel, body) => {
    const { send, called } = aliasedApp({ routes: [aliasRoute({ targetModel })] })
    const answer = await send({ ...body, model: 'support-bot' }, {}, path)
    expect(answer).toMatchObject({ status: 200, headers: { ...reported, 'x-svc-served-model': targetModel } })
    expect(called).toEqual([targetModel])
  })

  it.each([false, true])('when it comes from the cache, stream %s', async (stream) => {
    const { send, called } = aliasedApp({ routes })
    await send(named, on)
    const hit = await send({ ...named, stream }, on)
    expect(hit).toMatchObject({ status: 200, headers: { ...reported, 'x-svc-cache': 'hit' } })
    expect(called).toEqual(['acme/fast'])
  })

  it.each([false, true])(
    'from the record of its key, after the alias was changed or deleted, stream %s',
    async (stream) => {
      const { send, called, repoint } = aliasedApp({ routes })
      const body = { ...named, stream }
      await send(body, keyed)
      for (const now of [[toNew], []]) {
        repoint(...now)
        const replay = await send(body, keyed)
        expect(replay).toMatchObject({ status: 200, headers: { ...reported, 'idempotent-replay': 'true' } })
      }
      expect(called).toEqual(['acme/fast'])
    },
  )

  it('when a fallback gives it', async () => {
    const { send } = aliasedApp({ routes, scripts: { 'acme/fast': fails } })
    const headers = { ...reported, 'x-svc-served-model': 'acme/new', 'x-svc-fallback-from': 'acme/fast' }
    expect(await send({ ...named, models: ['acme/new'] })).toMatchObject({ status: 200, headers })
  })

  it.each<[string, number, Parameters<typeof aliasedApp>[0], object, Record<string, string>]>([
    ['no model answers', 502, { routes, scripts: { 'acme/fast': fails } }, {}, {}],
    ['the wallet is empty', 402, { routes, changes: { ledger: createMemoryLedger() } }, {}, {}],
    ['its model does not exist', 404, { routes: [aliasRoute({ targetModel: 'acme/none' })] }, {}, {}],
    ['a header is wrong', 400, { routes }, {}, { 'x-svc-cache': 'maybe' }],
    ['the messages are malformed', 400, { routes }, { messages: 'hi' }, {}],
    ['a field has the wrong type', 400, { routes }, { stream: 5 }, {}],
    ['a limit is negative', 400, { routes }, { max_tokens: -1 }, {}],
    ['its tag is too long', 400, { routes }, {}, { 'x-svc-tag': 'a'.repeat(65) }],
    ['its key is malformed', 400, { routes }, {}, { 'idempotency-key': 'a\u00a0key' }],
    [
      'the limits are used up',
      429,
      { routes, settings: { limits: { requestsPerMinute: 0, tokensPerMinute: null } } },
      {},
      {},
    ],
  ])('also when %s (%i)', async (_name, status, given, more, headers) => {
    const answer = await aliasedApp(given).send({ ...named, ...more }, headers)
    expect([answer.status, answer.headers['x-svc-alias']]).toEqual([status, 'support-bot'])
  })

  it('also when its Idempotency-Key was used for another request', async () => {
    const { send } = aliasedApp({ routes })
    await send(named, keyed)
    const answer = await send({ ...named, max_tokens: 9 }, keyed)
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'idempotency_conflict' } } })
    expect(answer.headers['x-svc-alias']).toBe('support-bot')
  })

  it.each([false, true])('also the model that failed, stream %s', async (stream) => {
    const { send } = aliasedApp({ routes, scripts: { 'acme/fast': fails, 'acme/new': fails } })
    const one = await send({ ...named, stream })
    expect(one).toMatchObject({ status: 502, headers: reported })
    const two = await send({ ...named, stream, models: ['acme/new'] })
    const headers = { 'x-svc-served-model': 'acme/new', 'x-svc-fallback-from': 'acme/fast' }
    expect(two).toMatchObject({ status: 502, headers })
  })

  it('and for no other request', async () => {
    const { send } = aliasedApp({ routes })
    for (const body of [question, { ...question, models: ['support-bot'] }]) {
      const answer = await send(body)
      expect([answer.status, answer.headers['x-svc-alias']]).toEqual([200, undefined])
    }
    const unknown = await send({ ...question, model: 'support' })
    expect([unknown.status, unknown.headers['x-svc-alias']]).toEqual([404, undefined])
  })
})

describe('an alias', () => {
  it('routes to its new target from the next request on, and to none once it is deleted', async () => {
    const { send, called, repoint } = aliasedApp({ routes })
    await send(named)
    repoint(toNew)
    expect((await send(named)).headers['x-svc-served-model']).toBe('acme/new')
    repoint()
    expect(await send(named)).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } })
    expect(called).toEqual(['acme/fast', 'acme/new'])
  })

  it('costs what the model that answered costs', async () => {
    const costOf = async (route: typeof toNew, model = route.name) =>
      (await aliasedApp({ routes: [route] }).send({ ...question, model })).headers['x-svc-cost-usd']
    expect(await costOf(aliasRoute())).toBe(await costOf(aliasRoute(), 'acme/fast'))
    expect(await costOf(toNew)).toBe(await costOf(aliasRoute(), 'acme/new'))
    expect(await costOf(toNew)).not.toBe(await costOf(aliasRoute()))
  })

  it('shares the cache with its model, and finds no answer of its former model', async () => {
    const { send, called, repoint } = aliasedApp({ routes })
    await send(question, on)
    expect((await send(named, on)).headers).toMatchObject({ ...reported, 'x-svc-cache': 'hit' })
    repoint(toNew)
    expect((await send(named, on)).headers).toMatchObject({ 'x-svc-served-model': 'acme/new', 'x-svc-cache': 'miss' })
    expect(called).toEqual(['acme/fast', 'acme/new'])
  })
})
