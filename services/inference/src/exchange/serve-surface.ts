import type { Identity } from '@ratchet/contracts/identity'
import { identityOf } from '@ratchet/service-kit/require-identity'
import type { Request, Response } from 'express'
import { estimatePrompt } from '../domain/estimate-usage.ts'
import type { RateLimiter } from '../domain/rate-limit.ts'
import type { SettingsSource, WorkspaceSettings } from '../domain/workspace-settings.ts'
import { readBody } from '../read-body.ts'
import type { Surface } from '../surfaces/surface.ts'
import { answerPlain } from './answer-plain.ts'
import { answerStream } from './answer-stream.ts'
import { type CacheDeps, type RequestCache, requestCache } from './cached-answer.ts'
import type { AnswerDeps, Exchange } from './exchange.ts'
import { claimIdempotency, type IdempotencyDeps, type RequestClaim } from './idempotent-answer.ts'
import { type AnswerKeeper, allKeepers, type KeptAnswer } from './keepers.ts'
import { limitRate } from './limit-rate.ts'
import { type Candidates, type PlanDeps, type PlannedRequest, planCandidates } from './plan-candidates.ts'
import { type ReadRequest, readRequest } from './read-request.ts'
import { replayAnswer } from './replay-answer.ts'
import { type HoldDeps, takeHold } from './take-hold.ts'

export interface ServeDeps extends AnswerDeps, PlanDeps, HoldDeps, CacheDeps, IdempotencyDeps {
  readonly settings: SettingsSource
  readonly limiter: RateLimiter
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
  readonly keeper: AnswerKeeper | null
  /** Headers of the answer. */
  readonly headers: Readonly<Record<string, string>>
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
  const identity = identityOf(http.request)
  const read = readRequest(await readBody(http.request, bodyLimit))
  const facts = served.surface.readFacts(read.body)
  const settings = await deps.settings.of(identity.workspaceId)
  const claim = await claimIdempotency(deps, { ...http, read, identity })
  const requestId = claim?.requestId ?? http.request.id
  const received = { ...read, requestId, workspaceId: identity.workspaceId, settings }
  try {
    const prepared = await prepare(served, received, http.response)
    const isSame = prepared === null || prepared.read.body === read.body
    const asked = isSame ? facts : served.surface.readFacts(prepared.read.body)
    const planned = { ...received, ...prepared?.read, surface: served.surface, facts: asked }
    await serve(deps, { planned, claim, identity, keeper: prepared?.keeper ?? null, http })
  } catch (error) {
    if (claim?.answered === false) claim.keeper.abandoned?.(0)
    throw error
  }
}

async function prepare(
  served: ServedSurface,
  received: ReceivedRequest,
  response: Response,
): Promise<PreparedRequest | null> {
  if (served.prepare === undefined) return null
  const prepared = await served.prepare(received)
  for (const [name, value] of Object.entries(prepared.headers)) response.setHeader(name, value)
  return prepared
}

interface Service {
  readonly planned: PlannedRequest
  readonly claim: RequestClaim | null
  readonly identity: Identity
  readonly keeper: AnswerKeeper | null
  readonly http: HttpExchange
}

async function serve(deps: ServeDeps, service: Service): Promise<void> {
  const { planned, claim, identity, http } = service
  const candidates = planCandidates(deps, planned)
  if (claim?.answered === true) return claim.replay({ planned, candidates })
  const cache = requestCache(deps, { planned, candidates, request: http.request })
  const limit = await limitRate(deps.limiter, rateQuestion(identity, planned), http.response)
  const keeper = allKeepers([claim?.keeper ?? null, limit, service.keeper, cache?.keeper ?? null])
  try {
    if (await answerFromCache({ cache, candidates, keeper, response: http.response })) return
    await answerByModel(deps, { ...service, candidates, keeper, cache })
  } catch (error) {
    keeper?.abandoned(0)
    throw error
  }
}

function rateQuestion({ keyId, workspaceId }: Identity, { bytes, facts, settings }: PlannedRequest) {
  const { limits, keyLimits } = settings
  const tokens = estimatePrompt(bytes.length, facts.prompt)
  return { workspaceId, keyId, limits, keyLimits: keyLimits.get(keyId), tokens }
}

interface CacheTry {
  readonly cache: RequestCache | null
  readonly candidates: Candidates
  readonly keeper: Required<AnswerKeeper> | null
  readonly response: Response
}

/** What came from the cache costs nothing and is kept by everybody who keeps answers but the cache. */
async function answerFromCache({ cache, candidates, keeper, response }: CacheTry): Promise<boolean> {
  const replay = (await cache?.find()) ?? null
  if (replay === null) return false
  const kept: KeptAnswer = {
    bytes: replay.bytes,
    served: candidates[0].request,
    costNano: 0n,
    tokens: 0,
    fromCache: true,
  }
  await keeper?.beforeCharge(kept)
  await keeper?.afterCharge(kept)
  return replayAnswer(response, replay)
}

interface ModelService extends Omit<Service, 'keeper'> {
  readonly candidates: Candidates
  readonly keeper: Required<AnswerKeeper> | null
  readonly cache: RequestCache | null
}

async function answerByModel(deps: ServeDeps, service: ModelService): Promise<void> {
  const { planned, candidates, keeper, cache } = service
  const { requestId, workspaceId, surface, facts } = planned
  const { response } = service.http
  const billing = await takeHold(deps, { requestId, workspaceId, dialect: surface.dialect, facts, candidates })
  try {
    // Who left while the hold was taken is not heard leaving again.
    if (response.destroyed) return keeper?.abandoned(0)
    const exchange: Exchange = {
      requestId,
      surface,
      facts,
      candidates,
      billing,
      keeper,
      cache: cache === null ? 'off' : 'miss',
    }
    const answer = facts.stream && surface.stream !== null ? answerStream : answerPlain
    await answer(deps, exchange, response)
  } finally {
    // Does nothing to what is finished.
    await billing.release()
  }
}
