import type { Identity } from '@ratchet/contracts/identity'
import { identityOf } from '@ratchet/service-kit/require-identity'
import type { Request, Response } from 'express'
import { estimatePrompt } from '../pricing/estimate-usage.ts'
import type { RateLimiter } from '../rate-limits/rate-limit.ts'
import type { ArmRecorder } from '../routing/arm-recorder.ts'
import type { ModelDirectory } from '../routing/require-model.ts'
import type { RequestFacts, Surface } from '../surfaces/surface.ts'
import type { SettingsSource, WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import { answerPlain } from './answer-plain.ts'
import { answerStream } from './answer-stream.ts'
import { type ArmWatch, countUnasked, watchArm } from './arm-watch.ts'
import type { BodyBudget } from './body-budget.ts'
import { type CacheDeps, type RequestCache, requestCache } from './cached-answer.ts'
import { type CaptureDeps, captureAnswer } from './capture-answer.ts'
import { type CompletionHook, combineHooks, type KeptAnswer } from './completion-hooks.ts'
import type { AnswerDeps, Exchange } from './exchange.ts'
import { fleetCallOf, fleetSettings } from './fleet-call.ts'
import { headerOf } from './header-of.ts'
import { claimIdempotency, type IdempotencyDeps, type OpenClaim } from './idempotent-answer.ts'
import { limitRate } from './limit-rate.ts'
import { type Candidates, chosenArm, type PlannedRequest, planCandidates } from './plan-candidates.ts'
import { readBody } from './read-body.ts'
import { type ReadRequest, readRequest } from './read-request.ts'
import { isReadable, replayAnswer } from './replay-answer.ts'
import { type HoldDeps, takeHold } from './take-hold.ts'

export interface ServeDeps extends AnswerDeps, ModelDirectory, HoldDeps, CacheDeps, IdempotencyDeps, CaptureDeps {
  readonly bodies: BodyBudget
  readonly settings: SettingsSource
  readonly limiter: RateLimiter
  readonly arms: ArmRecorder
}

/** A surface as it is served, with what it has to look up or change before a request is answered. */
export interface ServedSurface {
  readonly surface: Surface
  readonly prepare?: (request: ReceivedRequest) => Promise<PreparedRequest>
}

export interface ReceivedRequest extends ReadRequest {
  readonly requestId: string
  readonly workspaceId: string
  readonly settings: WorkspaceSettings
}

export interface PreparedRequest {
  /** As it is to be answered. */
  readonly read: ReadRequest
  /** Keeps the answer; null when nobody is to. */
  readonly completionHook: CompletionHook | null
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>
  /** An error in the words of the request that the client sent, which `read` may differ from. */
  readonly reported: (error: unknown) => unknown
}

interface HttpExchange {
  readonly request: Request
  readonly response: Response
}

/** Largest body, bytes. */
const bodyLimit = 10 * 1024 * 1024

/**
 * Serves one request of an inference surface: understood, admitted, answered from a record or the cache if it can be,
 * else paid for in advance and answered by a model.
 *
 * @throws ServiceError when there is no answer; whatever was reserved for it is given back
 */
export async function serveSurface(deps: ServeDeps, served: ServedSurface, http: HttpExchange): Promise<void> {
  const startedAt = deps.now()
  const bytes = await readBody(http.request, bodyLimit)
  const leave = deps.bodies.enter(bytes.length)
  try {
    await serveBody(deps, served, { ...http, bytes, startedAt })
  } finally {
    leave()
  }
}

interface ReceivedBody extends HttpExchange {
  readonly bytes: Buffer
  /** When the request came. */
  readonly startedAt: Date
}

async function serveBody(deps: ServeDeps, served: ServedSurface, received: ReceivedBody): Promise<void> {
  const { bytes, startedAt, ...http } = received
  const identity = identityOf(http.request)
  const read = readRequest(bytes)
  const facts = served.surface.readFacts(read.body)
  const fleet = fleetCallOf(identity)
  const ofWorkspace = await deps.settings.of(identity.workspaceId)
  const settings = fleet === null ? ofWorkspace : fleetSettings(ofWorkspace)
  const headers = aliasHeaders(deps, facts, settings)
  const claim = await claimIdempotency(deps, { ...http, read, identity, fleet, headers })
  if (claim?.answered === true) return claim.replay(served.surface, facts)
  putHeaders(http.response, headers)
  const requestId = http.request.id
  const asked = {
    ...read,
    requestId,
    billingId: claim?.billingId ?? requestId,
    workspaceId: identity.workspaceId,
    surface: served.surface,
    facts,
    settings,
    fleet,
    traceId: headerOf(http.request, deps.brand.headers.traceId),
    ...hintsOf(served.surface, http.request),
  }
  try {
    await serve(deps, { asked, served, identity, claim, http, startedAt })
  } catch (error) {
    claim?.completionHook.abandoned?.(0)
    throw error
  }
}

const noHeaders: Readonly<Record<string, string>> = {}

/** Whatever becomes of a request, its answer says which alias it named. */
function aliasHeaders({ brand }: ServeDeps, { models }: RequestFacts, { aliases }: WorkspaceSettings) {
  const alias = aliases.get(models[0] ?? '')
  return alias === undefined ? noHeaders : { [brand.headers.alias]: alias.name }
}

function putHeaders(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

interface Service {
  /** As the client asked. */
  readonly asked: PlannedRequest
  readonly served: ServedSurface
  readonly identity: Identity
  readonly claim: OpenClaim | null
  readonly http: HttpExchange
  readonly startedAt: Date
}

/** Limits come before everything that costs something. */
async function serve(deps: ServeDeps, service: Service): Promise<void> {
  const { asked, served, identity, claim, http } = service
  const limit = await limitRate(deps.limiter, rateQuestion(identity, asked), http.response)
  let completionHook = combineHooks([claim?.completionHook ?? null, limit])
  let prepared: PreparedRequest | null = null
  try {
    prepared = (await served.prepare?.(asked)) ?? null
    const own = prepared?.completionHook ?? null
    const planned = prepared === null ? asked : plannedAs(prepared, asked, http.response)
    const candidates = planCounted(deps, planned)
    const arm = watchArm(deps.arms, candidates)
    // What is stored under an id of its own is not given out twice, and what the fleet asks is always asked.
    const isCacheable = own === null && asked.fleet === null
    const cache = isCacheable ? requestCache(deps, { planned, candidates, request: http.request }) : null
    const capture = captureAnswer(deps, { ...service, candidates })
    completionHook = combineHooks([claim?.completionHook ?? null, limit, own, cache?.completionHook ?? null, capture])
    if (await answerFromCache({ cache, candidates, completionHook, response: http.response })) return
    const isKeyed = claim !== null
    const { startedAt } = service
    await answerByModel(deps, {
      planned,
      candidates,
      completionHook,
      arm,
      isCached: cache !== null,
      isKeyed,
      http,
      startedAt,
    })
  } catch (error) {
    completionHook?.abandoned(0)
    throw prepared === null ? error : prepared.reported(error)
  }
}

/** A request that an arm's model cannot even be asked failed on that arm, and not on the other. */
function planCounted(deps: ServeDeps, planned: PlannedRequest): Candidates {
  try {
    return planCandidates(deps, planned)
  } catch (error) {
    const route = planned.settings.aliases.get(planned.facts.models[0] ?? '')
    if (route !== undefined) countUnasked(deps.arms, chosenArm(route, planned))
    throw error
  }
}

/** What is said beside the body, where the surface's clients say anything. */
function hintsOf({ dialect }: Surface, request: Request): Pick<PlannedRequest, 'hints'> {
  const anthropicBeta = dialect === 'messages' ? request.get('anthropic-beta') : undefined
  return anthropicBeta === undefined ? {} : { hints: { anthropicBeta } }
}

function plannedAs({ read, headers }: PreparedRequest, asked: PlannedRequest, response: Response): PlannedRequest {
  putHeaders(response, headers)
  const facts = read.body === asked.body ? asked.facts : asked.surface.readFacts(read.body)
  return { ...asked, ...read, facts }
}

function rateQuestion({ keyId, workspaceId }: Identity, { bytes, facts, settings }: PlannedRequest) {
  const { limits, keyLimits } = settings
  const tokens = estimatePrompt(bytes.length, facts.prompt)
  return { workspaceId, keyId, limits, keyLimits: keyLimits.get(keyId), tokens }
}

interface CacheTry {
  readonly cache: RequestCache | null
  readonly candidates: Candidates
  readonly completionHook: Required<CompletionHook> | null
  readonly response: Response
}

/** What came from the cache costs nothing and is kept by everybody who keeps answers but the cache. */
async function answerFromCache({ cache, candidates, completionHook, response }: CacheTry): Promise<boolean> {
  const replay = (await cache?.find()) ?? null
  if (replay === null || !isReadable(replay.bytes)) return false
  const kept: KeptAnswer = {
    bytes: replay.bytes,
    served: candidates[0].request,
    costNano: 0n,
    tokens: 0,
    fromCache: true,
  }
  await completionHook?.beforeCharge(kept)
  await completionHook?.afterCharge(kept)
  replayAnswer(response, replay)
  return true
}

interface ModelService {
  readonly planned: PlannedRequest
  readonly candidates: Candidates
  readonly completionHook: Required<CompletionHook> | null
  readonly arm: ArmWatch | null
  readonly isCached: boolean
  readonly isKeyed: boolean
  readonly http: HttpExchange
  readonly startedAt: Date
}

async function answerByModel(deps: ServeDeps, service: ModelService): Promise<void> {
  const { planned, candidates, completionHook, arm, isCached, isKeyed, startedAt } = service
  const { requestId, billingId, workspaceId, surface, facts, fleet } = planned
  const { response } = service.http
  const billing = await takeHold(deps, { billingId, workspaceId, dialect: surface.dialect, facts, candidates, fleet })
  try {
    // Who left while the hold was taken is not heard leaving again.
    if (response.destroyed) return completionHook?.abandoned(0)
    const cache = isCached ? 'miss' : 'off'
    const asked = { requestId, startedAt, surface, facts, isKeyed, fleet }
    const exchange: Exchange = { ...asked, candidates, billing, completionHook, arm, cache }
    const answer = facts.stream && surface.stream !== null ? answerStream : answerPlain
    arm?.served()
    await answer(deps, exchange, response)
  } finally {
    // Does nothing to what is finished; what failed in between is told at once, and given back meanwhile.
    void billing.release().catch(() => undefined)
  }
}
