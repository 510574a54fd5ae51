import type { CapturedMeta } from '@ratchet/contracts/captured-exchange'
import type { Identity } from '@ratchet/contracts/identity'
import type { Request, Response } from 'express'
import type { Capture } from '../capture/capture.ts'
import { largestLogged, loggedRequestBytes } from '../capture/logged-size.ts'
import { asObject } from '../wire/chat/chat-chunk.ts'
import { readObject } from '../wire/chat/read-reply.ts'
import type { ChosenArm } from '../workspace-settings/alias-route.ts'
import type { WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import type { CompletionHook, KeptAnswer } from './completion-hooks.ts'
import type { AnswerDeps } from './exchange.ts'
import { headerOf } from './header-of.ts'
import type { Candidates, PlannedRequest } from './plan-candidates.ts'

export interface CaptureDeps extends Pick<AnswerDeps, 'brand' | 'now'> {
  readonly capture: Capture
}

export interface CaptureQuestion {
  /** As the client asked. */
  readonly asked: PlannedRequest
  readonly identity: Identity
  readonly candidates: Candidates
  readonly http: { readonly request: Request; readonly response: Response }
  /** When the request came. */
  readonly startedAt: Date
}

const dayMs = 86_400_000

/**
 * Hands the exchange to the log once it is whole and charged; null when it is not to be logged: what is no chat
 * completion, and what the workspace or the call does not want logged.
 */
export function captureAnswer(deps: CaptureDeps, question: CaptureQuestion): CompletionHook | null {
  if (!isLogged(deps, question)) return null
  const { asked, http } = question
  return {
    async afterCharge(answer) {
      // Whoever left did not get it.
      if (http.response.destroyed) return
      if (isTooLarge(asked, answer.bytes)) return deps.capture.skipTooLarge()
      deps.capture.add({ meta: metaOf(deps, question, answer), request: asked.bytes, reply: answer.bytes })
    },
  }
}

function isLogged({ brand }: CaptureDeps, { asked, candidates, http }: CaptureQuestion): boolean {
  if (asked.surface.dialect !== 'chat' || !asked.settings.loggingEnabled) return false
  if (http.request.get(brand.headers.log) === 'off') return false
  return !candidates.some(({ request }) => request.model.id.startsWith('dedicated/'))
}

/** The answer's message is read out of it only where that can matter. */
function isTooLarge(asked: PlannedRequest, reply: Buffer): boolean {
  const requestBytes = loggedRequestBytes(asked)
  if (requestBytes + reply.length <= largestLogged) return false
  if (requestBytes > largestLogged) return true
  const choices = readObject(reply)?.body.choices
  const message = asObject(Array.isArray(choices) ? choices[0] : null)?.message ?? null
  return requestBytes + Buffer.byteLength(JSON.stringify(message)) > largestLogged
}

function metaOf({ brand, now }: CaptureDeps, question: CaptureQuestion, answer: KeptAnswer): CapturedMeta {
  const { asked, identity, candidates, http, startedAt } = question
  const { requestId, workspaceId, facts, settings } = asked
  const [{ request: requested, alias }] = candidates
  const { model } = answer.served
  const at = now()
  const sinceStart = (moment: Date) => Math.max(0, moment.getTime() - startedAt.getTime())
  return {
    requestId,
    workspaceId,
    keyId: identity.keyId,
    createdAt: startedAt.toISOString(),
    expiresAt: new Date(startedAt.getTime() + settings.retentionDays * dayMs).toISOString(),
    servedModel: model.id,
    requestedModel: facts.models[0] ?? requested.model.id,
    provider: model.provider,
    alias: alias?.name ?? null,
    canary: isCanary(alias, settings),
    fallbackFrom: model.id === requested.model.id ? null : requested.model.id,
    tag: headerOf(http.request, brand.headers.tag),
    traceId: asked.traceId,
    stream: facts.stream,
    cached: answer.fromCache,
    costNano: String(answer.costNano),
    latencyMs: sinceStart(at),
    ttftMs: facts.stream ? sinceStart(answer.firstByteAt ?? at) : null,
  }
}

/** What all requests go to is no canary any more. */
function isCanary(alias: ChosenArm | null, { aliases }: Pick<WorkspaceSettings, 'aliases'>): boolean {
  return alias?.arm === 'canary' && (aliases.get(alias.name)?.canaryPercent ?? 0) < 100
}
