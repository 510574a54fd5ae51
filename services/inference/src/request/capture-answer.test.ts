import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import type { Response } from 'express'
import { testDeps } from '../app.fixture.ts'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { embeddingsSurface } from '../surfaces/embeddings/embeddings-surface.ts'
import { messagesSurface } from '../surfaces/messages/messages-surface.ts'
import { responsesSurface } from '../surfaces/responses/responses-surface.ts'
import type { Surface } from '../surfaces/surface.ts'
import { aliasesOf, aliasRoute } from '../workspace-settings/alias-route.fixture.ts'
import { defaultSettings, type WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import { captureAnswer } from './capture-answer.ts'
import type { FinishedAnswer } from './completion-hooks.ts'
import { completion, plannedRequest, question, requestWith, silentProvider } from './request-records.fixture.ts'

const startedAt = new Date('2026-11-21T12:00:00.000Z')
const now = () => new Date('2026-11-21T12:00:01.500Z')
const logging = { ...defaultSettings, loggingEnabled: true, retentionDays: 7 }
const prompt = { model: 'acme/fast', input: 'Why is the sky blue?' }
const longCompletion = { ...completion, choices: [{ index: 0, message: { content: 'a'.repeat(600_000) } }] }
const embedding = { kind: 'embedding' }
const catalog = catalogOf([modelEntry('acme/fast'), modelEntry('acme/slow'), modelEntry('acme/embed', embedding)])

interface Case {
  readonly body?: object
  readonly settings?: WorkspaceSettings
  readonly headers?: Readonly<Record<string, string>>
  readonly surface?: Surface
  readonly traceId?: string
  readonly destroyed?: boolean
  readonly answer?: Partial<FinishedAnswer>
  /** Index of the candidate that answered. */
  readonly answeredBy?: number
  /** Whether the client disconnects while the answer is charged. */
  readonly leavesLate?: boolean
}

/** Captures one exchange and returns what the log got. */
async function captured({ body = question, settings = logging, headers = {}, ...given }: Case = {}) {
  const { surface, traceId = null, destroyed = false, answer = {}, answeredBy = 0, leavesLate = false } = given
  const added: CapturedExchange[] = []
  let tooLarge = 0
  const capture = { add: (each: CapturedExchange) => void added.push(each), skipTooLarge: () => void tooLarge++ }
  const deps = testDeps(silentProvider, { catalog, now, capture: { ...capture, async stop() {} } })
  const sent: Record<string, string> = {}
  const httpResponse = {
    destroyed,
    headersSent: false,
    setHeader: (name: string, value: string) => void Object.assign(sent, { [name]: value }),
  }
  const http = { httpRequest: requestWith(headers), httpResponse: httpResponse as unknown as Response }
  const ownSurface = surface === undefined ? {} : { surface }
  const planned = plannedRequest(body, { settings, traceId, startedAt, ...http, ...ownSurface }, deps)
  const completionHook = captureAnswer(deps, planned)
  const { id: servedModel, provider } = (planned.candidates[answeredBy] ?? planned.candidates[0]).request.model
  const served = { servedModel, provider }
  const bytes = Buffer.from(JSON.stringify(completion))
  const finished = { bytes, ...served, costNano: 3_000n, tokens: 7, fromCache: false, ...answer }
  const logRow = finished.fromCache ? null : (completionHook?.logRow?.(finished) ?? null)
  httpResponse.destroyed ||= leavesLate
  await completionHook?.afterCharge?.(finished)
  return { exchange: added[0] ?? null, planned, bytes, tooLarge, logRow, logged: sent['X-Svc-Logged'] }
}

describe('captureAnswer', () => {
  it.each<[string, Case]>([
    ['an answer', {}],
    ['an answer whose client disconnects after the charge', { leavesLate: true }],
    ['an answer whose client disconnected before', { destroyed: true }],
    [
      'an answer that is too large',
      { answer: { bytes: Buffer.from(' '.repeat(600_000) + JSON.stringify(completion)) } },
    ],
    ['an answer while logging is off', { settings: defaultSettings }],
  ])('names a row of the log with the charge exactly when the log gets one: %s', async (_name, given) => {
    const { exchange, logRow, planned } = await captured(given)
    const expected = { requestId: planned.requestId, expiresOn: '2026-11-28' }
    expect(logRow).toEqual(exchange === null ? null : expected)
  })

  it('hands over the bytes of request and answer with the facts of the exchange', async () => {
    const labels = { 'X-Svc-User': 'ann', 'X-Svc-Session': 's1', 'X-Svc-Metadata-Plan': 'pro' }
    const headers = { 'X-Svc-Tag': 'nightly', ...labels }
    const { exchange, planned, bytes } = await captured({ headers, traceId: 'run-1' })
    expect(exchange?.request).toBe(planned.bytes)
    expect(exchange?.reply).toEqual(bytes)
    expect(exchange?.meta).toEqual({
      dialect: 'chat',
      requestId: planned.requestId,
      workspaceId: planned.identity.workspaceId,
      keyId: planned.identity.keyId,
      createdAt: '2026-11-21T12:00:00.000Z',
      expiresAt: '2026-11-28T12:00:00.000Z',
      servedModel: 'acme/fast',
      requestedModel: 'acme/fast',
      provider: 'acme',
      alias: null,
      canary: false,
      fallbackFrom: null,
      tag: 'nightly',
      traceId: 'run-1',
      user: 'ann',
      conversationId: 's1',
      metadata: { plan: 'pro' },
      stream: false,
      cached: false,
      costNano: '3000',
      latencyMs: 1_500,
      ttftMs: null,
    })
  })

  it('records when the first byte of a stream was sent', async () => {
    const body = { ...question, stream: true }
    const firstByteAt = new Date('2026-11-21T12:00:00.250Z')
    expect((await captured({ body, answer: { firstByteAt } })).exchange?.meta).toMatchObject({
      stream: true,
      ttftMs: 250,
    })
    expect((await captured({ body })).exchange?.meta).toMatchObject({ ttftMs: 1_500 })
  })

  it('records which alias was named, and whether the request was assigned to its canary', async () => {
    const route = aliasRoute({ canaryModel: 'acme/slow' })
    const metaAt = async (canaryPercent: number) => {
      const settings = { ...logging, aliases: aliasesOf({ ...route, canaryPercent }) }
      return (await captured({ settings, body: { ...question, model: route.name } })).exchange?.meta
    }
    const named = { alias: 'support-bot', requestedModel: 'support-bot', fallbackFrom: null }
    expect(await metaAt(0)).toMatchObject({ ...named, canary: false, servedModel: 'acme/fast' })
    expect(await metaAt(99)).toMatchObject({ ...named, canary: true, servedModel: 'acme/slow' })
    // At 100 percent it is not a canary any more.
    expect(await metaAt(100)).toMatchObject({ ...named, canary: false, servedModel: 'acme/slow' })
  })

  it('records which model a fallback replaced, and that an answer came from the cache', async () => {
    const body = { ...question, models: ['acme/slow'] }
    expect((await captured({ body, answeredBy: 1 })).exchange?.meta).toMatchObject({
      servedModel: 'acme/slow',
      requestedModel: 'acme/fast',
      fallbackFrom: 'acme/fast',
    })
    const cached = { fromCache: true, costNano: 0n }
    expect((await captured({ answer: cached })).exchange?.meta).toMatchObject({ cached: true, costNano: '0' })
  })

  it.each<[string, Case]>([
    ['the workspace logs nothing', { settings: defaultSettings }],
    ['a header of the call turns it off', { headers: { 'X-Svc-Log': 'off' } }],
    ['a header of the call turns it off in capitals', { headers: { 'X-Svc-Log': ' OFF ' } }],
    ['it is a response and the workspace logs none', { surface: responsesSurface, body: prompt }],
    ['it is an embedding', { surface: embeddingsSurface, body: { ...prompt, model: 'acme/embed' } }],
    ['the client left', { destroyed: true }],
  ])('hands nothing over when %s', async (_name, given) => {
    expect((await captured(given)).exchange).toBeNull()
  })

  it.each<[string, Case]>([
    ['chat', {}],
    ['messages', { surface: messagesSurface, body: { ...question, max_tokens: 5 } }],
    ['responses', { surface: responsesSurface, body: prompt, settings: { ...logging, logResponses: true } }],
  ])('hands over %s with their dialect', async (dialect, given) => {
    const { exchange, logged } = await captured(given)
    expect(exchange?.meta.dialect).toBe(dialect)
    expect(logged).toBe('on')
  })

  it.each<[string, Case]>([
    ['off; logging_disabled', { settings: defaultSettings }],
    ['off; requested', { headers: { 'X-Svc-Log': 'off' } }],
    ['off; responses_disabled', { surface: responsesSurface, body: prompt }],
    ['off; endpoint', { surface: embeddingsSurface, body: { ...prompt, model: 'acme/embed' } }],
    ['off; too_large', { body: { ...question, messages: [{ role: 'user', content: 'a'.repeat(600_000) }] } }],
    ['off; too_large', { answer: { bytes: Buffer.from(JSON.stringify(longCompletion)) } }],
  ])('says %s in the answer', async (expected, given) => {
    const { exchange, logged } = await captured(given)
    expect({ exchange, logged }).toEqual({ exchange: null, logged: expected })
  })

  it('cannot be enabled by a request header', async () => {
    expect((await captured({ settings: defaultSettings, headers: { 'X-Svc-Log': 'on' } })).exchange).toBeNull()
    expect((await captured({ headers: { 'X-Svc-Log': 'ON' } })).exchange).not.toBeNull()
  })

  it.each(['false', '0', 'no', 'none', 'off!', ''])('refuses a request whose switch is %j', async (value) => {
    for (const settings of [logging, defaultSettings]) {
      const attempt = captured({ settings, headers: { 'X-Svc-Log': value } })
      await expect(attempt).rejects.toMatchObject({ code: 'invalid_request', param: 'X-Svc-Log' })
    }
  })

  it('measures messages, tools and the message of the answer, and skips more than 512 KB', async () => {
    const asking = (length: number) => ({ ...question, messages: [{ role: 'user', content: 'a'.repeat(length) }] })
    const answering = (length: number, more: object = {}) => {
      const message = { role: 'assistant', content: 'b'.repeat(length) }
      const reply = { ...completion, ...more, choices: [{ index: 0, message, finish_reason: 'stop' }] }
      return { bytes: Buffer.from(JSON.stringify(reply)) }
    }
    const half = 256 * 1024
    const fits = await captured({ body: asking(half), answer: answering(half - 200, { padding: 'c'.repeat(half) }) })
    expect([fits.exchange !== null, fits.tooLarge]).toEqual([true, 0])
    const over = await captured({ body: asking(half), answer: answering(half) })
    expect([over.exchange, over.tooLarge]).toEqual([null, 1])
    const beside = await captured({ body: { ...asking(10), metadata: { note: 'd'.repeat(2 * half) } } })
    expect([beside.exchange !== null, beside.tooLarge]).toEqual([true, 0])
  })
})
