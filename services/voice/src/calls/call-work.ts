import type { CallEnd, CallEventBody, CallKey, StoredCall, WorkerCommand, WrittenTurn } from './call.ts'
import type { CallUsage } from './call-money.ts'

/** A call that a worker holds. Writes of an earlier generation change nothing. */
export interface HeldCall extends CallKey {
  readonly generation: number
}

/** What a worker does with calls. */
export interface CallWork {
  /**
   * Takes over the call of a caller who connects. A token is accepted once: the first within its time, later ones while the
   * call is in progress.
   *
   * @param nextHash of the token by which the caller may connect again
   * @returns null when the token is not accepted; `generation` is 1 for a call that begins
   */
  claim(claim: {
    readonly id: string
    readonly tokenHash: Uint8Array
    readonly nextHash: Uint8Array
    readonly workerId: string
    /** Of a call that a carrier connects: its id there. Another call of the carrier is not accepted. */
    readonly carrierCallId?: string | null
  }): Promise<StoredCall | null>
  /** Says that the worker still holds these calls. @returns the ids of those that it does */
  renew(
    workerId: string,
    calls: readonly (HeldCall & { readonly usage: CallUsage })[],
  ): Promise<readonly { readonly id: string; readonly isStopRequested: boolean }[]>
  /** The caller's line was lost, or with `isLeaving` this worker stops: the caller may connect again. */
  detach(call: HeldCall, detached: { readonly usage: CallUsage; readonly isLeaving: boolean }): Promise<void>
  /** @returns false when another worker holds it, or it has ended */
  end(call: HeldCall, end: CallEnd & { readonly usage: CallUsage }): Promise<boolean>
  /** Adds what happened. Turns that are written already stay. @returns false when another worker holds the call */
  write(
    call: HeldCall,
    added: {
      readonly turns: readonly WrittenTurn[]
      readonly events: readonly CallEventBody[]
      /** Sealed. */
      readonly spokenNow: string | null
      readonly at: Date
    },
  ): Promise<boolean>
  turns(key: CallKey): Promise<readonly WrittenTurn[]>
  /** What the API asks of this worker, oldest first, once. */
  takeCommands(workerId: string): Promise<readonly (WorkerCommand & { readonly callId: string })[]>
  /** Publishes the room of this worker. */
  publish(worker: { readonly id: string; readonly calls: number; readonly maxCalls: number }): Promise<void>
  /** This worker is gone. */
  withdraw(workerId: string): Promise<void>
}

/** What every process of the service does for calls that no worker holds. */
export interface CallUpkeep {
  /** Ends calls whose worker or caller has been away for `awayMs`. @returns how many */
  endAbandoned(awayMs: number): Promise<number>
  /** Calls whose caller did not connect in time. */
  unanswered(limit: number): Promise<readonly StoredCall[]>
  endWaiting(key: CallKey, end: CallEnd): Promise<boolean>
  /** Deletes texts of calls that are kept no longer. @returns of how many calls */
  sweep(limit: number): Promise<number>
}
