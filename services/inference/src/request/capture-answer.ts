import { type CapturedDialect, type CapturedMeta, capturedDialects } from '@ratchet/contracts/captured-exchange'
import { loggedHeader, type UnloggedReason } from '@ratchet/contracts/logged-state'
import { readSwitch } from '@ratchet/service-kit/http/read-switch'
import type { JsonScan } from '@ratchet/service-kit/json/scan-json'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { asObject } from '@ratchet/service-kit/values/json'
import type { Capture } from '../capture/capture.ts'
import { readObject } from '../wire/chat/read-reply.ts'
import type { Dialect } from '../wire/dialect.ts'
import type { ChosenRoute } from '../workspace-settings/alias-route.ts'
import type { WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import type { AnswerDeps } from './answer-deps.ts'
import { clientMetadataOf } from './client-metadata.ts'
import type { CompletionHook, FinishedAnswer } from './completion-hooks.ts'
import { headerOf, rawHeaderOf } from './header-of.ts'
import type { PlannedRequest } from './request-records.ts'

export interface CaptureDeps extends Pick<AnswerDeps, 'brand' | 'now'> {
  readonly capture: Capture
}

/** Maximum bytes of the messages, tools and answer of a logged exchange together. */
const maxLoggedBytes = 512 * 1024

/**
 * Copies the exchange to the log once its answer is complete and charged, and says in a header of the answer whether it
 * will. Null when it must not be logged.
 *
 * @throws ServiceError `invalid_request` when the request's switch is neither on nor off, or what the client named is too long
 */
export function captureAnswer(deps: CaptureDeps, planned: PlannedRequest): CompletionHook | null {
  const { dialect } = planned.surface
  const named = clientMetadataOf(deps.brand, planned.httpRequest)
  const reason = reasonAgainstLog(deps, planned)
  showLogged(deps, planned, reason)
  if (reason !== null || !isCaptured(dialect)) return null
  const expires = expiresAt(planned)
  let decision: Decision | undefined
  const decideOnce = (answer: FinishedAnswer) => {
    decision ??= decide(planned, answer)
    if (decision === 'too_large') showLogged(deps, planned, 'too_large')
    return decision
  }
  return {
    // Decided with the charge, which names the row: a row that does not arrive later was lost.
    logRow(answer) {
      if (decideOnce(answer) !== 'log') return null
      return { requestId: planned.requestId, expiresOn: expires.slice(0, 'YYYY-MM-DD'.length) }
    },
    async afterCharge(answer) {
      // Answers from the cache are not charged.
      decideOnce(answer)
      if (decision === 'too_large') deps.capture.skipTooLarge()
      if (decision !== 'log') return
      const meta = metaOf(deps, planned, { dialect, named, expires, answer })
      deps.capture.add({ meta, request: planned.bytes, reply: answer.bytes })
    },
  }
}

type Decision = 'log' | 'skip' | 'too_large'

/** Says in the answer whether the exchange is logged, unless its head was sent already. */
export function showLogged(
  { brand }: Pick<CaptureDeps, 'brand'>,
  { httpResponse }: Pick<PlannedRequest, 'httpResponse'>,
  reason: UnloggedReason | null,
): void {
  if (!httpResponse.headersSent) httpResponse.setHeader(brand.headers.logged, loggedHeader(reason))
}

function decide(planned: PlannedRequest, answer: FinishedAnswer): Decision {
  // A client that disconnected before the charge did not get this answer, so the log must not show it as given.
  if (planned.httpResponse.destroyed) return 'skip'
  return isTooLarge(planned, answer.bytes) ? 'too_large' : 'log'
}

function expiresAt({ startedAt, settings }: PlannedRequest): string {
  return new Date(startedAt.getTime() + settings.retentionDays * dayMs).toISOString()
}

function reasonAgainstLog({ brand }: CaptureDeps, planned: PlannedRequest): UnloggedReason | null {
  const { surface, settings, httpRequest, candidates } = planned
  const { log } = brand.headers
  const mayBeLogged = readSwitch(rawHeaderOf(httpRequest, log), log) ?? true
  if (!settings.loggingEnabled) return 'logging_disabled'
  if (!isCaptured(surface.dialect)) return 'endpoint'
  if (candidates.some(({ request }) => request.model.id.startsWith('dedicated/'))) return 'endpoint'
  if (!mayBeLogged) return 'requested'
  if (planned.containsUnlogged) return 'earlier_turn'
  if (surface.dialect === 'responses' && !settings.logResponses) return 'responses_disabled'
  return requestBytes(planned) > maxLoggedBytes ? 'too_large' : null
}

function isCaptured(dialect: Dialect): dialect is CapturedDialect {
  return (capturedDialects as readonly Dialect[]).includes(dialect)
}

/** The answer is parsed only when the sizes alone do not decide. */
function isTooLarge(planned: PlannedRequest, reply: Buffer): boolean {
  const requested = requestBytes(planned)
  if (requested + reply.length <= maxLoggedBytes) return false
  const body = readObject(reply)?.body
  const said = body?.content ?? body?.output ?? firstMessage(body?.choices) ?? null
  return requested + Buffer.byteLength(JSON.stringify(said)) > maxLoggedBytes
}

function firstMessage(choices: unknown): unknown {
  return asObject(Array.isArray(choices) ? choices[0] : null)?.message
}

/** Members that are logged, of all dialects. */
const loggedMembers = ['messages', 'system', 'input', 'instructions', 'tools'] as const

function requestBytes({ scan }: Pick<PlannedRequest, 'scan'>): number {
  return loggedMembers.reduce((bytes, name) => bytes + memberBytes(scan, name), 0)
}

function memberBytes({ topLevel }: JsonScan, key: string): number {
  const span = topLevel.get(key)
  return span === undefined ? 0 : span.end - span.start
}

interface Logged {
  readonly dialect: CapturedDialect
  readonly named: ReturnType<typeof clientMetadataOf>
  /** The time at which the row expires. */
  readonly expires: string
  readonly answer: FinishedAnswer
}

function metaOf(
  { brand, now }: CaptureDeps,
  planned: PlannedRequest,
  { dialect, named, expires, answer }: Logged,
): CapturedMeta {
  const { requestId, identity, facts, settings, startedAt } = planned
  const [{ request, alias }] = planned.candidates
  const { servedModel, provider } = answer
  const at = now()
  const sinceStart = (moment: Date) => Math.max(0, moment.getTime() - startedAt.getTime())
  return {
    dialect,
    requestId,
    workspaceId: identity.workspaceId,
    keyId: identity.keyId,
    createdAt: startedAt.toISOString(),
    expiresAt: expires,
    servedModel,
    requestedModel: facts.requestedModel,
    provider,
    alias: alias?.name ?? null,
    canary: isCanary(alias, settings),
    fallbackFrom: servedModel === request.model.id ? null : request.model.id,
    tag: headerOf(planned.httpRequest, brand.headers.tag),
    traceId: planned.traceId,
    user: named.user,
    conversationId: named.conversationId,
    metadata: named.metadata,
    stream: facts.stream,
    cached: answer.fromCache,
    costNano: String(answer.costNano),
    latencyMs: sinceStart(at),
    ttftMs: facts.stream ? sinceStart(answer.firstByteAt ?? at) : null,
  }
}

/** At 100 percent the canary answers every request, so it is no longer compared with the target. */
function isCanary(alias: ChosenRoute | null, { aliases }: Pick<WorkspaceSettings, 'aliases'>): boolean {
  return alias?.arm === 'canary' && (aliases.get(alias.name)?.canaryPercent ?? 0) < 100
}
