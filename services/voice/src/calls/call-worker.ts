import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { type MediaRequest, mediaCloseCodes } from '@ratchet/contracts/voice/media-messages'
import type { MediaPeer } from '../media/media-peer.ts'
import { createWebLine, type WebLine } from '../media/web-line.ts'
import type { CallEnd, StoredCall } from './call.ts'
import { callEndOf } from './call-end.ts'
import type { CallLine } from './call-line.ts'
import type { CallMeter, CallMoney, PaidCall } from './call-money.ts'
import { HeldSession } from './hold-call.ts'
import type { HoldCallDeps } from './hold-call-deps.ts'
import { hashMediaToken, newMediaToken } from './media-token.ts'
import type { Played, ReadyCall } from './prepare-call.ts'
import type { PreparedCall } from './prepared-call.ts'
import { spokenLines } from './spoken-lines.ts'

export interface CallWorkerDeps extends HoldCallDeps {
  readonly money: CallMoney
  readonly workerId: string
  readonly maxCalls: number
  readonly prepare: (call: StoredCall, played: Played | null) => Promise<ReadyCall>
  readonly paidCallOf: (call: StoredCall, spec: AgentSpec) => PaidCall
  readonly randomBytes: (count: number) => Uint8Array
}

/** The first message of a connection. */
export type MediaStart = Extract<MediaRequest, { readonly type: 'start' }>

export interface CarrierStart {
  readonly token: string
  readonly played?: Played | undefined
  /** The call at the carrier, which must be that of the call; null: it does not say. */
  readonly carrierCallId?: string | null
}

/** Who has connected. */
export interface ConnectedSide<T> {
  /** The call is not held here. */
  refuse(code: number): void
  ended?(end: Pick<CallEnd, 'status' | 'reason'>): void
  /** The call may be held, on the line of this side. */
  open(hold: (line: CallLine) => HeldSession): T
}

/** Where messages of a connection go. */
export interface MediaSession {
  takeAudio(bytes: Buffer): void
  take(message: Exclude<MediaRequest, { readonly type: 'start' }>): void
  closed(isOnPurpose: boolean): void
}

/** The calls that this process holds. */
export interface CallWorker {
  readonly hasRoom: boolean
  readonly calls: number
  /**
   * A caller connects with a token. The peer is closed when it is not accepted.
   *
   * @returns null then
   */
  open(callId: string, start: MediaStart, peer: MediaPeer): Promise<MediaSession | null>
  /** The same for a carrier, which connects with the token by which it was told to. */
  openLine<T>(callId: string, start: CarrierStart, side: ConnectedSide<T>): Promise<T | null>
  /** Keeps room for a call that rings. @returns a function that gives it back, once the call is held or has ended; null: full */
  reserve(): (() => void) | null
  /** Reads everything that is needed to hold a call, and begins to pay it. */
  begin(call: StoredCall): Promise<BegunCall>
  /** Holds a call that was begun, on a line that is connected. */
  hold(begun: PreparedCall, line: CallLine): HeldSession
  /** Says that the calls are held, and drops those that another worker holds. To be called every few seconds. */
  renew(): Promise<void>
  /** Does what the API asks. To be called some times a second. @returns how much it was */
  obey(): Promise<number>
  /** Takes no more calls. */
  retire(): Promise<void>
  /** Asks all callers to connect to other workers. Resolves when everything is written. */
  handOver(): Promise<void>
}

const prepareTries = { count: 5, everyMs: 300 }

export function createCallWorker(deps: CallWorkerDeps): CallWorker {
  return new LiveCalls(deps)
}

class LiveCalls implements CallWorker {
  readonly #deps: CallWorkerDeps
  readonly #sessions = new Map<string, HeldSession>()
  #opening = 0
  #isRetired = false

  constructor(deps: CallWorkerDeps) {
    this.#deps = deps
  }

  get calls(): number {
    return this.#sessions.size + this.#opening
  }

  get hasRoom(): boolean {
    return !this.#isRetired && this.calls < this.#deps.maxCalls
  }

  open(callId: string, start: MediaStart, peer: MediaPeer): Promise<MediaSession | null> {
    return this.openLine(callId, start, {
      refuse: (code) => peer.close(code),
      ended: (end) => peer.send({ type: 'end', ...end }),
      open: (hold) => webSession(createWebLine(peer), hold),
    })
  }

  async openLine<T>(callId: string, start: CarrierStart, side: ConnectedSide<T>): Promise<T | null> {
    if (!this.hasRoom) {
      side.refuse(mediaCloseCodes.full)
      return null
    }
    this.#opening++
    try {
      return await this.#claim(callId, start, side)
    } catch (error) {
      this.#deps.onError(error, { callId })
      side.refuse(mediaCloseCodes.full)
      return null
    } finally {
      this.#opening--
    }
  }

  async #claim<T>(callId: string, start: CarrierStart, side: ConnectedSide<T>): Promise<T | null> {
    const { token, played, carrierCallId = null } = start
    const { work, workerId, randomBytes } = this.#deps
    const resumeToken = newMediaToken(randomBytes)
    const hashes = { tokenHash: hashMediaToken(token), nextHash: hashMediaToken(resumeToken) }
    const claimed = await work.claim({ id: callId, ...hashes, workerId, carrierCallId })
    if (claimed === null) {
      side.refuse(mediaCloseCodes.refused)
      return null
    }
    // The caller may have come back to the worker that still holds the lost line. What it says then is in the transcript.
    const before = this.#sessions.get(claimed.id)
    before?.drop()
    await before?.done
    const ready = await this.#prepare(claimed, played ?? null)
    const begun = await beginMeter(this.#deps, ready, () => this.#sessions.get(claimed.id))
    if ('refused' in begun) {
      await endUnbegun(this.#deps, ready, begun.refused, side)
      return null
    }
    try {
      const prepared = { ...ready, resumeToken, meter: begun.meter }
      return side.open((line) => this.hold(prepared, line))
    } catch (error) {
      await begun.meter.settle(claimed.usage)
      throw error
    }
  }

  /** The token is used up: a failure that passes must not end the call. */
  async #prepare(call: StoredCall, played: Played | null): Promise<ReadyCall> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#deps.prepare(call, played)
      } catch (error) {
        if (tried === prepareTries.count) throw error
        this.#deps.onError(error, { callId: call.id })
        await this.#deps.pause(prepareTries.everyMs)
      }
    }
  }

  reserve(): (() => void) | null {
    if (!this.hasRoom) return null
    this.#opening++
    let isReserved = true
    return () => {
      if (isReserved) this.#opening--
      isReserved = false
    }
  }

  async begin(call: StoredCall): Promise<BegunCall> {
    const ready = await this.#prepare(call, null)
    const begun = await beginMeter(this.#deps, ready, () => this.#sessions.get(call.id))
    return 'refused' in begun ? begun : { prepared: { ...ready, resumeToken: '', meter: begun.meter } }
  }

  hold(prepared: PreparedCall, line: CallLine): HeldSession {
    const { id } = prepared.call
    const session = new HeldSession(this.#deps, prepared, line)
    this.#sessions.set(id, session)
    void session.done.then(() => {
      if (this.#sessions.get(id) === session) this.#sessions.delete(id)
    })
    return session
  }

  async renew(): Promise<void> {
    const held = [...this.#sessions.values()]
    const calls = held.map((session) => {
      const { workspaceId, id, generation } = session.call
      return { workspaceId, id, generation, usage: session.usage() }
    })
    const renewed = await this.#deps.work.renew(this.#deps.workerId, calls)
    const states = new Map(renewed.map((state) => [state.id, state]))
    for (const session of held) {
      const state = states.get(session.call.id)
      if (state === undefined) session.drop()
      else if (state.isStopRequested) session.command({ kind: 'stop' })
    }
    await this.#publish()
  }

  async obey(): Promise<number> {
    if (this.#sessions.size === 0) return 0
    const commands = await this.#deps.work.takeCommands(this.#deps.workerId)
    for (const { callId, ...command } of commands) this.#sessions.get(callId)?.command(command)
    return commands.length
  }

  async retire(): Promise<void> {
    this.#isRetired = true
    await this.#publish()
  }

  async handOver(): Promise<void> {
    const held = [...this.#sessions.values()]
    for (const session of held) session.handOver()
    await Promise.all(held.map(({ done }) => done))
  }

  #publish(): Promise<void> {
    const { work, workerId: id, maxCalls } = this.#deps
    return work.publish({ id, calls: this.calls, maxCalls: this.#isRetired ? 0 : maxCalls })
  }
}

function webSession(line: WebLine, hold: (line: CallLine) => HeldSession): MediaSession {
  const session = hold(line)
  return {
    takeAudio: (bytes) => session.run(() => line.transport.takeAudio(bytes)),
    take(message) {
      if (message.type === 'bye') session.ended('caller_hangup')
      else session.run(() => line.transport.take(message))
    },
    closed: (isOnPurpose) => session.closed(isOnPurpose),
  }
}

export interface Unpaid {
  readonly refused: 'insufficient_credits' | 'billing_unavailable'
}
export type BegunCall = { readonly prepared: PreparedCall } | Unpaid
type Begun = { readonly meter: CallMeter } | Unpaid

async function beginMeter(
  { money, paidCallOf, onError }: CallWorkerDeps,
  { call, spec }: ReadyCall,
  session: () => HeldSession | undefined,
): Promise<Begun> {
  const { generation, usage } = call
  const events = {
    onLow: () => session()?.say(spokenLines(spec.language).creditsLow),
    onEmpty: (reason: 'insufficient_credits' | 'billing_unavailable') => session()?.endUnpaid(reason),
  }
  try {
    const meter = await money.begin(paidCallOf(call, spec), { generation, usage }, events)
    return meter === 'refused' ? { refused: 'insufficient_credits' } : { meter }
  } catch (error) {
    onError(error, { callId: call.id })
    return { refused: 'billing_unavailable' }
  }
}

/** A call that nobody pays ends before a word is said. */
async function endUnbegun(
  { work }: CallWorkerDeps,
  { call }: ReadyCall,
  reason: 'insufficient_credits' | 'billing_unavailable',
  side: Pick<ConnectedSide<unknown>, 'refuse' | 'ended'>,
): Promise<void> {
  const { status, by } = callEndOf(reason)
  await work.end(call, { status, reason, by, usage: call.usage })
  side.ended?.({ status, reason })
  side.refuse(mediaCloseCodes.ended)
}
