import type { ResponseDraft, SipRequest } from '../message/sip-message.ts'
import { writeResponse } from '../message/write-message.ts'
import type { SipClock } from '../ports.ts'
import { giveUpMs, repeat, t2Ms, t4Ms } from './timers.ts'

/** A request of a peer with its answers (RFC 3261, section 17.2). An INVITE is answered 100 at once. */
export interface ServerTransaction {
  readonly request: SipRequest
  /**
   * Sends an answer, and sends it again until the other side has it. Answers after a final one are left out.
   *
   * @param events of an INVITE that was answered 2xx
   */
  respond(draft: ResponseDraft, events?: { onAckTimeout(): void }): void
  /** The tag that our answers put into To. */
  readonly toTag: string
  readonly isAnswered: boolean
  /** What to do when the caller of an INVITE no longer waits for the answer. */
  onCancel(listener: () => void): void
}

/** The side of the transaction that only the layer of transactions uses. */
export interface ServerTransactionControl extends ServerTransaction {
  /** The same request again. */
  repeatAnswer(): void
  /** The other side has the final answer of this INVITE. */
  acknowledge(): void
  cancel(): void
}

export interface ServerDeps {
  readonly clock: SipClock
  readonly send: (message: Buffer) => void
  readonly isReliable: boolean
  readonly toTag: string
  readonly onEnd: () => void
}

export function createServerTransaction(request: SipRequest, deps: ServerDeps): ServerTransactionControl {
  const { clock, send, isReliable, toTag } = deps
  const isInvite = request.method === 'INVITE'
  let latest: Buffer | null = null
  let isAnswered = false
  let isAcknowledged = false
  let stopRepeats = () => {}
  let stopWaiting = () => {}
  let onCancel = () => {}

  const endIn = (delayMs: number) => {
    stopWaiting()
    stopWaiting = clock.schedule(() => {
      stopRepeats()
      deps.onEnd()
    }, delayMs)
  }
  const awaitAck = (isSuccess: boolean, onAckTimeout: () => void) => {
    // An answer with 2xx goes from end to end, so it is repeated on connections too.
    if (isSuccess || !isReliable) stopRepeats = repeat(clock.schedule, () => latest !== null && send(latest), t2Ms)
    stopWaiting = clock.schedule(() => {
      stopRepeats()
      deps.onEnd()
      if (isSuccess) onAckTimeout()
    }, giveUpMs)
  }
  const respond: ServerTransaction['respond'] = (draft, events) => {
    if (isAnswered) return
    latest = writeResponse(request, draft, toTag)
    send(latest)
    if (draft.status < 200) return
    isAnswered = true
    if (isInvite) awaitAck(draft.status < 300, () => events?.onAckTimeout())
    else endIn(isReliable ? 0 : giveUpMs)
  }
  if (isInvite) respond({ status: 100 })
  return {
    request,
    toTag,
    respond,
    get isAnswered() {
      return isAnswered
    },
    onCancel(listener) {
      onCancel = listener
    },
    repeatAnswer() {
      if (latest !== null && !isAcknowledged) send(latest)
    },
    acknowledge() {
      if (!isAnswered || isAcknowledged) return
      isAcknowledged = true
      stopRepeats()
      endIn(isReliable ? 0 : t4Ms)
    },
    cancel: () => onCancel(),
  }
}
