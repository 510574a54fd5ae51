import { pageReply } from '@ratchet/contracts/page'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import {
  createCall,
  eraseCall,
  getCall,
  listCalls,
  sayInCall,
  stopCall,
  transferCall,
} from '@ratchet/contracts/voice/calls'
import { answerJsonOnce, type OnceDeps } from '@ratchet/service-kit/http/answer-once'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { SecretBox } from '@ratchet/service-kit/identity/secret-box'
import type { Router } from 'express'
import type { AgentStore } from '../agents/agent-store.ts'
import type { CanaryStore } from '../canaries/canary.ts'
import type { VerdictStore } from '../judgements/call-verdict.ts'
import { recognizerId } from '../money/price-book.ts'
import type { NumberStore } from '../numbers/number-store.ts'
import type { RecordingStore } from '../recordings/recording.ts'
import { scopeOf } from '../scope.ts'
import { chooseRecognizer } from '../voices/choose-recognizer.ts'
import type { VoiceList } from '../voices/voice-list.ts'
import { callSecretPlace, isOver, type NewCall, type StoredCall } from './call.ts'
import type { CallCosts, CallMoney } from './call-money.ts'
import { callReply, detailsReply } from './call-reply.ts'
import type { CallStore } from './call-store.ts'
import { callVariables, checkFilledTexts } from './call-variables.ts'
import { chooseVersion } from './choose-version.ts'
import { callEventRoutes } from './event-routes.ts'
import { hashMediaToken, newMediaToken } from './media-token.ts'
import { dueAtOf, phoneLineOf, requireTransfer } from './new-line.ts'
import { paidCallOf } from './prepare-call.ts'
import { requireCall } from './require-call.ts'

export interface CallRouteDeps extends OnceDeps {
  readonly calls: CallStore
  readonly agents: AgentStore
  readonly numbers: NumberStore
  readonly voiceList: VoiceList
  /** Ids of recognizers. */
  readonly recognizers: ReadonlySet<string>
  readonly canaries: Pick<CanaryStore, 'get'>
  readonly verdicts: Pick<VerdictStore, 'of'>
  readonly recordings: Pick<RecordingStore, 'info'>
  readonly money: CallMoney
  readonly costs: CallCosts
  readonly secrets: SecretBox
  /** Where callers reach workers, such as `wss://voice.example.com`. */
  readonly mediaOrigin: string
  readonly randomBytes: (count: number) => Uint8Array
  readonly newId: () => string
  readonly pause: (ms: number) => Promise<void>
}

/** How long a caller may take to connect. */
const connectMs = 60_000
/** How long a request waits for a worker with room, in tries. */
const room = { tries: 8, everyMs: 250 }

export function callRoutes(router: Router, deps: CallRouteDeps): void {
  createRoute(router, deps)
  readRoutes(router, deps)
  changeRoutes(router, deps)
  callEventRoutes(router, deps)
}

function createRoute(router: Router, deps: CallRouteDeps): void {
  mountJson(router, createCall, async ({ body, identity, request }) => {
    const key = { workspaceId: identity.workspaceId, id: deps.newId() }
    const { agent, spec, chosen, criterionIds } = await chooseVersion(deps, identity, {
      ...body,
      caller: body.to_number ?? key.id,
    })
    const variables = callVariables(spec, body.variables)
    const overrides = overridesOf(body)
    checkFilledTexts(spec, overrides, variables)
    const dueAt = dueAtOf(body.schedule_at, deps.now())
    const phone = await phoneLineOf(deps.numbers, identity, body)
    const order = { request, identity, endpoint: createCall.path, body }
    const { answer, headers } = await answerJsonOnce(deps, order, async () => {
      const token = newMediaToken(deps.randomBytes)
      const at = deps.now()
      const call: NewCall = {
        ...key,
        userId: identity.userId,
        agentId: agent.id,
        agentVersion: agent.version,
        chosen,
        criterionIds,
        env: identity.voice?.env ?? 'live',
        overrides,
        variables: variables.open,
        secretVariables:
          Object.keys(variables.secret).length === 0
            ? null
            : deps.secrets.seal(JSON.stringify(variables.secret), callSecretPlace(key)),
        metadata: body.metadata,
        line:
          phone === null
            ? { type: 'web', tokenHash: hashMediaToken(token), tokenExpiresAt: new Date(at.getTime() + connectMs) }
            : { type: 'phone', ...phone },
        dueAt,
        retentionDays: spec.privacy.retention_days,
        at,
      }
      await begin(deps, call, spec)
      return { id: call.id, token }
    })
    const call = await requireCall(deps.calls, identity, publicId('call', answer.id))
    if (call.phone !== null) return { headers, reply: callReply(call) }
    const join_url = `${deps.mediaOrigin}/media/${publicId('call', answer.id)}`
    return { headers, reply: { ...callReply(call), join_url, client_token: answer.token } }
  })
}

/** Holds the money of the first minute, then writes the call. */
async function begin(deps: CallRouteDeps, call: NewCall, spec: AgentSpec): Promise<void> {
  const { workspaceId, id, agentId, env, line } = call
  requireSpeech(deps, spec)
  // A call to a telephone waits until a worker has room.
  if (line.type === 'web') await requireRoom(deps)
  const paid = paidCallOf({ workspaceId, id, agentId, env, phone: line.type === 'web' ? null : line }, spec)
  if (line.type === 'phone' && !deps.money.hasPrice(paid)) {
    throw new ServiceError('insufficient_permissions', 'This call is not allowed: its destination has no price here.')
  }
  // That of a scheduled call is held when it is dialed.
  if (call.dueAt === null && (await deps.money.hold(paid)) === 'refused') {
    throw new ServiceError('insufficient_balance', 'The credits do not cover the start of a call. Top up the wallet.')
  }
  // When this fails, it is not known whether the call was written: what is held runs out by itself.
  const created = await deps.calls.create(call)
  if (created === 'created') return
  await deps.money.release(paid)
  if (created === 'no_agent') throw notFound('agent', 'agent_id')
  if (created === 'no_number') throw notFound('number', 'number_id')
  if (created === 'no_room')
    throw noRoom('The calls of the workspace take up its share of the places. Retry when one has ended.')
  throw new ServiceError('conflict', 'Other calls of the workspace still wait. Connect or stop them.')
}

/** The keys of providers may have been taken away since the agent was made. */
function requireSpeech({ voiceList, recognizers }: CallRouteDeps, spec: AgentSpec): void {
  const isSpoken = voiceList.voices.some(({ id, available }) => id === spec.voice && available)
  if (isSpoken && recognizers.has(recognizerId(chooseRecognizer(spec)))) return
  const message = 'The provider of the voice or of the recognizer of the agent is off here at the moment.'
  throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 60 })
}

async function requireRoom({ calls, pause }: CallRouteDeps): Promise<void> {
  for (let tried = 0; tried < room.tries; tried++) {
    if (await calls.hasRoom()) return
    await pause(room.everyMs)
  }
  throw noRoom('No worker has room for a call at the moment.')
}

function noRoom(message: string): ServiceError {
  return new ServiceError('service_unavailable', message, { retryAfterSeconds: 5 })
}

function readRoutes(router: Router, deps: CallRouteDeps): void {
  const { calls, costs } = deps
  mount(router, listCalls, async ({ query, identity }) => {
    const agentId = query.agent_id === undefined ? null : uuidOf('agent', query.agent_id)
    if (query.agent_id !== undefined && agentId === null) throw notFound('agent', 'agent_id')
    const numberId = query.number_id === undefined ? null : uuidOf('voiceNumber', query.number_id)
    if (query.number_id !== undefined && numberId === null) throw notFound('number', 'number_id')
    const { total, calls: page } = await calls.list({
      workspaceId: identity.workspaceId,
      userId: scopeOf(identity),
      agentId,
      agentVersion: query.agent_version ?? null,
      status: query.status ?? null,
      type: query.type ?? null,
      direction: query.direction ?? null,
      numberId,
      env: query.env ?? null,
      endedReason: query.ended_reason ?? null,
      start: query.start ?? null,
      end: query.end ?? null,
      limit: query.limit,
      offset: query.offset,
    })
    return pageReply(page.map(callReply), total, query)
  })
  mount(router, getCall, async ({ params, query, identity }) => {
    const call = await requireCall(deps.calls, identity, params.id)
    const { workspaceId, id: callId } = call
    const [turns, cost, verdicts, recording, said] = await Promise.all([
      calls.turns(call),
      costs.read({ workspaceId, callId }),
      deps.verdicts.of(call),
      deps.recordings.info(call),
      calls.findings(call),
    ])
    const withTranscript = query.transcript === 'full'
    return detailsReply({ call, turns, cost, verdicts, recording, said, withTranscript })
  })
}

function changeRoutes(router: Router, deps: CallRouteDeps): void {
  const { calls, newId, now } = deps
  mount(router, stopCall, async ({ params, identity }) => {
    const call = await requireCall(deps.calls, identity, params.id)
    if (!isOver(call)) await stop(deps, call)
    return callReply(await requireCall(deps.calls, identity, params.id))
  })
  mountJson(router, sayInCall, async ({ params, body: { text, interrupt }, identity }) => {
    const call = await requireCall(deps.calls, identity, params.id)
    const said = await calls.command(call, { kind: 'say', text, interrupt, id: newId(), at: now() })
    if (!said) throw new ServiceError('conflict', 'The call is not in progress.')
    return { reply: callReply(call) }
  })
  mountJson(router, transferCall, async ({ params, body: { to }, identity }) => {
    const call = await requireCall(deps.calls, identity, params.id)
    await requireTransfer(deps.numbers, call, to)
    const isAsked = await calls.command(call, { kind: 'transfer', to, id: newId(), at: now() })
    if (!isAsked) throw new ServiceError('conflict', 'The call is not in progress.')
    return { reply: callReply(call) }
  })
  mount(router, eraseCall, async ({ params: { id }, identity }) => {
    const call = await requireCall(deps.calls, identity, id)
    if (!(await calls.erase(call, now()))) throw new ServiceError('conflict', 'The call has not ended. Stop it first.')
    return { object: 'call' as const, id, deleted: true as const }
  })
}

/** One that waits ends here; one in progress by its worker. */
async function stop({ calls, agents, money, newId, now }: CallRouteDeps, call: StoredCall): Promise<void> {
  const hasEnded = await calls.endWaiting(call, { status: 'canceled', reason: 'canceled', by: 'api' })
  if (!hasEnded) {
    await calls.command(call, { kind: 'stop', id: newId(), at: now() })
    return
  }
  const version = await agents.version({ workspaceId: call.workspaceId, id: call.agentId }, call.agentVersion)
  if (version !== null) await money.release(paidCallOf(call, version.spec))
}

function overridesOf(body: {
  readonly first_message?: string | null | undefined
  readonly max_duration_seconds?: number | undefined
}): NewCall['overrides'] {
  const { first_message: firstMessage, max_duration_seconds: maxDurationSeconds } = body
  return {
    ...(firstMessage === undefined ? {} : { firstMessage }),
    ...(maxDurationSeconds === undefined ? {} : { maxDurationSeconds }),
  }
}
