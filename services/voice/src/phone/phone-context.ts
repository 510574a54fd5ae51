import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { SipAgent } from '@ratchet/sip/agent/create-sip-agent'
import type { LegEnd, SipLeg } from '@ratchet/sip/agent/sip-leg'
import type { SipTrunk, Trunks } from '@ratchet/sip/agent/trunks'
import type { AgentStore } from '../agents/agent-store.ts'
import type { StoredCall } from '../calls/call.ts'
import type { CallMoney, PaidCall } from '../calls/call-money.ts'
import type { CallWork } from '../calls/call-work.ts'
import type { CallWorker } from '../calls/call-worker.ts'
import type { HeldSession } from '../calls/hold-call.ts'
import type { PreparedCall } from '../calls/prepared-call.ts'
import type { CanaryStore } from '../canaries/canary.ts'
import { destinationProblem, numberInAddress } from '../numbers/destinations.ts'
import type { StoredNumber } from '../numbers/number.ts'
import type { NumberStore } from '../numbers/number-store.ts'
import type { PhoneWork } from './phone-work.ts'
import { createSipLine, type SipLine } from './sip-line.ts'

export interface PhoneDeps {
  readonly work: PhoneWork
  readonly calls: Pick<CallWork, 'end'>
  readonly worker: Pick<CallWorker, 'reserve' | 'begin' | 'hold'>
  readonly workerId: string
  readonly money: Pick<CallMoney, 'hold' | 'hasPrice'>
  readonly agents: AgentStore
  readonly canaries: Pick<CanaryStore, 'get'>
  readonly numbers: Pick<NumberStore, 'spentToday'>
  readonly paidCallOf: (call: StoredCall) => Promise<PaidCall>
  readonly now: () => Date
  /** A monotonic clock. */
  readonly nowMs: () => number
  readonly newId: () => string
  /** Calls back again and again. @returns a function that ends it */
  readonly every: (ms: number, work: () => void) => () => void
  readonly onError: (error: unknown, call?: { readonly callId: string }) => void
}

/** What this worker knows of numbers and of calls that ring. */
export interface PhoneContext extends PhoneDeps {
  readonly agent: SipAgent
  /** For calls that come in, until they are held: each takes a place of the worker and statements of the database. */
  readonly taking: FairPlaces
  /** Learns which numbers there are. */
  readonly readNumbers: () => Promise<void>
  numbersNow: readonly StoredNumber[]
  trunksNow: Trunks
  /** Functions that end calls which ring, by the ids of the calls. */
  readonly ringing: Map<string, (by: StoppedBy) => void>
}

/** Who ends a call that rings: the API, or this worker, which stops. */
export type StoppedBy = 'api' | 'worker'

const checkpointMs = 1_000

/** Keeps the money of a call that rings. @returns a function that stops doing so */
export function keepHeld({ every }: PhoneDeps, { meter, call }: PreparedCall): () => void {
  return every(checkpointMs, () => meter.checkpoint(call.usage))
}

export interface OpenedLine {
  readonly line: SipLine
  /** The call is held: what happens to the line reaches it, also what happened before. */
  bind(session: HeldSession, leg: SipLeg): void
}

const reasonOf = { remote_bye: 'caller_hangup', lost: 'carrier_error', expired: 'carrier_error' } as const

/** The line of a call that is about to be answered. */
export function openLine(context: PhoneContext, call: StoredCall, trunk: SipTrunk): OpenedLine {
  const { work, nowMs, onError } = context
  let session: HeldSession | null = null
  let leg: SipLeg | null = null
  let ended: LegEnd | null = null
  const end = (how: LegEnd) => {
    ended = how
    if (how !== 'local_bye' && how !== 'left') session?.ended(reasonOf[how])
  }
  const line = createSipLine(
    {
      onEnded: end,
      onNoMedia: () => session?.ended('no_media'),
      onChanged() {
        if (leg === null || session === null || leg.isEnded) return
        void work.saveDialog(session.call, leg.snapshot()).catch((error) => onError(error, { callId: call.id }))
      },
    },
    { nowMs, targetOf: (to) => transferTarget(context, { call, trunk, to }) },
  )
  return {
    line,
    bind(held, connected) {
      session = held
      leg = connected
      if (ended !== null) end(ended)
    },
  }
}

/** Where a trunk connects a caller; null: the number of the call may not call there. */
export function transferTarget(
  { numbersNow }: Pick<PhoneContext, 'numbersNow'>,
  { call, trunk, to }: { readonly call: Pick<StoredCall, 'phone'>; readonly trunk: SipTrunk; readonly to: string },
): string | null {
  // Those of an agent may also be addresses, which its workspace chose. One of a number is dialled like a number.
  const isAddress = /^sips?:/.test(to)
  const dialled = isAddress ? numberInAddress(to) : to
  if (dialled === null) return to
  const number = numbersNow.find(({ id }) => id === call.phone?.numberId)
  if (number === undefined || destinationProblem(dialled, number.settings.allowed_countries) !== null) return null
  return isAddress ? to : uriAt(trunk, to)
}

/** A number at a trunk. */
export function uriAt({ target: { host, port, transport } }: SipTrunk, number: string): string {
  const place = host.includes(':') ? `[${host}]` : host
  return `sip:${number}@${place}:${port}${transport === 'udp' ? '' : `;transport=${transport}`}`
}
