import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import type { Response } from 'express'
import { testDeps } from '../app.fixture.ts'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { messagesSurface } from '../surfaces/messages/messages-surface.ts'
import type { Surface } from '../surfaces/surface.ts'
import { aliasesOf, aliasRoute } from '../workspace-settings/alias-route.fixture.ts'
import { defaultSettings, type WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import { captureAnswer } from './capture-answer.ts'
import type { KeptAnswer } from './completion-hooks.ts'
import {
  candidatesFor,
  completion,
  plannedRequest,
  question,
  requestWith,
  silentProvider,
} from './planned-request.fixture.ts'

const startedAt = new Date('2026-11-21T12:00:00.000Z')
const now = () => new Date('2026-11-21T12:00:01.500Z')
const identity = {
  workspaceId: '00000000-0000-7000-8000-0000000000aa',
  userId: '00000000-0000-7000-8000-0000000000ab',
  role: 'member' as const,
  keyId: '00000000-0000-7000-8000-0000000000ac',
}
const logging = { ...defaultSettings, loggingEnabled: true, retentionDays: 7 }
const catalog = catalogOf([modelEntry('acme/fast'), modelEntry('acme/slow')])

interface Case {
  readonly body?: object
  readonly settings?: WorkspaceSettings
  readonly headers?: Readonly<Record<string, string>>
  readonly surface?: Surface
  readonly traceId?: string
  readonly destroyed?: boolean
  readonly answer?: Partial<KeptAnswer>
  /** Which of the models answered. */
  readonly answeredBy?: number
}

/** What one exchange hands over to the log. */
async function captured({ body = question, settings = logging, headers = {}, ...given }: Case = {}) {
  const { surface, traceId = null, destroyed = false, answer = {}, answeredBy = 0 } = given
  const added: CapturedExchange[] = []
  let tooLarge = 0
  const capture = { add: (each: CapturedExchange) => void added.push(each), skipTooLarge: () => void tooLarge++ }
  const deps = testDeps(silentProvider, { catalog, now, capture: { ...capture, async stop() {} } })
  const asked = plannedRequest(body, { settings, traceId, ...(surface === undefined ? {} : { surface }) })
  const candidates = candidatesFor(asked, deps)
  const http = { request: requestWith(headers), response: { destroyed } as Response }
  const completionHook = captureAnswer(deps, { asked, identity, candidates, http, startedAt })
  const served = candidates[answeredBy]?.request ?? candidates[0].request
  const bytes = Buffer.from(JSON.stringify(completion))
  await completionHook?.afterCharge?.({ bytes, served, costNano: 3_000n, tokens: 7, fromCache: false, ...answer })
  return { exchange: added[0] ?? null, asked, bytes, tooLarge }
}

describe('captureAnswer', () => {
  it("hands over both sides' own bytes, and what is known of the exchange", async () => {
    const headers = { 'X-Svc-Tag': 'nightly' }
    const { exchange, asked, bytes } = await captured({ headers, traceId: 'run-1' })
    expect(exchange?.request).toBe(asked.bytes)
    expect(exchange?.reply).toEqual(bytes)
    expect(exchange?.meta).toEqual({
      requestId: asked.requestId,
      workspaceId: asked.workspaceId,
      keyId: identity.keyId,
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
      stream: false,
      cached: false,
      costNano: '3000',
      latencyMs: 1_500,
      ttftMs: null,
    })
  })

  it('knows when the first byte of a stream left', async () => {
    const body = { ...question, stream: true }
    const firstByteAt = new Date('2026-11-21T12:00:00.250Z')
    expect((await captured({ body, answer: { firstByteAt } })).exchange?.meta).toMatchObject({
      stream: true,
      ttftMs: 250,
    })
    expect((await captured({ body })).exchange?.meta).toMatchObject({ ttftMs: 1_500 })
  })

  it('says which alias was named, and whether the request fell to its canary', async () => {
    const route = aliasRoute({ canaryModel: 'acme/slow' })
    const metaAt = async (canaryPercent: number) => {
      const settings = { ...logging, aliases: aliasesOf({ ...route, canaryPercent }) }
      return (await captured({ settings, body: { ...question, model: route.name } })).exchange?.meta
    }
    const named = { alias: 'support-bot', requestedModel: 'support-bot', fallbackFrom: null }
    expect(await metaAt(0)).toMatchObject({ ...named, canary: false, servedModel: 'acme/fast' })
    expect(await metaAt(99)).toMatchObject({ ...named, canary: true, servedModel: 'acme/slow' })
    // All requests go there: it is no canary any more.
    expect(await metaAt(100)).toMatchObject({ ...named, canary: false, servedModel: 'acme/slow' })
  })

  it('says whose place a fallback took, and that an answer came from the cache', async () => {
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
    ['the call wants it so', { headers: { 'X-Svc-Log': 'off' } }],
    ['it is no chat completion', { surface: messagesSurface, body: { ...question, max_tokens: 5 } }],
    ['the client left', { destroyed: true }],
  ])('hands nothing over when %s', async (_name, given) => {
    expect((await captured(given)).exchange).toBeNull()
  })

  it('cannot be switched on by a call, nor off by anything but `off`', async () => {
    expect((await captured({ settings: defaultSettings, headers: { 'X-Svc-Log': 'on' } })).exchange).toBeNull()
    expect((await captured({ headers: { 'X-Svc-Log': 'OFF!' } })).exchange).not.toBeNull()
  })

  it('measures messages, tools and the answer’s message, and skips what has more than 512 KB', async () => {
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
