import { createMediaStream, type MediaStats, type MediaStream } from '../media/create-media-stream.ts'
import { writeHostPort } from '../message/header-values.ts'
import type { SipHeader, SipResponse } from '../message/sip-message.ts'
import { SipParseError } from '../message/sip-parse-error.ts'
import type { SipPeer } from '../ports.ts'
import { contactOf, type Dialog, nextHop, requestInDialog } from '../session/dialog.ts'
import { type MediaPlan, negotiate } from '../session/negotiate.ts'
import type { OwnDescription } from '../session/sdp.ts'
import { type SessionTimer, timerDelayMs } from '../session/session-timer.ts'
import { receiveInLeg } from './leg-requests.ts'
import { referTo } from './refer.ts'
import { createReinviter } from './reinvite.ts'
import { sendRequest } from './send-request.ts'
import { type AgentContext, type LegControl, type LegEnd, LegError, type LegStart } from './sip-leg.ts'

/** A leg's state and what its parts may do with it. */
export interface OpenLeg {
  readonly context: AgentContext
  readonly start: LegStart
  dialog: Dialog
  own: OwnDescription
  plan: MediaPlan | null
  isHolding: boolean
  isEnded: boolean
  /** Whether an INVITE of ours waits for its answer. */
  isInviting: boolean
  awaitsAck: boolean
  /** Whether the ACK of an answer of ours has the description of the other side. */
  expectsAnswer: boolean
  /** What the other side is told with a 2xx, and the headers of its Contact. */
  contact(): SipHeader
  setPlan(plan: MediaPlan): void
  setTimer(timer: SessionTimer | null): void
  timer: SessionTimer | null
  /** Sends a request in the dialog. @returns the final answer; 408 when none came */
  request(method: string, headers?: readonly SipHeader[], body?: string): Promise<SipResponse | null>
  acknowledge(response: SipResponse): void
  /** The other side did not acknowledge an answer of ours. */
  acknowledgeTimeout(): void
  end(end: LegEnd): void
  hangup(end: LegEnd, reason?: string): void
  /** Called with the statuses that the other side tells about a transfer. */
  onTransferStatus: ((status: number) => void) | null
  changed(): void
}

/** Silence for calls whose audio is not described yet. */
const noStats: MediaStats = {
  received: 0,
  duplicate: 0,
  late: 0,
  lost: 0,
  trimmed: 0,
  sent: 0,
  ignored: 0,
  lostByPeer: null,
  roundTripMs: null,
}

/** A call from its answer to its end. */
export function createLeg(start: LegStart, context: AgentContext): LegControl {
  const { trunk, socket, events } = start
  const isPeer = (host: string) => context.trunks.isOf(trunk, host)
  let stream: MediaStream | null = null
  let stopTimer = () => {}
  let deferredBye: (() => void) | null = null

  const leg: OpenLeg = {
    context,
    start,
    dialog: start.dialog,
    own: start.own,
    plan: null,
    timer: null,
    isHolding: false,
    isEnded: false,
    isInviting: false,
    awaitsAck: start.awaitsAck,
    expectsAnswer: start.plan === null,
    onTransferStatus: null,
    changed: () => events.onChanged?.(),
    contact: () => contactHeader(context, leg.dialog.peer),
    setPlan(plan) {
      const wasHeld = leg.plan !== null && isHold(leg.plan)
      leg.plan = plan
      if (stream === null)
        stream = createMediaStream(plan, leg.own.direction, mediaEvents, { ...context, socket, isPeer })
      else stream.setPlan(plan, leg.own.direction)
      if (isHold(plan) !== wasHeld) events.onHold?.(isHold(plan))
    },
    setTimer(timer) {
      stopTimer()
      leg.timer = timer
      if (timer === null || leg.isEnded) return
      const act = () => (timer.isOurs ? void reinviter.refresh() : leg.hangup('expired', 'Session expired'))
      stopTimer = context.clock.schedule(act, timerDelayMs(timer))
    },
    request: (method, headers = [], body = '') =>
      new Promise((resolve) => {
        const draft = (authorization: readonly SipHeader[]) => {
          leg.dialog = { ...leg.dialog, localCseq: leg.dialog.localCseq + 1 }
          const cseq = leg.dialog.localCseq
          return requestInDialog(leg.dialog, method, { headers: [...headers, ...authorization], body, cseq })
        }
        const onResponse = (response: SipResponse) => {
          if (response.status < 200) return
          if (method === 'INVITE' && response.status < 300) leg.acknowledge(response)
          resolve(response)
        }
        const target = { to: nextHop(leg.dialog, isPeer), trunk, draft }
        sendRequest(target, { onResponse, onTimeout: () => resolve(null) }, context)
      }),
    acknowledge(response) {
      try {
        leg.dialog = { ...leg.dialog, remoteTarget: contactOf(response) }
      } catch (error) {
        // An answer within a call may leave out its Contact; the last one stays.
        if (!(error instanceof SipParseError)) throw error
      }
      const ack = requestInDialog(leg.dialog, 'ACK', { cseq: response.cseq.number })
      context.transactions.acknowledge(ack, nextHop(leg.dialog, isPeer))
    },
    acknowledgeTimeout() {
      leg.awaitsAck = false
      if (deferredBye === null) leg.hangup('lost', 'No ACK')
      else sayBye()
    },
    end(end) {
      if (leg.isEnded) return
      leg.isEnded = true
      stopTimer()
      // A leg that waits for its ACK still takes it.
      if (deferredBye === null) unregister()
      if (stream === null) socket.close()
      else stream.close()
      leg.onTransferStatus?.(0)
      events.onEnded(end)
    },
    hangup(end, reason = '') {
      if (leg.isEnded) return
      const text = reason.replaceAll(/[^\x20-\x7e]/g, ' ').replaceAll(/["\\]/g, "'")
      const headers = text === '' ? [] : [{ name: 'reason', value: `SIP;cause=200;text="${text}"` }]
      const bye = () => void leg.request('BYE', headers)
      // The side that answered waits for the ACK first (RFC 3261, section 15).
      if (leg.awaitsAck) deferredBye = bye
      else bye()
      leg.end(end)
    },
  }
  const mediaEvents = {
    onAudio: (pcm: Int16Array) => leg.isEnded || events.onAudio(pcm),
    onKey: (key: string) => leg.isEnded || events.onDtmf(key),
  }
  const sayBye = () => {
    if (deferredBye === null) return
    deferredBye()
    deferredBye = null
    unregister()
  }
  const reinviter = createReinviter(leg)
  const control: LegControl = {
    callId: start.dialog.callId,
    remoteTag: start.dialog.remoteTag,
    send: (pcm) => stream?.queue(pcm),
    clear: () => stream?.clear() ?? 0,
    get playedMs() {
      return stream?.playedMs ?? 0
    },
    get queuedMs() {
      return stream?.queuedMs ?? 0
    },
    sendDtmf: (keys) => stream?.press(keys),
    hold: (isHolding) => reinviter.hold(isHolding),
    refer: (target) => referTo(leg, target),
    hangup: (reason) => leg.hangup('local_bye', reason),
    snapshot() {
      if (leg.plan === null) throw new LegError(488, 'A call without a description')
      return { trunkId: trunk.id, dialog: leg.dialog, own: leg.own, plan: leg.plan, timer: leg.timer }
    },
    get stats() {
      return stream?.stats ?? noStats
    },
    get isEnded() {
      return leg.isEnded
    },
    receive: (transaction, from) => receiveInLeg(leg, transaction, from),
    acknowledgeTimeout: () => leg.acknowledgeTimeout(),
    takeOver: () => reinviter.hold(false),
    acknowledged(body) {
      leg.awaitsAck = false
      sayBye()
      if (!leg.expectsAnswer || leg.isEnded) return
      leg.expectsAnswer = false
      const plan = planOf(body)
      if (plan === null) leg.hangup('lost', 'No audio was described')
      else leg.setPlan(plan)
    },
  }
  const unregister = context.register(control, start.dialog)
  if (start.plan !== null) leg.setPlan(start.plan)
  leg.setTimer(start.timer)
  return control
}

function planOf(description: string): MediaPlan | null {
  try {
    return negotiate(description)?.plan ?? null
  } catch (error) {
    if (error instanceof SipParseError) return null
    throw error
  }
}

function isHold({ direction }: MediaPlan): boolean {
  return direction === 'sendonly' || direction === 'inactive'
}

export function contactHeader({ addressFor }: Pick<AgentContext, 'addressFor'>, peer: SipPeer): SipHeader {
  const { host, port } = addressFor(peer)
  const transport = peer.transport === 'udp' ? '' : `;transport=${peer.transport}`
  return { name: 'contact', value: `<sip:ratchet@${writeHostPort(host, port)}${transport}>` }
}
