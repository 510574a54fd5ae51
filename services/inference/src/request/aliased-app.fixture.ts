import { randomBytes } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import supertest from 'supertest'
import { testDeps, testNow } from '../app.fixture.ts'
import { createApp, type InferenceDeps } from '../app.ts'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { createMemoryLedger } from '../ledger/memory-ledger.ts'
import { createArmCounts } from '../routing/count-arms.ts'
import { readObject } from '../wire/chat/read-reply.ts'
import { messagesOverChat } from '../wire/messages/messages-over-chat.ts'
import type { Provider, ProviderListener, ProviderRequest } from '../wire/provider.ts'
import { responsesOverChat } from '../wire/responses/responses-over-chat.ts'
import { noUsage } from '../wire/usage.ts'
import { withTranslations } from '../wire/with-translations.ts'
import { aliasesOf } from '../workspace-settings/alias-route.fixture.ts'
import type { AliasRoute } from '../workspace-settings/alias-route.ts'
import { defaultSettings, type WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import { completion, testWorkspaceId } from './request-records.fixture.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }

/** What the model does with a request, by calling the listener. */
export type Script = (listener: ProviderListener, request: ProviderRequest) => void

export interface AliasedApp {
  readonly routes: readonly AliasRoute[]
  /** Scripts by model id. A model without a script answers at once. */
  readonly scripts?: Readonly<Record<string, Script>>
  readonly settings?: Partial<WorkspaceSettings>
  readonly changes?: Partial<InferenceDeps>
}

const rerank = { kind: 'rerank', max_output_tokens: 0, input_per_mtok: '0', cached_input_per_mtok: null }
const catalog = catalogOf([
  modelEntry('acme/fast'),
  modelEntry('acme/new', { output_per_mtok: '6.00' }),
  modelEntry('acme/embed', { kind: 'embedding' }),
  modelEntry('acme/rank', { ...rerank, per_request: '0.001' }),
])

/** The inference app for a workspace with aliases. Its models answer at once in every dialect. */
export function aliasedApp({ routes, scripts = {}, settings = {}, changes = {} }: AliasedApp) {
  const ledger = createMemoryLedger()
  ledger.topUp(testWorkspaceId, 1_000_000_000n)
  const called: string[] = []
  const provider: Provider = {
    dialects: new Set(['chat', 'embeddings', 'rerank']),
    start(request, listener) {
      called.push(request.model.id)
      setImmediate(() => (scripts[request.model.id] ?? answers)(listener, request))
      const abort = () => listener.onFailure({ kind: 'aborted', message: 'stopped', retryAfterMs: null })
      return { abort, pause() {}, resume() {} }
    },
  }
  const state = { settings: { ...defaultSettings, aliases: aliasesOf(...routes), ...settings } }
  const arms = createArmCounts()
  const app = createApp(
    testDeps(withTranslations(provider, [messagesOverChat, responsesOverChat]), {
      catalog,
      ledger,
      identityKeys: [key],
      settings: { of: () => state.settings },
      arms,
      ...changes,
    }),
  )
  return {
    app,
    arms,
    called,
    ledger,
    repoint: (...now: AliasRoute[]) => {
      state.settings = { ...state.settings, aliases: aliasesOf(...now) }
    },
    send: (body: object, headers: Readonly<Record<string, string>> = {}, path = '/v1/chat/completions') =>
      supertest(app)
        .post(path)
        .set({ ...signed(path), ...headers })
        .send(body),
  }
}

let requests = 0

/** The headers that the edge sets, with a new request id for each call. */
export function signed(path: string): Record<string, string> {
  requests += 1
  const requestId = `00000000-0000-7000-8000-${String(requests).padStart(12, '0')}`
  const caller = { workspaceId: testWorkspaceId, userId: testWorkspaceId, role: 'member' as const }
  const bound = { audience: 'inference', requestId, method: 'POST', path }
  const identity = signIdentity(key, bound, { ...caller, keyId: testWorkspaceId }, testNow().getTime())
  return { [requestIdHeader]: requestId, [identityHeader]: identity }
}

const bodies: Partial<Record<ProviderRequest['dialect'], object>> = {
  chat: completion,
  embeddings: { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.5] }], model: 'm' },
  rerank: { results: [{ index: 0, relevance_score: 0.5 }] },
}

/** A complete answer, as a stream when the request asks for one. */
export const answers: Script = (listener, { dialect, stream }) => {
  if (stream) return streams(listener)
  const bytes = Buffer.from(JSON.stringify(bodies[dialect]))
  const read = readObject(bytes)
  if (read === null) throw new Error('unreadable')
  const usage = { ...noUsage, promptTokens: 3, completionTokens: 4 }
  listener.onReply({ bytes, scan: read.scan, usage, pieces: [] })
}

const frame = (choices: object[], more = {}) =>
  Buffer.from(`data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', choices, ...more })}\n\n`)

export const firstWord = frame([{ index: 0, delta: { role: 'assistant', content: 'Ray' } }])

function streams(listener: ProviderListener): void {
  const end = frame([{ index: 0, delta: { content: 'leigh.' }, finish_reason: 'stop' }])
  const usage = frame([], { usage: { prompt_tokens: 3, completion_tokens: 4 } })
  listener.onStreamData(Buffer.concat([firstWord, end, usage, Buffer.from('data: [DONE]\n\n')]))
  listener.onStreamEnd()
}

export const fails: Script = (listener) =>
  listener.onFailure({ kind: 'misconfigured', message: 'no', retryAfterMs: null })
