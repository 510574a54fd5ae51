import { maxInferenceBodyBytes } from '@ratchet/contracts/calls-model'
import { type BodyBudget, largeBodyBytes } from '@ratchet/service-kit/http/body-budget'
import { asServiceError, ServiceError } from '@ratchet/service-kit/http/service-error'
import { identityOf } from '@ratchet/service-kit/identity/require-identity'
import { globsOf, requireAllowed } from '../budgets/allowed-models.ts'
import { cheaperRequest } from '../budgets/cheaper-request.ts'
import { type AdmitDeps, type Admitted, admitToEndpoint } from '../dedicated/admit-request.ts'
import { isDedicated } from '../dedicated/dedicated-route.ts'
import { newNotes } from '../outcomes/outcome-notes.ts'
import { outcomeOf } from '../outcomes/outcome-of.ts'
import { type OutcomeRecorder, recordOutcome } from '../outcomes/record-outcome.ts'
import type { RateLimiter } from '../rate-limits/rate-limit.ts'
import type { ArmRecorder } from '../routing/arm-recorder.ts'
import type { ModelDirectory } from '../routing/require-model.ts'
import type { Surface } from '../surfaces/surface.ts'
import type { RequestHints } from '../wire/provider.ts'
import type { AnswerDeps } from './answer-deps.ts'
import { answerPlain } from './answer-plain.ts'
import { answerPrepared, onlyPrepares } from './answer-prepared.ts'
import { answerStream } from './answer-stream.ts'
import { countUnservable, watchArm } from './arm-watch.ts'
import { type CacheDeps, type RequestCache, requestCache } from './cached-answer.ts'
import type { Candidates } from './call-models.ts'
import { type CaptureDeps, captureAnswer, showLogged } from './capture-answer.ts'
import { combineHooks, type FinishedAnswer } from './completion-hooks.ts'
import { type FindFamilyDeps, needsFamily, withFamily } from './find-family.ts'
import { headerOf } from './header-of.ts'
import { claimIdempotency, type IdempotencyDeps, type OpenClaim } from './idempotent-answer.ts'
import { limitRate } from './limit-rate.ts'
import type { ParsedBody } from './parse-body.ts'
import { type ParseDeps, parseRequest } from './parse-request.ts'
import { chosenRoute, planCandidates, planFirst } from './plan-candidates.ts'
import { type Preparation, type PrepareResponseDeps, prepareResponse } from './prepare-response.ts'
import { type BodyType, readBody } from './read-body.ts'
import { isReadable, replayAnswer, reserveReplay } from './replay-answer.ts'
import type { FundedRequest, ParsedRequest, PlannedRequest } from './request-records.ts'
import { type Rewrite, rewrittenResponse } from './rewritten-exchange.ts'
import { type HoldDeps, takeHold } from './take-hold.ts'

export interface ServeDeps
  extends AnswerDeps,
    ParseDeps,
    ModelDirectory,
    HoldDeps,
    CacheDeps,
    IdempotencyDeps,
    CaptureDeps,
    FindFamilyDeps,
    PrepareResponseDeps,
    AdmitDeps {
  readonly bodies: BodyBudget
  readonly limiter: RateLimiter
  readonly arms: ArmRecorder
  readonly outcomes: OutcomeRecorder
}

export interface ReceivedExchange extends Pick<ParsedRequest, 'httpRequest' | 'httpResponse'> {
  readonly rewrite?: Rewrite | undefined
  readonly task?: RequestHints['task'] | undefined
  /** Of the body; `application/json` when it is absent. */
  readonly mediaType?: BodyType | undefined
}

/**
 * Serves one request of an inference surface. The request is parsed, replayed if its idempotency key was answered,
 * admitted by the rate limits, planned, and answered from the response cache if possible. Otherwise its maximum cost is
 * reserved and a model answers it.
 *
 * @throws ServiceError when there is no answer; what was reserved for the request is released
 */
export async function serveSurface(
  deps: ServeDeps,
  surface: Surface,
  { httpRequest, httpResponse, rewrite, task, mediaType = 'application/json' }: ReceivedExchange,
): Promise<void> {
  const startedAt = deps.now()
  const { workspaceId } = identityOf(httpRequest)
  const notes = newNotes()
  const held = deps.bodies.enter(workspaceId)
  const heldAnswer = deps.answers.enter(workspaceId)
  showLogged(deps, { httpResponse }, 'error')
  try {
    const read = await readBody(httpRequest, { mediaType, limitBytes: maxInferenceBodyBytes }, held.add)
    if (read.length > largeBodyBytes) await held.turn()
    const bytes = rewrite === undefined ? read : await rewrite.request(read, httpRequest.headers['content-type'] ?? '')
    if (bytes.length > read.length) held.add(bytes.length - read.length)
    const reserveAnswer = (size: number) => {
      const fits = heldAnswer.mayAdd(size)
      notes.lackedMemory ||= !fits
      return fits
    }
    const answered = rewrite === undefined ? httpResponse : rewrittenResponse(httpResponse, rewrite)
    const reserve = { reserveBody: held.add, reserveAnswer }
    const exchange = { httpRequest, httpResponse: answered, startedAt, surface, bytes, ...reserve, notes, task }
    await claimAndServe(deps, await parseRequest(deps, exchange))
  } catch (error) {
    notes.error ??= asServiceError(error)
    showLogged(deps, { httpResponse }, 'error')
    throw error
  } finally {
    held.leave()
    // A client that does not read keeps it in memory.
    if (httpResponse.destroyed) heldAnswer.leave()
    else httpResponse.once('close', heldAnswer.leave)
    countRequest(deps, { httpRequest, httpResponse, startedAt, notes })
  }
}

/** Calls with a purpose are counted by the feature that makes them. */
function countRequest(
  { outcomes, brand, now }: ServeDeps,
  {
    httpRequest,
    httpResponse,
    startedAt,
    notes,
  }: Pick<ParsedRequest, 'httpRequest' | 'httpResponse' | 'startedAt' | 'notes'>,
): void {
  const { workspaceId, keyId, purpose } = identityOf(httpRequest)
  if (purpose !== undefined) return
  const outcome = outcomeOf(notes, httpResponse.isPeerLost === true)
  // A request with a longer tag was refused.
  const tag = headerOf(httpRequest, brand.headers.tag)?.slice(0, 64) ?? null
  const { id: requestId } = httpRequest
  recordOutcome(outcomes, { notes, outcome, requestId, workspaceId, keyId, tag, startedAt, at: now() })
}

async function claimAndServe(deps: ServeDeps, parsed: ParsedRequest): Promise<void> {
  const claiming = claimIdempotency(deps, parsed)
  const claim = claiming === null ? null : await claiming
  if (claim?.answered === true) {
    showLogged(deps, parsed, 'replay')
    await claim.replay()
    parsed.notes.ended = 'cached'
    return
  }
  try {
    await serve(deps, parsed, claim)
  } catch (error) {
    claim?.completionHook.abandoned?.(0)
    throw error
  }
}

/** The rate limits are checked first, before any step that costs something. */
async function serve(deps: ServeDeps, received: ParsedRequest, claim: OpenClaim | null): Promise<void> {
  const claimHook = claim?.completionHook ?? null
  const limiting = limitRate(deps.limiter, received)
  const limitHook = limiting === null ? null : await limiting
  let completionHook = combineHooks([claimHook, limitHook])
  let preparation: Preparation | null = null
  try {
    if (received.surface.dialect === 'responses') preparation = await prepareResponse(deps, received)
    const storeHook = preparation?.completionHook ?? null
    const parsed = preparation === null ? received : prepared(received, preparation)
    const routed = needsFamily(parsed) ? await withFamily(deps, parsed) : parsed
    const admitted = await admit(deps, routed)
    const asked = admitted?.parsed ?? routed
    const planned = plan(deps, asked, claim)
    if (onlyPrepares(planned)) {
      return await answerPrepared(deps, planned, { storeHook, completionHook })
    }
    // A stored response has an id of its own, which two answers must not share. An internal call measures a model, and who
    // pays for the time of a model wants its answers.
    const mayCache = storeHook === null && planned.internalCall === null && admitted === null
    const answer = (request: PlannedRequest) => {
      const cache = mayCache ? requestCache(deps, request) : null
      const others = [cache?.completionHook ?? null, captureAnswer(deps, request), admitted?.hook ?? null]
      completionHook = combineHooks([claimHook, limitHook, storeHook, ...others])
      return answerPlanned(deps, request, { cache, completionHook })
    }
    await answer(planned).catch((error: unknown) => {
      const cheaper = planCheaper(deps, { asked, claim }, error)
      if (cheaper === null) throw error
      return answer(cheaper)
    })
  } catch (error) {
    completionHook?.abandoned(0)
    throw preparation === null ? error : preparation.toClientError(error)
  }
}

/** What a key may not call, it does not wake either. */
async function admit(deps: ServeDeps, parsed: ParsedRequest): Promise<Admitted | null> {
  const { requestedModel } = parsed.facts
  if (!isDedicated(requestedModel)) return null
  requireAllowed(globsOf(parsed), [requestedModel])
  return admitToEndpoint(deps, parsed)
}

/** The request in place of one that a budget does not cover; null when there is none, or it cannot be made. */
function planCheaper(
  deps: ServeDeps,
  { asked, claim }: { readonly asked: ParsedRequest; readonly claim: OpenClaim | null },
  error: unknown,
): PlannedRequest | null {
  const cheaper = cheaperRequest(deps.brand, asked, error)
  if (cheaper === null) return null
  try {
    return plan(deps, cheaper, claim)
  } catch (unplanned) {
    if (unplanned instanceof ServiceError) return null
    throw unplanned
  }
}

async function answerPlanned(
  deps: ServeDeps,
  planned: PlannedRequest,
  { cache, completionHook }: { readonly cache: RequestCache | null } & Pick<FundedRequest, 'completionHook'>,
): Promise<void> {
  const arm = watchArm(deps.arms, planned.candidates)
  if (cache !== null && (await answerFromCache(planned, cache, completionHook))) return
  await answerByModel(deps, planned, { arm, cacheStatus: cache === null ? 'off' : 'miss', completionHook })
}

function prepared(received: ParsedRequest, { body, containsUnlogged }: Preparation): ParsedRequest {
  return { ...withBody(received, body), containsUnlogged }
}

function withBody(parsed: ParsedRequest, { bytes, scan, body }: ParsedBody): ParsedRequest {
  return body === parsed.body ? parsed : { ...parsed, bytes, scan, body, facts: parsed.surface.readFacts(body) }
}

function plan(deps: ServeDeps, parsed: ParsedRequest, claim: OpenClaim | null): PlannedRequest {
  const candidates = planAndCount(deps, parsed)
  return { ...parsed, billingId: claim?.billingId ?? parsed.requestId, isKeyed: claim !== null, candidates }
}

/** A request that the model of its arm cannot take counts as a failure of that arm: the other arm might have taken it. */
function planAndCount(deps: ServeDeps, parsed: ParsedRequest): Candidates {
  try {
    return onlyPrepares(parsed) ? [planFirst(deps, parsed)] : planCandidates(deps, parsed)
  } catch (error) {
    if (parsed.alias !== null) countUnservable(deps.arms, chosenRoute(parsed.alias, parsed))
    throw error
  }
}

/** An answer from the cache costs nothing. Every completion hook is called with it except the one of the cache. */
async function answerFromCache(
  planned: PlannedRequest,
  cache: RequestCache,
  completionHook: FundedRequest['completionHook'],
): Promise<boolean> {
  const replay = await cache.find()
  if (replay === null || !isReadable(replay.bytes)) return false
  reserveReplay(planned, replay.bytes)
  const { id, provider } = planned.candidates[0].request.model
  const answer: FinishedAnswer = {
    bytes: replay.bytes,
    servedModel: id,
    provider,
    costNano: 0n,
    tokens: 0,
    fromCache: true,
  }
  await completionHook?.beforeCharge(answer)
  await completionHook?.afterCharge(answer)
  replayAnswer(planned.httpResponse, replay)
  planned.notes.provider = provider
  planned.notes.ended = 'cached'
  return true
}

async function answerByModel(
  deps: ServeDeps,
  planned: PlannedRequest,
  { arm, cacheStatus, completionHook }: Pick<FundedRequest, 'arm' | 'cacheStatus' | 'completionHook'>,
): Promise<void> {
  const billing = await takeHold(deps, planned)
  try {
    // A client that disconnected while the hold was taken emits no second `close` event.
    if (planned.httpResponse.destroyed) return completionHook?.abandoned(0)
    const funded: FundedRequest = { ...planned, billing, cacheStatus, completionHook, arm }
    const answer = planned.facts.stream && planned.surface.stream !== null ? answerStream : answerPlain
    arm?.served()
    await answer(deps, funded)
  } finally {
    // Has no effect on a settled hold. After an error the client need not wait for the release.
    void billing.release().catch(() => undefined)
  }
}
