import { createMediaStream, type MediaStream } from '../media/create-media-stream.ts'
import type { SipHeader, SipResponse } from '../message/sip-message.ts'
import { SipParseError } from '../message/sip-parse-error.ts'
import { contactOf, type Dialog, nextHop, requestInDialog } from '../session/dialog.ts'
import { type MediaPlan, tryNegotiate } from '../session/negotiate.ts'
import type { OwnDescription } from '../session/sdp.ts'
import { type SessionTimer, timerDelayMs } from '../session/session-timer.ts'
import { contactHeader } from './contact-header.ts'
import { sendRequest } from './send-request.ts'
import type { AgentContext, LegEnd, LegStart } from './sip-leg.ts'

/** The state of a leg, and what its parts may do with it. */
export class OpenLeg {
  readonly context: AgentContext
  readonly start: LegStart
  dialog: Dialog
  /** What we described last. */
  own: OwnDescription
  /** What the other side described last; null before. */
  plan: MediaPlan | null = null
  timer: SessionTimer | null = null
  stream: MediaStream | null = null
  isHolding = false
  isEnded = false
  /** Whether an INVITE of ours waits for its answer. */
  isInviting = false
  /** Whether an answer of ours to an INVITE waits for its ACK. */
  awaitsAck: boolean
  /** Whether that ACK has the description of the other side. */
  expectsAnswer: boolean
  /** Called with the final status of a transfer; 0 when the leg ends before. */
  onTransferStatus: ((status: number) => void) | null = null
  /** Called when we have to refresh the session. */
  onRefresh: () => void = () => {}
  /** Set when the leg is registered. */
  unregister: () => void = () => {}
  #stopTimer = () => {}
  #deferredBye: (() => void) | null = null

  constructor(start: LegStart, context: AgentContext) {
    this.context = context
    this.start = start
    this.dialog = start.dialog
    this.own = start.own
    this.awaitsAck = start.awaitsAck
    this.expectsAnswer = start.plan === null
  }

  changed(): void {
    this.start.events.onChanged?.()
  }

  contact(): SipHeader {
    return contactHeader(this.context, this.dialog.peer)
  }

  setPlan(plan: MediaPlan): void {
    const { events, socket } = this.start
    const wasHeld = this.plan !== null && isHold(this.plan)
    this.plan = plan
    const mediaEvents = {
      onAudio: (pcm: Int16Array) => this.isEnded || events.onAudio(pcm),
      onKey: (key: string) => this.isEnded || events.onDtmf(key),
      onPlayed: (playedMs: number) => events.onPlayed?.(playedMs),
    }
    const deps = { ...this.context, socket, peers: { isPeer: this.#isPeer, mayReach: this.context.mayReach } }
    if (this.stream === null) this.stream = createMediaStream(plan, this.own.direction, mediaEvents, deps)
    else this.stream.setPlan(plan, this.own.direction)
    if (isHold(plan) !== wasHeld) events.onHold?.(isHold(plan))
  }

  setTimer(timer: SessionTimer | null): void {
    this.#stopTimer()
    this.timer = timer
    if (timer === null || this.isEnded) return
    const act = () => (timer.isOurs ? this.onRefresh() : this.hangup('expired', 'Session expired'))
    this.#stopTimer = this.context.clock.schedule(act, timerDelayMs(timer))
  }

  /** Sends a request in the dialog. @returns the final answer; null when none came */
  request(method: string, headers: readonly SipHeader[] = [], body = ''): Promise<SipResponse | null> {
    return new Promise((resolve) => {
      const draft = (authorization: readonly SipHeader[]) => {
        const cseq = this.dialog.localCseq + 1
        this.dialog = { ...this.dialog, localCseq: cseq }
        return requestInDialog(this.dialog, method, { headers: [...headers, ...authorization], body, cseq })
      }
      const onResponse = (response: SipResponse) => {
        if (response.status < 200) return
        if (method === 'INVITE' && response.status < 300) this.#acknowledge(response)
        resolve(response)
      }
      const target = { to: nextHop(this.dialog, this.#isPeer), trunk: this.start.trunk, draft }
      sendRequest(target, { onResponse, onTimeout: () => resolve(null) }, this.context)
    })
  }

  #acknowledge(response: SipResponse): void {
    try {
      this.dialog = { ...this.dialog, remoteTarget: contactOf(response) }
    } catch (error) {
      // An answer within a call may leave out its Contact; the last one stays.
      if (!(error instanceof SipParseError)) throw error
    }
    const ack = requestInDialog(this.dialog, 'ACK', { cseq: response.cseq.number })
    this.context.transactions.acknowledge(ack, nextHop(this.dialog, this.#isPeer))
  }

  /** The other side has our answer. */
  acknowledged(body: string): void {
    this.awaitsAck = false
    this.#sayBye()
    if (!this.expectsAnswer || this.isEnded) return
    this.expectsAnswer = false
    const plan = tryNegotiate(body)?.plan
    if (plan === undefined) this.hangup('lost', 'No audio was described')
    else this.setPlan(plan)
  }

  /** The other side did not acknowledge our answer. */
  acknowledgeTimeout(): void {
    this.awaitsAck = false
    if (this.#deferredBye === null) this.hangup('lost', 'No ACK')
    else this.#sayBye()
  }

  end(end: LegEnd): void {
    if (this.isEnded) return
    this.isEnded = true
    this.#stopTimer()
    // A leg whose BYE waits for an ACK still takes it.
    if (this.#deferredBye === null) this.unregister()
    if (this.stream === null) this.start.socket.close()
    else this.stream.close()
    this.onTransferStatus?.(0)
    this.start.events.onEnded(end)
  }

  hangup(end: LegEnd, reason = ''): void {
    if (this.isEnded) return
    const text = reason.replaceAll(/[^\x20-\x7e]/g, ' ').replaceAll(/["\\]/g, "'")
    const headers = text === '' ? [] : [{ name: 'reason', value: `SIP;cause=200;text="${text}"` }]
    const bye = () => void this.request('BYE', headers)
    // The side that answered waits for the ACK first (RFC 3261, section 15).
    if (this.awaitsAck) this.#deferredBye = bye
    else bye()
    this.end(end)
  }

  #sayBye(): void {
    if (this.#deferredBye === null) return
    this.#deferredBye()
    this.#deferredBye = null
    this.unregister()
  }

  readonly #isPeer = (host: string) => this.context.trunks.isOf(this.start.trunk, host)
}

function isHold({ direction }: MediaPlan): boolean {
  return direction === 'sendonly' || direction === 'inactive'
}
