import type { FramePacer } from '@ratchet/audio/create-frame-pacer'
import type { MediaStats } from '../media/create-media-stream.ts'
import type { HostPort, MediaSocket, RandomBytes, SipClock, SipPeer } from '../ports.ts'
import type { Dialog } from '../session/dialog.ts'
import type { MediaPlan } from '../session/negotiate.ts'
import type { OwnDescription } from '../session/sdp.ts'
import type { SessionTimer } from '../session/session-timer.ts'
import type { Transactions } from '../transactions/create-transactions.ts'
import type { ServerTransaction } from '../transactions/server-transaction.ts'
import type { SipTrunk, Trunks } from './trunks.ts'

/** Why a leg ended. */
export type LegEnd =
  /** The other side hung up. */
  | 'remote_bye'
  /** We did. */
  | 'local_bye'
  /** The other side did not acknowledge our answer, or does not know the call any more. */
  | 'lost'
  /** The session timer ran out. */
  | 'expired'
  /** Another process goes on with the call. */
  | 'left'

export interface LegEvents {
  /** 20 ms of the other side at 8 kHz: speech as it arrives, silence while nothing does. */
  onAudio(pcm: Int16Array): void
  onDtmf(key: string): void
  /** Queued audio went out: milliseconds since the last `clear`. */
  onPlayed?(playedMs: number): void
  /** The other side holds the call, or goes on. */
  onHold?(isHeld: boolean): void
  /** Anything that a snapshot has may differ now. */
  onChanged?(): void
  onEnded(end: LegEnd): void
}

/** A call that was answered. */
export interface SipLeg {
  readonly callId: string
  /** Queues audio at 8 kHz. */
  send(pcm: Int16Array): void
  /** Drops what is queued. @returns milliseconds of queued audio that went out since the last `clear` */
  clear(): number
  /** Of queued audio from now on, in decibels: 0 or less. */
  setVolume(db: number): void
  readonly playedMs: number
  readonly queuedMs: number
  /** @throws RangeError for a key that a telephone does not have */
  sendDtmf(keys: string): void
  /** Asks the other side to stop or to start sending. @throws LegError */
  hold(isHolding: boolean): Promise<void>
  /**
   * Asks the other side to call a target instead of us.
   *
   * @param target a SIP URI
   * @returns the status with which the target answered; 200 ends this leg soon, by the other side
   * @throws LegError when the other side does not do that
   */
  refer(target: string): Promise<number>
  /** @param reason for the header `Reason`, in plain words */
  hangup(reason?: string): void
  /** Leaves the call to another process: nothing more is sent, and no BYE. */
  leave(): void
  /** Plain data from which another process can go on with the call. */
  snapshot(): LegSnapshot
  readonly stats: MediaStats
  readonly isEnded: boolean
}

export interface LegSnapshot {
  readonly trunkId: string
  readonly dialog: Dialog
  readonly own: OwnDescription
  readonly plan: MediaPlan
  readonly timer: SessionTimer | null
}

/** A request in a call or for a call that was not answered with 2xx. */
export class LegError extends Error {
  /** Of SIP; 408 without an answer. */
  readonly status: number

  constructor(status: number, what: string) {
    super(`${what} was answered ${status}`)
    this.name = 'LegError'
    this.status = status
  }
}

/** What the parts of an agent share. */
export interface AgentContext {
  readonly transactions: Transactions
  readonly trunks: Trunks
  readonly clock: SipClock
  readonly pacer: FramePacer
  readonly random: RandomBytes
  readonly openMedia: () => Promise<MediaSocket>
  /** Whether audio may be sent to a host that a description names, beside those of the trunk. */
  readonly mayReach: (host: string) => boolean
  readonly addressFor: (peer: SipPeer) => HostPort
  /** Takes requests that belong to a leg. @returns a function that ends it */
  readonly register: (leg: LegControl, dialog: Dialog) => () => void
}

/** The side of a leg that only its agent uses. */
export interface LegControl extends SipLeg {
  receive(transaction: ServerTransaction, from: SipPeer): void
  acknowledged(body: string): void
  acknowledgeTimeout(): void
  /** Offers again what we described; for a call of another process. @throws LegError */
  takeOver(): Promise<void>
  readonly remoteTag: string
}

/** What a leg begins with. */
export interface LegStart {
  readonly trunk: SipTrunk
  readonly dialog: Dialog
  readonly own: OwnDescription
  /** null until the ACK says it: the other side called without a description. */
  readonly plan: MediaPlan | null
  readonly timer: SessionTimer | null
  readonly socket: MediaSocket
  readonly events: LegEvents
  /** Whether we called. */
  readonly isCaller: boolean
  /** Whether our answer still waits for its ACK. */
  readonly awaitsAck: boolean
}
