import type { SipHeader } from '../message/sip-message.ts'
import { tryNegotiate } from '../session/negotiate.ts'
import { ownReoffer } from '../session/own-description.ts'
import { writeSdp } from '../session/sdp.ts'
import { acceptedTimer, minIntervalSeconds } from '../session/session-timer.ts'
import type { OpenLeg } from './open-leg.ts'
import { LegError } from './sip-leg.ts'

/** Offers of ours within a call. */
export interface Reinviter {
  /** @throws LegError */
  hold(isHolding: boolean): Promise<void>
  /** Says again what was said, for the session timer. */
  refresh(): Promise<void>
}

const maxTries = 4

export function createReinviter(leg: OpenLeg): Reinviter {
  let queue: Promise<void> = Promise.resolve()
  /** One after the other: a side has one INVITE under way at a time (RFC 3261, section 14.1). */
  const enqueue = (work: () => Promise<void>): Promise<void> => {
    const done = queue.then(work)
    queue = done.catch(() => {})
    return done
  }
  return {
    hold: (isHolding) =>
      enqueue(async () => {
        leg.isHolding = isHolding
        await reinvite(leg)
      }),
    refresh: () =>
      enqueue(async () => {
        try {
          await reinvite(leg)
        } catch (error) {
          if (!(error instanceof LegError)) throw error
          // It tries again at the next half of the interval; a call that is not known any more has ended already.
          leg.setTimer(leg.timer)
        }
      }),
  }
}

/** @throws LegError */
async function reinvite(leg: OpenLeg): Promise<void> {
  for (let tries = 1; ; tries++) {
    if (leg.isEnded) throw new LegError(481, 'INVITE')
    const status = await tryOnce(leg)
    if (status < 300) return
    if (status === 481 || status === 408) {
      leg.hangup('lost', 'The call is not known any more')
      throw new LegError(status, 'INVITE')
    }
    if (status !== 491 || tries === maxTries) throw new LegError(status, 'INVITE')
    await new Promise<void>((resolve) => {
      leg.context.clock.schedule(resolve, glareDelayMs(leg))
    })
  }
}

async function tryOnce(leg: OpenLeg): Promise<number> {
  if (leg.isInviting || leg.awaitsAck) return 491
  const own = ownReoffer(leg.own, leg.isHolding)
  leg.isInviting = true
  const response = await leg.request('INVITE', [leg.contact(), ...sdpHeaders, ...timerOf(leg)], writeSdp(own))
  leg.isInviting = false
  if (response === null) return 408
  if (response.status >= 300 || leg.isEnded) return response.status
  leg.own = own
  const agreed = tryNegotiate(response.body)
  if (agreed === null) return 488
  leg.setPlan(agreed.plan)
  leg.setTimer(acceptedTimer(response))
  leg.changed()
  return response.status
}

export const sdpHeaders: readonly SipHeader[] = [{ name: 'content-type', value: 'application/sdp' }]

function timerOf({ timer }: OpenLeg): SipHeader[] {
  if (timer === null) return [{ name: 'supported', value: 'timer' }]
  const refresher = timer.isOurs ? 'uac' : 'uas'
  return [
    { name: 'supported', value: 'timer' },
    { name: 'session-expires', value: `${timer.intervalSeconds};refresher=${refresher}` },
    { name: 'min-se', value: String(minIntervalSeconds) },
  ]
}

/** Both sides wait for different times (RFC 3261, section 14.1): the one that called for longer. */
function glareDelayMs({ context, start }: OpenLeg): number {
  const part = (context.random(1)[0] ?? 0) / 255
  return start.isCaller ? 2_100 + 1_900 * part : 2_000 * part
}
