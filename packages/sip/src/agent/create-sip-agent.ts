import type { FramePacer } from '@ratchet/audio/create-frame-pacer'
import { maxMessageBytes, parseMessage } from '../message/parse-message.ts'
import type { SipMessage } from '../message/sip-message.ts'
import { SipParseError } from '../message/sip-parse-error.ts'
import type { MediaSocket, RandomBytes, SignallingSockets, SipClock, SipPeer } from '../ports.ts'
import { nextHop, requestInDialog } from '../session/dialog.ts'
import { movedTo } from '../session/own-description.ts'
import { createTransactions } from '../transactions/create-transactions.ts'
import type { ServerTransaction } from '../transactions/server-transaction.ts'
import { createLeg } from './create-leg.ts'
import { createIncomingCall, type IncomingCall } from './incoming-call.ts'
import { allowHeader } from './leg-requests.ts'
import { type DialOptions, dial, type OutgoingCall } from './outgoing-call.ts'
import { pingTrunk } from './ping-trunk.ts'
import {
  type AgentContext,
  type LegControl,
  LegError,
  type LegEvents,
  type LegSnapshot,
  type SipLeg,
} from './sip-leg.ts'
import { createTokenBuckets, createTrunks, type SipTrunk, type Trunks } from './trunks.ts'

/** Calls by SIP: takes those of trunks and makes calls to them. */
export interface SipAgent {
  /** @throws RangeError for an unknown trunk @throws SipParseError for a wrong URI */
  dial(options: DialOptions): OutgoingCall
  /**
   * Goes on with a call of another process: offers its own address to the other side.
   *
   * @throws LegError when the other side does not know the call any more; 503 when no port is free
   */
  resume(snapshot: LegSnapshot, events: LegEvents): Promise<SipLeg>
  /** Hangs up a call of another process. */
  abandon(snapshot: LegSnapshot): void
  /** Asks a trunk whether it is there. @returns milliseconds until its answer, or null when none came */
  ping(trunkId: string): Promise<number | null>
  /** From now on these, which are returned; calls under way go on. @throws RangeError for what is no address or network */
  setTrunks(trunks: readonly SipTrunk[]): Trunks
  readonly counts: Readonly<AgentCounts>
}

export interface AgentCounts {
  /** Messages from addresses of no trunk. */
  unknown: number
  /** Messages beyond what an address may send. */
  limited: number
  /** What was no SIP. */
  malformed: number
  /** Calls under way. */
  legs: number
}

export interface SipAgentOptions {
  readonly trunks: readonly SipTrunk[]
  readonly sockets: SignallingSockets
  /** Opens the ports of one call. It rejects when none is free. */
  readonly openMedia: () => Promise<MediaSocket>
  /** Whether audio may be sent to a host that the other side describes, beside the addresses of its trunk. */
  readonly mayReach: (host: string) => boolean
  readonly clock: SipClock
  readonly pacer: FramePacer
  readonly random: RandomBytes
  /** Called with each call of a trunk. Without an answer or a refusal the caller waits until it gives up. */
  readonly onInvite: (call: IncomingCall) => void
  /** Messages that an address may send; 500 a second and 1,000 at once when left out. */
  readonly limits?: { readonly perSecond: number; readonly burst: number }
}

export function createSipAgent(options: SipAgentOptions): SipAgent {
  const { sockets, clock, random } = options
  const buckets = createTokenBuckets(options.limits ?? { perSecond: 500, burst: 1_000 })
  const counts: AgentCounts = { unknown: 0, limited: 0, malformed: 0, legs: 0 }
  const legs = new Map<string, LegControl>()
  let trunks: Trunks = createTrunks(options.trunks)

  const transactions = createTransactions({
    ...sockets,
    clock,
    random,
    ownerOf: (host) => trunks.ownerOf(host),
    onRequest: (transaction, from) => route(transaction, from),
    onAck: (ack) => legs.get(keyOf(ack))?.acknowledged(ack.body),
  })
  const context: AgentContext = {
    transactions,
    get trunks() {
      return trunks
    },
    clock,
    random,
    pacer: options.pacer,
    openMedia: options.openMedia,
    mayReach: options.mayReach,
    addressFor: sockets.addressFor,
    register(leg, { callId, localTag }) {
      const key = `${callId} ${localTag}`
      legs.set(key, leg)
      counts.legs++
      return () => {
        if (legs.delete(key)) counts.legs--
      }
    },
  }
  const route = (transaction: ServerTransaction, from: SipPeer) => {
    const { request } = transaction
    const tag = request.to.params.get('tag')
    if (tag !== undefined) {
      const leg = legs.get(keyOf(request))
      if (leg?.remoteTag === (request.from.params.get('tag') ?? '')) leg.receive(transaction, from)
      else transaction.respond({ status: 481 })
      return
    }
    const trunk = trunks.of(from.host)
    if (request.method === 'OPTIONS') transaction.respond({ status: 200, headers: [allowHeader] })
    else if (request.method !== 'INVITE' || trunk === null) transaction.respond({ status: 405, headers: [allowHeader] })
    else {
      const call = createIncomingCall(transaction, { from, trunk }, context)
      if (call !== null) options.onInvite(call)
    }
  }
  sockets.listen((bytes, from) => {
    // In this order: what unknown send costs a look-up and nothing else.
    if (trunks.of(from.host) === null) counts.unknown++
    else if (!buckets.take(from.host, clock.nowMs())) counts.limited++
    else {
      const message = tryParse(bytes)
      if (message !== null) transactions.receive(message, from)
      else if (!isKeepAlive(bytes)) counts.malformed++
    }
  })
  return {
    counts,
    dial: (dialOptions) => dial(dialOptions, context),
    setTrunks(next) {
      trunks = createTrunks(next)
      return trunks
    },
    ping: (trunkId) => pingTrunk(trunkId, context),
    resume: (snapshot, events) => resume(snapshot, events, context),
    abandon: (snapshot) => abandon(snapshot, context),
  }
}

/** Requests of the process before that a snapshot may not know. */
const unknownRequests = 16

async function resume(snapshot: LegSnapshot, events: LegEvents, context: AgentContext): Promise<SipLeg> {
  const trunk = trunkOf(snapshot, context)
  const socket = await context.openMedia().catch(() => null)
  if (socket === null) throw new LegError(503, 'INVITE')
  const { plan, timer } = snapshot
  const dialog = laterDialog(snapshot)
  const own = movedTo(snapshot.own, socket.local)
  const start = { trunk, dialog, own, plan, timer, socket, events, awaitsAck: false, isCaller: true }
  const leg = createLeg(start, context)
  await leg.takeOver()
  return leg
}

function abandon(snapshot: LegSnapshot, context: AgentContext): void {
  const trunk = trunkOf(snapshot, context)
  const dialog = laterDialog(snapshot)
  const hop = nextHop(dialog, (host) => context.trunks.isOf(trunk, host))
  const bye = requestInDialog(dialog, 'BYE', { cseq: dialog.localCseq })
  context.transactions.request(bye, hop, { onResponse: () => {}, onTimeout: () => {} })
}

function laterDialog({ dialog }: LegSnapshot) {
  return { ...dialog, localCseq: dialog.localCseq + unknownRequests }
}

function trunkOf({ trunkId }: LegSnapshot, { trunks }: AgentContext): SipTrunk {
  const trunk = trunks.byId(trunkId)
  if (trunk === null) throw new RangeError(`trunkId must be one of the trunks, got ${trunkId}`)
  return trunk
}

function keyOf({ callId, to }: SipMessage): string {
  return `${callId} ${to.params.get('tag') ?? ''}`
}

function tryParse(bytes: Buffer): SipMessage | null {
  if (bytes.length > maxMessageBytes) return null
  try {
    return parseMessage(bytes)
  } catch (error) {
    if (error instanceof SipParseError) return null
    throw error
  }
}

/** Peers behind a NAT send empty lines. */
function isKeepAlive(bytes: Buffer): boolean {
  return bytes.length <= 4 && bytes.every((byte) => byte === 13 || byte === 10 || byte === 0)
}
