import { writeHostPort } from '../message/header-values.ts'
import type { SipHeader, SipResponse } from '../message/sip-message.ts'
import { SipParseError } from '../message/sip-parse-error.ts'
import { parseSipUri } from '../message/sip-uri.ts'
import { type MediaSocket, randomHex, type SipPeer } from '../ports.ts'
import { type Dialog, dialogOfResponse, nextHop, requestInDialog } from '../session/dialog.ts'
import { tryNegotiate } from '../session/negotiate.ts'
import { ownOffer } from '../session/own-description.ts'
import { type OwnDescription, writeSdp } from '../session/sdp.ts'
import { acceptedTimer, minimumOf, offerTimer } from '../session/session-timer.ts'
import { contactHeader } from './contact-header.ts'
import { createLeg } from './create-leg.ts'
import { allowHeader } from './leg-requests.ts'
import { sdpHeaders } from './reinvite.ts'
import { type RequestUnderWay, sendRequest } from './send-request.ts'
import { type AgentContext, LegError, type LegEvents, type SipLeg } from './sip-leg.ts'
import type { SipTrunk } from './trunks.ts'

export interface DialOptions {
  readonly trunkId: string
  /** A SIP URI, such as `sip:+4930123456@192.0.2.1`. */
  readonly to: string
  /** The user part of our address: usually a number. */
  readonly from: string
  readonly events: LegEvents
  /** Called when the other side says that it rings. */
  readonly onRinging?: () => void
  /** How long it may ring, in milliseconds; 60 seconds when left out. */
  readonly ringMs?: number
}

export interface OutgoingCall {
  readonly callId: string
  /** Rejects with a LegError: 487 after `cancel`, 408 without an answer, else the status of the other side. */
  readonly answered: Promise<SipLeg>
  /** Ends the attempt. A call that was answered at the same moment is hung up. */
  cancel(): void
}

interface Attempt {
  readonly context: AgentContext
  readonly trunk: SipTrunk
  readonly options: DialOptions
  readonly socket: MediaSocket
  readonly own: OwnDescription
  /** Addresses and tags before the other side has a tag. */
  dialog: Dialog
  isCancelled: boolean
  /** The tag of the side whose answer was taken; others are hung up. */
  winner: string | null
  request: RequestUnderWay | null
  isRetried: boolean
  readonly settle: { resolve(leg: SipLeg): void; reject(error: LegError): void }
}

const ringMs = 60_000

/** Calls the other side of a trunk. @throws RangeError for an unknown trunk @throws SipParseError for a wrong URI */
export function dial(options: DialOptions, context: AgentContext): OutgoingCall {
  const trunk = context.trunks.byId(options.trunkId)
  if (trunk === null) throw new RangeError(`trunkId must be one of the trunks, got ${options.trunkId}`)
  parseSipUri(options.to)
  const { host, port } = context.addressFor(trunk.target)
  const callId = randomHex(context.random, 16)
  const { promise, resolve, reject } = Promise.withResolvers<SipLeg>()
  // Who cancels need not wait for the end.
  promise.catch(() => {})
  const dialog: Dialog = {
    callId,
    localTag: randomHex(context.random, 6),
    remoteTag: '',
    local: `<sip:${encodeURIComponent(options.from).replaceAll('%2B', '+')}@${writeHostPort(host, port)}>`,
    remote: `<${options.to}>`,
    remoteTarget: options.to,
    routes: [],
    localCseq: 0,
    remoteCseq: 0,
    peer: trunk.target,
  }
  let attempt: Attempt | null = null
  let isCancelled = false
  const begin = async () => {
    const socket = await context.openMedia().catch(() => null)
    if (socket === null) return reject(new LegError(503, 'INVITE'))
    const own = ownOffer(socket.local, context.random)
    const settle = { resolve, reject }
    attempt = {
      context,
      trunk,
      options,
      socket,
      own,
      dialog,
      isCancelled,
      winner: null,
      request: null,
      isRetried: false,
      settle,
    }
    if (isCancelled) fail(attempt, 487)
    else invite(attempt, [])
  }
  void begin()
  const cancel = () => {
    isCancelled = true
    if (attempt !== null) cancelAttempt(attempt)
  }
  const stopRinging = context.clock.schedule(cancel, options.ringMs ?? ringMs)
  void promise.finally(stopRinging).catch(() => {})
  return { callId, answered: promise, cancel }
}

function cancelAttempt(attempt: Attempt): void {
  attempt.isCancelled = true
  if (attempt.winner === null) attempt.request?.cancel()
}

function invite(attempt: Attempt, timer: readonly SipHeader[] | []): void {
  const { context, trunk, own } = attempt
  const headers = [
    contactHeader(context, trunk.target),
    allowHeader,
    ...(timer.length > 0 ? timer : offerTimer()),
    ...sdpHeaders,
  ]
  const draft = (authorization: readonly SipHeader[]) => {
    const cseq = attempt.dialog.localCseq + 1
    attempt.dialog = { ...attempt.dialog, localCseq: cseq }
    return requestInDialog(attempt.dialog, 'INVITE', {
      headers: [...headers, ...authorization],
      body: writeSdp(own),
      cseq,
    })
  }
  attempt.request = sendRequest(
    { to: trunk.target, trunk, draft },
    { onResponse: (response, from) => receive(attempt, response, from), onTimeout: () => fail(attempt, 408) },
    context,
  )
}

function receive(attempt: Attempt, response: SipResponse, from: SipPeer): void {
  const { status } = response
  if (status < 200) {
    if (status === 180 || status === 183) attempt.options.onRinging?.()
    return
  }
  if (status < 300) {
    receiveAnswer(attempt, response, from)
    return
  }
  const minimum = minimumOf(response)
  if (status === 422 && minimum !== null && !attempt.isRetried && !attempt.isCancelled) {
    attempt.isRetried = true
    invite(attempt, offerTimer(minimum))
  } else fail(attempt, status)
}

/** Several sides may answer one INVITE, and each may say so several times; each time needs an ACK. */
function receiveAnswer(attempt: Attempt, response: SipResponse, from: SipPeer): void {
  const { context, trunk, own, socket, options } = attempt
  const tag = response.to.params.get('tag') ?? ''
  const dialog = dialogOf(response, from)
  if (dialog === null) {
    fail(attempt, 488)
    return
  }
  const hop = nextHop(dialog, (host) => context.trunks.isOf(trunk, host))
  context.transactions.acknowledge(requestInDialog(dialog, 'ACK', { cseq: response.cseq.number }), hop)
  if (attempt.winner === tag) return
  const plan = attempt.winner === null && !attempt.isCancelled ? (tryNegotiate(response.body)?.plan ?? null) : null
  if (plan !== null) {
    attempt.winner = tag
    const timer = acceptedTimer(response)
    const start = { trunk, dialog, own, plan, timer, socket, events: options.events, awaitsAck: false, isCaller: true }
    attempt.settle.resolve(createLeg(start, context))
    return
  }
  const bye = requestInDialog(dialog, 'BYE', { cseq: dialog.localCseq + 1 })
  context.transactions.request(bye, hop, { onResponse: () => {}, onTimeout: () => {} })
  if (attempt.winner === null) fail(attempt, attempt.isCancelled ? 487 : 488)
}

function dialogOf(response: SipResponse, from: SipPeer): Dialog | null {
  try {
    return dialogOfResponse(response, from)
  } catch (error) {
    if (error instanceof SipParseError) return null
    throw error
  }
}

function fail(attempt: Attempt, status: number): void {
  if (attempt.winner !== null) return
  // No answer is taken any more.
  attempt.winner = 'none'
  attempt.socket.close()
  attempt.settle.reject(new LegError(attempt.isCancelled ? 487 : status, 'INVITE'))
}
