import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { type MediaRequest, mediaCloseCodes } from '@ratchet/contracts/voice/media-messages'
import type { MediaPeer } from '../media/media-peer.ts'
import type { StoredCall } from './call.ts'
import { callEndOf } from './call-end.ts'
import type { CallMeter, CallMoney, PaidCall } from './call-money.ts'
import { HeldSession, type HoldCallDeps } from './hold-call.ts'
import { hashMediaToken, newMediaToken } from './media-token.ts'
import type { ReadyCall } from './prepare-call.ts'
import { spokenLines } from './spoken-lines.ts'

export interface CallWorkerDeps extends HoldCallDeps {
  readonly money: CallMoney
  readonly workerId: string
  readonly maxCalls: number
  readonly prepare: (call: StoredCall) => Promise<ReadyCall>
  readonly paidCallOf: (call: StoredCall, spec: AgentSpec) => PaidCall
  readonly randomBytes: (count: number) => Uint8Array
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
  open(callId: string, token: string, peer: MediaPeer): Promise<MediaSession | null>
  /** Says that the calls are held, and drops those that another worker holds. To be called every few seconds. */
  renew(): Promise<void>
  /** Does what the API asks. To be called some times a second. @returns how much it was */
  obey(): Promise<number>
  /** Takes no more calls. */
  retire(): Promise<void>
  /** Asks all callers to connect to other workers. Resolves when everything is written. */
  handOver(): Promise<void>
}

export function createCallWorker(deps: CallWorkerDeps): CallWorker {
  const { work, workerId, maxCalls } = deps
  const sessions = new Map<string, HeldSession>()
  let opening = 0
  let isRetired = false

  const count = () => sessions.size + opening
  const hasRoom = () => !isRetired && count() < maxCalls
  const publish = () => work.publish({ id: workerId, calls: count(), maxCalls: isRetired ? 0 : maxCalls })

  async function hold(claimed: StoredCall, peer: MediaPeer, resumeToken: string): Promise<MediaSession | null> {
    const ready = await deps.prepare(claimed)
    const begun = await beginMeter(deps, ready, () => sessions.get(claimed.id))
    if ('refused' in begun) {
      await endUnbegun(deps, ready, begun.refused, peer)
      return null
    }
    // The same caller may have come back to the worker that still holds the lost line.
    sessions.get(claimed.id)?.drop()
    const session = new HeldSession(deps, { ...ready, resumeToken, meter: begun.meter }, peer)
    sessions.set(claimed.id, session)
    void session.done.then(() => {
      if (sessions.get(claimed.id) === session) sessions.delete(claimed.id)
    })
    return session
  }

  return {
    get hasRoom() {
      return hasRoom()
    },
    get calls() {
      return count()
    },
    async open(callId, token, peer) {
      if (!hasRoom()) {
        peer.close(mediaCloseCodes.full)
        return null
      }
      opening++
      try {
        const resumeToken = newMediaToken(deps.randomBytes)
        const hashes = { tokenHash: hashMediaToken(token), nextHash: hashMediaToken(resumeToken) }
        const claimed = await work.claim({ id: callId, ...hashes, workerId })
        if (claimed === null) {
          peer.close(mediaCloseCodes.refused)
          return null
        }
        return await hold(claimed, peer, resumeToken)
      } catch (error) {
        deps.onError(error, { callId })
        peer.close(mediaCloseCodes.full)
        return null
      } finally {
        opening--
      }
    },
    async renew() {
      const held = [...sessions.values()]
      const renewed = await work.renew(
        workerId,
        held.map((session) => {
          const { workspaceId, id, generation } = session.call
          return { workspaceId, id, generation, usage: session.usage() }
        }),
      )
      const states = new Map(renewed.map((state) => [state.id, state]))
      for (const session of held) {
        const state = states.get(session.call.id)
        if (state === undefined) session.drop()
        else if (state.isStopRequested) session.command({ kind: 'stop' })
      }
      await publish()
    },
    async obey() {
      if (sessions.size === 0) return 0
      const commands = await work.takeCommands(workerId)
      for (const { callId, ...command } of commands) sessions.get(callId)?.command(command)
      return commands.length
    },
    async retire() {
      isRetired = true
      await publish()
    },
    async handOver() {
      const held = [...sessions.values()]
      for (const session of held) session.handOver()
      await Promise.all(held.map(({ done }) => done))
    },
  }
}

type Begun = { readonly meter: CallMeter } | { readonly refused: 'insufficient_credits' | 'billing_unavailable' }

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
  peer: MediaPeer,
): Promise<void> {
  const { status, by } = callEndOf(reason)
  await work.end(call, { status, reason, by, usage: call.usage })
  peer.send({ type: 'end', status, reason })
  peer.close(mediaCloseCodes.ended)
}
