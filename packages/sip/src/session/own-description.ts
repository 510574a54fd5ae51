import { isDeepStrictEqual } from 'node:util'
import type { HostPort, RandomBytes } from '../ports.ts'
import { answerDirection, type MediaPlan, offeredCodecs, offeredEventType } from './negotiate.ts'
import type { Direction, OwnDescription, SdpMedia } from './sdp.ts'

/** Our first offer. */
export function ownOffer({ host, port }: HostPort, random: RandomBytes): OwnDescription {
  const view = new DataView(Uint8Array.from(random(4)).buffer)
  return {
    sessionId: String(view.getUint32(0)),
    version: 1,
    host,
    port,
    codecs: offeredCodecs,
    eventPayloadType: offeredEventType,
    direction: 'sendrecv',
    offered: [],
  }
}

/** Our answer to an offer. The version grows when anything differs from what we said before. */
export function ownAnswer(
  before: OwnDescription,
  { plan, offered }: { readonly plan: MediaPlan; readonly offered: readonly SdpMedia[] },
  isHolding: boolean,
): OwnDescription {
  return changed(before, {
    codecs: [{ name: plan.codec, payloadType: plan.payloadType }],
    eventPayloadType: plan.eventPayloadType,
    direction: answerDirection(plan.direction, isHolding),
    offered,
  })
}

/** An offer within a call: the same codecs and, where the other side had more streams, these refused. */
export function ownReoffer(before: OwnDescription, isHolding: boolean): OwnDescription {
  const direction: Direction = isHolding ? 'sendonly' : 'sendrecv'
  return changed(before, { ...pick(before), codecs: offeredCodecs, direction })
}

/** The address of another process that goes on with the call. */
export function movedTo(before: OwnDescription, { host, port }: HostPort): OwnDescription {
  return { ...before, host, port, version: before.version + 1 }
}

type Changing = Pick<OwnDescription, 'codecs' | 'eventPayloadType' | 'direction' | 'offered'>

function pick({ codecs, eventPayloadType, direction, offered }: OwnDescription): Changing {
  return { codecs, eventPayloadType, direction, offered }
}

function changed(before: OwnDescription, next: Changing): OwnDescription {
  const isSame = isDeepStrictEqual(pick(before), next)
  return { ...before, ...next, version: before.version + (isSame ? 0 : 1) }
}
