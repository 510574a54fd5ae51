import type { CapturedMeta } from '@ratchet/contracts/captured-exchange'
import { readSwitch } from '@ratchet/service-kit/http/read-switch'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { asObject } from '@ratchet/service-kit/values/json'
import type { Capture } from '../capture/capture.ts'
import { readObject } from '../wire/chat/read-reply.ts'
import type { JsonScan } from '../wire/json/scan-json.ts'
import type { ChosenArm } from '../workspace-settings/alias-route.ts'
import type { WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import type { AnswerDeps } from './answer-deps.ts'
import type { CompletionHook, FinishedAnswer } from './completion-hooks.ts'
import { headerOf, rawHeaderOf } from './header-of.ts'
import type { PlannedRequest } from './request-records.ts'

export interface CaptureDeps extends Pick<AnswerDeps, 'brand' | 'now'> {
  readonly capture: Capture
}

/** Maximum bytes of the messages, tools and answer of a logged exchange together. */
const maxLoggedBytes = 512 * 1024

/**
 * Copies the exchange to the log once its answer is complete and charged. Null when it must not be logged: only chat
 * completions are, and only if the workspace and the request allow it.
 *
 * @throws ServiceError `invalid_request` when the request's switch is neither on nor off
 */
export function captureAnswer(deps: CaptureDeps, planned: PlannedRequest): CompletionHook | null {
  if (!isLogged(deps, planned)) return null
  let decision: 'log' | 'skip' | 'too_large' | undefined
  return {
    // Decided with the charge, which names the row: a row that does not arrive later was lost.
    logRow(answer) {
      decision = decide(planned, answer)
      if (decision !== 'log') return null
      return { requestId: planned.requestId, expiresOn: expiresAt(planned).slice(0, 'YYYY-MM-DD'.length) }
    },
    async afterCharge(answer) {
      // Answers from the cache are not charged.
      decision ??= decide(planned, answer)
      if (decision === 'too_large') deps.capture.skipTooLarge()
      if (decision !== 'log') return
      deps.capture.add({ meta: metaOf(deps, planned, answer), request: planned.bytes, reply: answer.bytes })
    },
  }
}

function decide(planned: PlannedRequest, answer: FinishedAnswer): 'log' | 'skip' | 'too_large' {
  // A client that disconnected before the charge did not get this answer, so the log must not show it as given.
  if (planned.httpResponse.destroyed) return 'skip'
  return isTooLarge(planned, answer.bytes) ? 'too_large' : 'log'
}

function expiresAt({ startedAt, settings }: PlannedRequest): string {
  return new Date(startedAt.getTime() + settings.retentionDays * dayMs).toISOString()
}

function isLogged({ brand }: CaptureDeps, { surface, settings, httpRequest, candidates }: PlannedRequest): boolean {
  const { log } = brand.headers
  const mayBeLogged = readSwitch(rawHeaderOf(httpRequest, log), log) ?? true
  if (!mayBeLogged || surface.dialect !== 'chat' || !settings.loggingEnabled) return false
  return !candidates.some(({ request }) => request.model.id.startsWith('dedicated/'))
}

/** The message is parsed out of the answer only when the sizes alone do not decide. */
function isTooLarge(planned: PlannedRequest, reply: Buffer): boolean {
  const requestBytes = memberBytes(planned.scan, 'messages') + memberBytes(planned.scan, 'tools')
  if (requestBytes + reply.length <= maxLoggedBytes) return false
  if (requestBytes > maxLoggedBytes) return true
  const choices = readObject(reply)?.body.choices
  const message = asObject(Array.isArray(choices) ? choices[0] : null)?.message ?? null
  return requestBytes + Buffer.byteLength(JSON.stringify(message)) > maxLoggedBytes
}

function memberBytes({ topLevel }: JsonScan, key: string): number {
  const span = topLevel.get(key)
  return span === undefined ? 0 : span.end - span.start
}

function metaOf({ brand, now }: CaptureDeps, planned: PlannedRequest, answer: FinishedAnswer): CapturedMeta {
  const { requestId, identity, facts, settings, startedAt } = planned
  const [{ request, alias }] = planned.candidates
  const { servedModel, provider } = answer
  const at = now()
  const sinceStart = (moment: Date) => Math.max(0, moment.getTime() - startedAt.getTime())
  return {
    requestId,
    workspaceId: identity.workspaceId,
    keyId: identity.keyId,
    createdAt: startedAt.toISOString(),
    expiresAt: expiresAt(planned),
    servedModel,
    requestedModel: facts.requestedModel,
    provider,
    alias: alias?.name ?? null,
    canary: isCanary(alias, settings),
    fallbackFrom: servedModel === request.model.id ? null : request.model.id,
    tag: headerOf(planned.httpRequest, brand.headers.tag),
    traceId: planned.traceId,
    stream: facts.stream,
    cached: answer.fromCache,
    costNano: String(answer.costNano),
    latencyMs: sinceStart(at),
    ttftMs: facts.stream ? sinceStart(answer.firstByteAt ?? at) : null,
  }
}

/** At 100 percent the canary answers every request, so it is no longer compared with the target. */
function isCanary(alias: ChosenArm | null, { aliases }: Pick<WorkspaceSettings, 'aliases'>): boolean {
  return alias?.arm === 'canary' && (aliases.get(alias.name)?.canaryPercent ?? 0) < 100
}
