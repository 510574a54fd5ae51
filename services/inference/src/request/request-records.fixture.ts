import type { Identity } from '@ratchet/contracts/identity'
import type { ServedRequest, ServedResponse } from '@ratchet/service-kit/http/served'
import { testDeps, testNow } from '../app.fixture.ts'
import type { InferenceDeps } from '../app.ts'
import { newNotes } from '../outcomes/outcome-notes.ts'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import type { Provider } from '../wire/provider.ts'
import { defaultSettings } from '../workspace-settings/workspace-settings.ts'
import { parseBody } from './parse-body.ts'
import { planCandidates } from './plan-candidates.ts'
import type { ParsedRequest, PlannedRequest } from './request-records.ts'

export const testRequestId = '00000000-0000-7000-8000-000000000001'
export const testWorkspaceId = '00000000-0000-7000-8000-0000000000aa'

/** A provider that the test does not expect to be called. */
export const silentProvider: Provider = {
  dialects: new Set(['chat']),
  start() {
    throw new Error('the provider was called')
  },
}

export const question = { model: 'acme/fast', messages: [{ role: 'user', content: 'Why is the sky blue?' }] }

export const testIdentity: Identity = {
  workspaceId: testWorkspaceId,
  userId: '00000000-0000-7000-8000-0000000000ab',
  role: 'member',
  keyId: '00000000-0000-7000-8000-0000000000ac',
}

type RequestChanges = Partial<Omit<ParsedRequest, 'bytes' | 'scan' | 'body' | 'facts' | 'alias'>>

export function parsedRequest(body: object = question, changes: RequestChanges = {}): ParsedRequest {
  const { surface = chatSurface, settings = defaultSettings } = changes
  const parsed = parseBody(Buffer.from(JSON.stringify(body)))
  const facts = surface.readFacts(parsed.body)
  return {
    httpRequest: requestWith({}),
    httpResponse: { destroyed: false } as ServedResponse,
    startedAt: testNow(),
    requestId: testRequestId,
    identity: testIdentity,
    internalCall: null,
    traceId: null,
    conversationId: null,
    segment: null,
    containsUnlogged: false,
    isStrict: false,
    hints: undefined,
    notes: newNotes(),
    reserveBody: () => undefined,
    reserveAnswer: () => true,
    ...changes,
    ...parsed,
    surface,
    settings,
    facts,
    alias: settings.aliases.get(facts.requestedModel) ?? null,
  }
}

/** A request with the candidates that the catalog and the directory of `deps` give it. */
export function plannedRequest(
  body: object = question,
  changes: RequestChanges = {},
  deps: Pick<InferenceDeps, 'catalog' | 'directory'> = testDeps(silentProvider),
): PlannedRequest {
  const parsed = parsedRequest(body, changes)
  return { ...parsed, billingId: parsed.requestId, isKeyed: false, candidates: planCandidates(deps, parsed) }
}

/** A request with these headers. */
export function requestWith(headers: Readonly<Record<string, string>>): ServedRequest {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { method: 'POST', path: '/v1/x', headers: lower } as unknown as ServedRequest
}

/** A response that records what is written to it. */
export function recordingResponse() {
  const written: { status?: number; headers?: Record<string, unknown>; body?: string } = {}
  const response = {
    writeHead(status: number, headers: Record<string, unknown>) {
      Object.assign(written, { status, headers })
    },
    end(body: string | Buffer) {
      written.body = body.toString()
    },
  } as unknown as ServedResponse
  return { response, written }
}

/** A finished chat completion. */
export const completion = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Rayleigh.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost_usd: 0.000003 },
}
