import { writeNameAddress } from '../message/header-values.ts'
import type { RequestDraft, SipResponse } from '../message/sip-message.ts'
import { writeRequest } from '../message/write-message.ts'
import type { SipClock, SipPeer } from '../ports.ts'
import { giveUpMs, repeat, t2Ms, t4Ms } from './timers.ts'

/** How long an INVITE that was refused takes the same answer again. */
const absorbMs = 32_000

export interface ClientEvents {
  /** Called for provisional answers and for the first final one; for an INVITE also for each further answer with 2xx. */
  onResponse(response: SipResponse, from: SipPeer): void
  /** No final answer came in time. */
  onTimeout(): void
}

/** A request of ours with its repetitions (RFC 3261, section 17.1, with the state `accepted` of RFC 6026). */
export interface ClientTransaction {
  readonly branch: string
  receive(response: SipResponse, from: SipPeer): void
  /** Asks the other side to end an INVITE without an answer, as soon as it has said that it works on it. */
  cancel(): void
}

export interface ClientDeps {
  readonly clock: SipClock
  readonly send: (message: Buffer) => void
  readonly via: string
  readonly branch: string
  readonly isReliable: boolean
  /** Starts the transaction of a CANCEL with the same branch. */
  readonly startCancel: (draft: RequestDraft) => void
  readonly onEnd: () => void
}

type Phase = 'trying' | 'proceeding' | 'refused' | 'accepted' | 'ended'

export function createClientTransaction(
  draft: RequestDraft,
  events: ClientEvents,
  deps: ClientDeps,
): ClientTransaction {
  const { clock, send, via, isReliable } = deps
  const isInvite = draft.method === 'INVITE'
  const message = writeRequest(draft, via)
  let phase: Phase = 'trying'
  let isCancelling = false
  let acknowledgement: Buffer | null = null
  send(message)
  let stopRepeats = isReliable ? () => {} : repeat(clock.schedule, () => send(message), isInvite ? giveUpMs : t2Ms)
  let stopWaiting = clock.schedule(() => end(true), giveUpMs)

  const end = (isTimeout: boolean) => {
    if (phase === 'ended') return
    phase = 'ended'
    stopRepeats()
    stopWaiting()
    deps.onEnd()
    if (isTimeout) events.onTimeout()
  }
  const endIn = (delayMs: number) => {
    stopRepeats()
    stopRepeats = () => {}
    stopWaiting()
    stopWaiting = clock.schedule(() => end(false), delayMs)
  }
  const sendCancel = () => {
    deps.startCancel(cancelOf(draft))
    stopWaiting()
    stopWaiting = clock.schedule(() => end(true), giveUpMs)
  }
  const proceed = (response: SipResponse, from: SipPeer) => {
    const isFirst = phase === 'trying'
    if (isInvite) stopRepeats()
    // A call may ring for as long as the caller of this function lets it.
    if (isInvite && isFirst) stopWaiting()
    phase = 'proceeding'
    if (isCancelling && isFirst) sendCancel()
    events.onResponse(response, from)
  }
  return {
    branch: deps.branch,
    receive(response, from) {
      if (phase === 'ended') return
      if (phase === 'refused') {
        if (acknowledgement !== null && response.status >= 300) send(acknowledgement)
        return
      }
      if (phase === 'accepted') {
        if (response.status >= 200 && response.status < 300) events.onResponse(response, from)
        return
      }
      if (response.status < 200) {
        proceed(response, from)
        return
      }
      if (isInvite && response.status < 300) {
        phase = 'accepted'
        endIn(giveUpMs)
      } else {
        phase = 'refused'
        if (isInvite) {
          acknowledgement = writeRequest(refusalAck(draft, response), via)
          send(acknowledgement)
        }
        endIn(isReliable ? 0 : isInvite ? absorbMs : t4Ms)
      }
      events.onResponse(response, from)
    },
    cancel() {
      if (!isInvite || isCancelling || (phase !== 'trying' && phase !== 'proceeding')) return
      isCancelling = true
      if (phase === 'proceeding') sendCancel()
    },
  }
}

const sharedHeaders = ['from', 'to', 'call-id', 'route', 'max-forwards']

function cancelOf({ uri, headers }: RequestDraft): RequestDraft {
  return {
    method: 'CANCEL',
    uri,
    headers: [...headers.filter(({ name }) => sharedHeaders.includes(name)), cseqOf(headers, 'CANCEL')],
    body: '',
  }
}

function refusalAck({ uri, headers }: RequestDraft, response: SipResponse): RequestDraft {
  const kept = headers.filter(({ name }) => name !== 'to' && sharedHeaders.includes(name))
  const to = { name: 'to', value: writeNameAddress(response.to) }
  return { method: 'ACK', uri, headers: [...kept, to, cseqOf(headers, 'ACK')], body: '' }
}

function cseqOf(headers: RequestDraft['headers'], method: string) {
  const value = headers.find(({ name }) => name === 'cseq')?.value ?? ''
  return { name: 'cseq', value: `${value.split(' ')[0]} ${method}` }
}
