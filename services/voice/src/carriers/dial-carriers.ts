import type { StreamCarrier } from '@ratchet/contracts/voice/number-providers'
import type { SecretBox } from '@ratchet/service-kit/identity/secret-box'
import type { AgentStore } from '../agents/agent-store.ts'
import type { CallEnd, StoredCall } from '../calls/call.ts'
import type { CallStore } from '../calls/call-store.ts'
import { isSpent, type NumberStore } from '../numbers/number-store.ts'
import { accountOf, type CarrierApi } from './carrier-api.ts'
import type { CarrierCalls } from './carrier-calls.ts'
import { carrierUrls } from './carrier-urls.ts'

export interface DialCarriersDeps {
  readonly carrierCalls: CarrierCalls
  readonly calls: Pick<CallStore, 'hasRoom'>
  readonly agents: Pick<AgentStore, 'version'>
  readonly numbers: Pick<NumberStore, 'get' | 'spentToday'>
  readonly api: CarrierApi
  readonly secrets: Pick<SecretBox, 'open'>
  /** Where carriers reach the voice interface. */
  readonly origin: string
  readonly onError: (error: unknown, call: { readonly callId: string }) => void
}

const ringSeconds = 45
/** A carrier ends a call by itself when it is that much longer than it may be. */
const graceSeconds = 10
const atOnce = 20

const failed = (reason: CallEnd['reason']): CallEnd => ({ status: 'failed', reason, by: 'system' })

export interface CarrierDialer {
  /** Dials calls whose turn has come, and stops those that ring. To be called some times a second, by any number of processes. */
  dial(): Promise<void>
  /** Resolves when no request is under way. */
  stop(): Promise<void>
}

/** A carrier that answers slowly delays no other call, as long as few are under way. */
export function createCarrierDialer(deps: DialCarriersDeps): CarrierDialer {
  const underWay = new Set<Promise<void>>()
  const start = (call: StoredCall, work: Promise<void>) => {
    const begun = work.catch((error: unknown) => deps.onError(error, { callId: call.id }))
    underWay.add(begun)
    void begun.then(() => underWay.delete(begun))
  }
  return {
    async dial() {
      for (const call of await deps.carrierCalls.stopped(atOnce)) await stop(deps, call)
      while (underWay.size < atOnce && (await deps.calls.hasRoom())) {
        const call = await deps.carrierCalls.takeDue()
        if (call === null) return
        start(call, dialOrEnd(deps, call))
      }
    },
    async stop() {
      await Promise.all(underWay)
    },
  }
}

async function dialOrEnd(deps: DialCarriersDeps, call: StoredCall): Promise<void> {
  try {
    await dial(deps, call)
  } catch (error) {
    await deps.carrierCalls.endUnanswered(call, { ...failed('carrier_error'), carrier: null })
    throw error
  }
}

async function dial(deps: DialCarriersDeps, call: StoredCall): Promise<void> {
  const { carrierCalls, numbers, agents, api, secrets, origin } = deps
  const { workspaceId, phone } = call
  const end = (how: CallEnd) => carrierCalls.endUnanswered(call, { ...how, carrier: null })
  const number = phone === null ? null : await numbers.get({ workspaceId, id: phone.numberId })
  const version = await agents.version({ workspaceId, id: call.agentId }, call.agentVersion)
  if (phone === null || number === null || version === null) return end(failed('carrier_unavailable'))
  const isOver = await isSpent(numbers, number, call.dueAt === null ? call.id : null)
  if (isOver) return end(failed('insufficient_credits'))
  const { voiceUrl, statusUrl } = carrierUrls(origin, number, call.id)
  const maxSeconds = call.overrides.maxDurationSeconds ?? version.spec.max_duration_seconds
  const dialed = await api.dial(accountOf(number, secrets), {
    to: phone.toNumber,
    voiceUrl,
    statusUrl,
    ringSeconds,
    maxSeconds: maxSeconds + graceSeconds,
  })
  // It may ring all the same; then it finds that the call has ended.
  if (dialed.kind === 'unknown') return end(failed('carrier_unavailable'))
  if (dialed.kind === 'refused') return end(failed(dialed.status === 400 ? 'invalid_number' : 'rejected'))
  const provider = number.provider as StreamCarrier
  await carrierCalls.setCarrier(call, { provider, id: dialed.carrierCallId, sip_status: null })
}

async function stop(
  { carrierCalls, numbers, api, secrets, onError }: DialCarriersDeps,
  call: StoredCall,
): Promise<void> {
  const { workspaceId, phone } = call
  const number = phone === null ? null : await numbers.get({ workspaceId, id: phone.numberId })
  await carrierCalls.endUnanswered(call, { status: 'canceled', reason: 'canceled', by: 'api', carrier: null })
  const id = phone?.carrier?.id ?? null
  if (number === null || id === null) return
  await api.hangUp(accountOf(number, secrets), id).catch((error: unknown) => onError(error, { callId: call.id }))
}

/** How the carrier names an end before the call was answered. */
const ends: Readonly<Record<string, CallEnd>> = {
  busy: { status: 'busy', reason: 'busy', by: 'caller' },
  'no-answer': { status: 'no_answer', reason: 'no_answer', by: 'caller' },
  canceled: { status: 'no_answer', reason: 'caller_hangup', by: 'caller' },
  failed: failed('carrier_error'),
  // It was answered, and its audio never came.
  completed: failed('no_media'),
}

/** @returns null for a status that is no end */
export function endOfStatus(status: string): CallEnd | null {
  return Object.hasOwn(ends, status) ? (ends[status] ?? null) : null
}
