import type { LegEnd, LegEvents, SipLeg } from '@ratchet/sip/agent/sip-leg'
import { LegError } from '@ratchet/sip/agent/sip-leg'
import type { CallLine } from '../calls/call-line.ts'
import type { TransportEvents } from '../engine/ports.ts'
import { createSipTransport } from '../transports/sip/create-sip-transport.ts'

export interface SipLine extends CallLine {
  /** To be given to whatever opens the leg. */
  readonly legEvents: LegEvents
  attach(leg: SipLeg): void
}

export interface SipLineEvents {
  /** The other side ended the call, or it is lost. */
  onEnded(end: LegEnd): void
  /** No audio came for a long time. */
  onNoMedia(): void
  /** What another worker would have to know has changed. */
  onChanged(): void
}

/** Without a packet of the other side for this long, nobody is there any more. */
const noMediaMs = 15_000

/** The line of a call by SIP. @param targetOf the SIP URI at which the trunk reaches a number; null: it may not be called */
export function createSipLine(
  { onEnded, onNoMedia, onChanged }: SipLineEvents,
  { nowMs, targetOf }: { readonly nowMs: () => number; readonly targetOf: (to: string) => string | null },
): SipLine {
  let events: TransportEvents | null = null
  let leg: SipLeg | null = null
  let isHeld = false
  let received = -1
  let receivedAtMs = nowMs()
  const transport = createSipTransport({
    onAudio: (pcm) => events?.onAudio(pcm),
    onKey: (key) => events?.onKey(key),
    onPlayed: (utterance, ms) => events?.onPlayed(utterance, ms),
    onCleared: (utterance, ms) => events?.onCleared(utterance, ms),
    onGone: () => undefined,
  })

  function watchMedia(): void {
    if (leg === null) return
    const { received: present } = leg.stats
    const atMs = nowMs()
    if (present !== received || isHeld) {
      received = present
      receivedAtMs = atMs
    } else if (atMs - receivedAtMs >= noMediaMs) {
      receivedAtMs = atMs
      onNoMedia()
    }
  }

  return {
    transport,
    legEvents: {
      ...transport.legEvents,
      onHold(held) {
        isHeld = held
      },
      onChanged,
      onEnded,
    },
    attach(answered) {
      leg = answered
      receivedAtMs = nowMs()
      transport.attach(answered)
    },
    connect(to) {
      events = to
    },
    begin: () => undefined,
    passFrame: watchMedia,
    show: () => undefined,
    async transfer(to) {
      const target = targetOf(to)
      if (target === null) return false
      try {
        const status = await leg?.refer(target)
        return status !== undefined && status < 300
      } catch (error) {
        if (error instanceof LegError) return false
        throw error
      }
    },
    press(keys) {
      if (leg === null || leg.isEnded) return false
      leg.sendDtmf(keys)
      return true
    },
    close({ kind }) {
      if (kind === 'ended') leg?.hangup()
      else leg?.leave()
    },
  }
}
