import { headerOf, type SipRequest } from '../message/sip-message.ts'
import type { SipPeer } from '../ports.ts'
import { afterRequest, isInOrder } from '../session/dialog.ts'
import { eventKeyOf } from '../session/info-key.ts'
import { tryNegotiate } from '../session/negotiate.ts'
import { ownAnswer, ownReoffer } from '../session/own-description.ts'
import { writeSdp } from '../session/sdp.ts'
import { answerTimer, minIntervalSeconds, timerHeaders } from '../session/session-timer.ts'
import type { ServerTransaction } from '../transactions/server-transaction.ts'
import type { OpenLeg } from './open-leg.ts'
import { transferStatus } from './refer.ts'
import { sdpHeaders } from './reinvite.ts'

/** What a peer may ask for. */
export const allowHeader = { name: 'allow', value: 'INVITE, ACK, BYE, CANCEL, OPTIONS, INFO, UPDATE, NOTIFY' }

/** A request of the other side within a call. */
export function receiveInLeg(leg: OpenLeg, transaction: ServerTransaction, from: SipPeer): void {
  const { request } = transaction
  if (!isInOrder(leg.dialog, request)) {
    transaction.respond({ status: 500 })
    return
  }
  leg.dialog = { ...leg.dialog, remoteCseq: request.cseq.number }
  if (request.method === 'BYE') {
    transaction.respond({ status: 200 })
    leg.end('remote_bye')
  } else if (request.method === 'INVITE' || request.method === 'UPDATE') receiveOffer(leg, transaction, from)
  else if (request.method === 'OPTIONS') transaction.respond({ status: 200, headers: [allowHeader] })
  else if (request.method === 'INFO') receiveInfo(leg, transaction)
  else if (request.method === 'NOTIFY') receiveNotify(leg, transaction)
  // An agent is not sent elsewhere by its callers.
  else if (request.method === 'REFER') transaction.respond({ status: 603 })
  else transaction.respond({ status: 405, headers: [allowHeader] })
}

function receiveOffer(leg: OpenLeg, transaction: ServerTransaction, from: SipPeer): void {
  const { request } = transaction
  const isInvite = request.method === 'INVITE'
  if (leg.isInviting || (isInvite && leg.awaitsAck)) {
    transaction.respond({ status: 491 })
    return
  }
  const timer = answerTimer(request)
  if (timer === 'too_short') {
    transaction.respond({ status: 422, headers: [{ name: 'min-se', value: String(minIntervalSeconds) }] })
    return
  }
  const answered = answerOffer(leg, request)
  if (answered === null) {
    transaction.respond({ status: 488 })
    return
  }
  leg.dialog = afterRequest(leg.dialog, request, from)
  leg.own = answered.own
  if (answered.plan !== null) leg.setPlan(answered.plan)
  leg.expectsAnswer = isInvite && answered.plan === null
  if (timer !== null) leg.setTimer(timer)
  const withBody = isInvite || request.body !== ''
  leg.awaitsAck = isInvite
  transaction.respond(
    {
      status: 200,
      headers: [leg.contact(), allowHeader, ...timerHeaders(timer), ...(withBody ? sdpHeaders : [])],
      body: withBody ? writeSdp(leg.own) : '',
    },
    { onAckTimeout: () => leg.acknowledgeTimeout() },
  )
  leg.changed()
}

/** null: nothing that both sides can do. */
function answerOffer(leg: OpenLeg, request: SipRequest) {
  // Without a description the answer has ours, and the ACK theirs.
  if (request.body === '')
    return { own: request.method === 'INVITE' ? ownReoffer(leg.own, leg.isHolding) : leg.own, plan: null }
  const agreed = tryNegotiate(request.body)
  return agreed && { own: ownAnswer(leg.own, agreed, leg.isHolding), plan: agreed.plan }
}

function receiveInfo(leg: OpenLeg, transaction: ServerTransaction): void {
  const { request } = transaction
  const key = eventKeyOf(headerOf(request, 'content-type') ?? '', request.body)
  transaction.respond({ status: key === null && request.body !== '' ? 415 : 200 })
  if (key !== null) leg.start.events.onDtmf(key)
}

function receiveNotify(leg: OpenLeg, transaction: ServerTransaction): void {
  const { request } = transaction
  const isTransfer = headerOf(request, 'event')?.split(';')[0]?.trim().toLowerCase() === 'refer'
  if (!isTransfer || leg.onTransferStatus === null) {
    transaction.respond({ status: isTransfer ? 200 : 481 })
    return
  }
  transaction.respond({ status: 200 })
  const status = transferStatus(request.body)
  if (status !== null) leg.onTransferStatus(status)
}
