import { listHeader } from '../message/parse-message.ts'
import { headerOf, type SipRequest } from '../message/sip-message.ts'
import { SipParseError } from '../message/sip-parse-error.ts'
import type { SipPeer } from '../ports.ts'
import { dialogOfRequest } from '../session/dialog.ts'
import { tryNegotiate } from '../session/negotiate.ts'
import { ownAnswer, ownOffer } from '../session/own-description.ts'
import { writeSdp } from '../session/sdp.ts'
import { answerTimer, minIntervalSeconds, timerHeaders } from '../session/session-timer.ts'
import type { ServerTransaction } from '../transactions/server-transaction.ts'
import { contactHeader } from './contact-header.ts'
import { createLeg } from './create-leg.ts'
import { allowHeader } from './leg-requests.ts'
import { sdpHeaders } from './reinvite.ts'
import { type AgentContext, type LegControl, LegError, type LegEvents, type SipLeg } from './sip-leg.ts'
import type { SipTrunk } from './trunks.ts'

/** A call of a trunk that waits for an answer. */
export interface IncomingCall {
  readonly callId: string
  /** The first trunk that has the caller's address. */
  readonly trunkId: string
  /** The address from which the call comes. */
  readonly host: string
  /** Who is called: the URI of the request. */
  readonly to: string
  /** Who calls, as the trunk says: a URI. */
  readonly from: string
  /** The first value of a header, or null. @param name in small letters */
  header(name: string): string | null
  /** Says to the caller that it rings. */
  ring(): void
  /**
   * @param options.trunkId when several trunks have the address, that of the call
   * @throws RangeError when the address is not of that trunk
   * @throws LegError 487 when the caller has hung up meanwhile, 488 when no codec fits, 503 when no port is free
   */
  answer(events: LegEvents, options?: { readonly trunkId?: string }): Promise<SipLeg>
  /** @param status 400 to 699, such as 486 for busy */
  refuse(status: number): void
  /** Asks the other side to call somebody else instead, unless it has an answer. @param target a SIP URI */
  redirect(target: string): void
  /** Called when the caller no longer waits. */
  onCancelled(listener: () => void): void
}

/** @returns null when the call was refused already */
export function createIncomingCall(
  transaction: ServerTransaction,
  { from, trunk }: { readonly from: SipPeer; readonly trunk: SipTrunk },
  context: AgentContext,
): IncomingCall | null {
  const { request } = transaction
  const refusal = whyRefused(request)
  if (refusal !== null) {
    transaction.respond(refusal)
    return null
  }
  let onCancelled = () => {}
  transaction.onCancel(() => {
    transaction.respond({ status: 487 })
    onCancelled()
  })
  return {
    callId: request.callId,
    trunkId: trunk.id,
    host: from.host,
    to: request.uri,
    from: request.from.uri,
    header: (name) => headerOf(request, name),
    ring: () => transaction.respond({ status: 180, headers: [contactHeader(context, from)] }),
    answer: async (events, { trunkId = trunk.id } = {}) => {
      const chosen = context.trunks.byId(trunkId)
      if (chosen === null || !context.trunks.isOf(chosen, from.host)) {
        throw new RangeError(`trunkId must be a trunk of ${from.host}, got ${trunkId}`)
      }
      return answer(transaction, { from, trunk: chosen, events }, context)
    },
    refuse: (status) => transaction.respond({ status }),
    redirect(target) {
      if (transaction.isAnswered) return
      transaction.respond({ status: 302, headers: [{ name: 'contact', value: `<${target}>` }] })
    },
    onCancelled(listener) {
      onCancelled = listener
    },
  }
}

function whyRefused(request: SipRequest) {
  const required = listHeader(request.headers, 'require').filter((option) => option !== 'timer')
  if (required.length > 0) {
    return { status: 420, headers: [{ name: 'unsupported', value: required.join(', ').slice(0, 200) }] }
  }
  if (answerTimer(request) === 'too_short') {
    return { status: 422, headers: [{ name: 'min-se', value: String(minIntervalSeconds) }] }
  }
  if (!request.from.params.has('tag')) return { status: 400 }
  if (request.body === '') return null
  const type = headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/sdp') return { status: 415, headers: [{ name: 'accept', value: 'application/sdp' }] }
  return tryNegotiate(request.body) === null ? { status: 488 } : null
}

async function answer(
  transaction: ServerTransaction,
  { from, trunk, events }: { readonly from: SipPeer; readonly trunk: SipTrunk; readonly events: LegEvents },
  context: AgentContext,
): Promise<SipLeg> {
  const { request } = transaction
  if (transaction.isAnswered) throw new LegError(487, 'INVITE')
  const socket = await context.openMedia().catch(() => null)
  if (socket === null) {
    transaction.respond({ status: 503 })
    throw new LegError(503, 'INVITE')
  }
  if (transaction.isAnswered) {
    socket.close()
    throw new LegError(487, 'INVITE')
  }
  const agreed = request.body === '' ? null : tryNegotiate(request.body)
  const offer = ownOffer(socket.local, context.random)
  const own = agreed === null ? offer : ownAnswer({ ...offer, version: 0 }, agreed, false)
  const asked = answerTimer(request)
  const timer = asked === 'too_short' ? null : asked
  const dialog = dialogOf(transaction, from)
  if (dialog === null) {
    socket.close()
    throw new LegError(400, 'INVITE')
  }
  const start = {
    trunk,
    dialog,
    own,
    plan: agreed?.plan ?? null,
    timer,
    socket,
    events,
    awaitsAck: true,
    isCaller: false,
  }
  const leg: LegControl = createLeg(start, context)
  transaction.respond(
    {
      status: 200,
      headers: [
        contactHeader(context, from),
        allowHeader,
        { name: 'supported', value: 'timer' },
        ...timerHeaders(timer),
        ...sdpHeaders,
      ],
      body: writeSdp(own),
    },
    { onAckTimeout: () => leg.acknowledgeTimeout() },
  )
  return leg
}

function dialogOf(transaction: ServerTransaction, from: SipPeer) {
  try {
    return dialogOfRequest(transaction.request, transaction.toTag, from)
  } catch (error) {
    if (!(error instanceof SipParseError)) throw error
    transaction.respond({ status: 400 })
    return null
  }
}
