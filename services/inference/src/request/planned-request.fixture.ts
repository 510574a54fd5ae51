import type { ServerResponse } from 'node:http'
import type { Request } from 'express'
import { testDeps } from '../app.fixture.ts'
import type { InferenceDeps } from '../app.ts'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import type { Surface } from '../surfaces/surface.ts'
import type { Provider } from '../wire/provider.ts'
import { defaultSettings } from '../workspace-settings/workspace-settings.ts'
import { type Candidates, type PlannedRequest, planCandidates } from './plan-candidates.ts'
import { readRequest } from './read-request.ts'

export const testRequestId = '00000000-0000-7000-8000-000000000001'
export const testWorkspaceId = '00000000-0000-7000-8000-0000000000aa'

/** A provider that is never to be asked. */
export const silentProvider: Provider = {
  dialects: new Set(['chat']),
  start() {
    throw new Error('nobody was to be called')
  },
}

export const question = { model: 'acme/fast', messages: [{ role: 'user', content: 'Why is the sky blue?' }] }

/** A request as it is once it was understood. */
export function plannedRequest(
  body: object = question,
  changes: Partial<Pick<PlannedRequest, 'settings' | 'requestId' | 'workspaceId' | 'fleet' | 'traceId'>> & {
    surface?: Surface
  } = {},
): PlannedRequest {
  const { surface = chatSurface } = changes
  const read = readRequest(Buffer.from(JSON.stringify(body)))
  const facts = surface.readFacts(read.body)
  return {
    requestId: testRequestId,
    billingId: testRequestId,
    workspaceId: testWorkspaceId,
    settings: defaultSettings,
    fleet: null,
    traceId: null,
    ...changes,
    ...read,
    surface,
    facts,
  }
}

/** Who may answer it, by the models of the test's catalog. */
export function candidatesFor(
  planned: PlannedRequest,
  deps: Pick<InferenceDeps, 'catalog' | 'directory'> = testDeps(silentProvider),
): Candidates {
  return planCandidates(deps, planned)
}

/** What the gateway reads of a request by its headers. */
export function requestWith(headers: Readonly<Record<string, string>>): Request {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { method: 'POST', path: '/v1/x', get: (name: string) => lower.get(name.toLowerCase()) } as Request
}

/** A response that remembers what was written. */
export function recordingResponse() {
  const written: { status?: number; headers?: Record<string, unknown>; body?: string } = {}
  const response = {
    writeHead(status: number, headers: Record<string, unknown>) {
      Object.assign(written, { status, headers })
    },
    end(body: string | Buffer) {
      written.body = body.toString()
    },
  } as unknown as ServerResponse
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
