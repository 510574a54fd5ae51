import type { CallDirection, CallStatus, CallType } from '@ratchet/contracts/voice/calls'
import type { EndReason } from '@ratchet/contracts/voice/end-reasons'
import type { VoiceEnvironment } from '@ratchet/contracts/voice/voice-key'
import type {
  CallEnd,
  CallFindings,
  CallKey,
  NewCall,
  StoredCall,
  StoredCallEvent,
  WorkerCommand,
  WrittenTurn,
} from './call.ts'

export interface CallFilter {
  readonly workspaceId: string
  /** Only calls that this user created; null: all. */
  readonly userId: string | null
  readonly agentId: string | null
  readonly agentVersion: number | null
  readonly status: CallStatus | null
  readonly type: CallType | null
  readonly direction: CallDirection | null
  readonly numberId: string | null
  readonly env: VoiceEnvironment | null
  readonly endedReason: EndReason | null
  readonly start: Date | null
  readonly end: Date | null
  readonly limit: number
  readonly offset: number
}

/** Calls, as the API needs them. */
export interface CallStore {
  /** Whether a worker has room for another call. */
  hasRoom(): Promise<boolean>
  /**
   * @returns `waiting`: as many calls of the workspace wait as may; `no_room`: it has its share of the places; `no_agent`,
   *   `no_number`: it was deleted
   */
  create(call: NewCall): Promise<'created' | 'waiting' | 'no_room' | 'no_agent' | 'no_number'>
  get(key: CallKey): Promise<StoredCall | null>
  list(filter: CallFilter): Promise<{ readonly total: number; readonly calls: readonly StoredCall[] }>
  turns(key: CallKey): Promise<readonly WrittenTurn[]>
  findings(key: CallKey): Promise<CallFindings>
  /** In order. */
  eventsAfter(key: CallKey, seq: number, limit: number): Promise<readonly StoredCallEvent[]>
  /** Ends a call that waits. @returns false when it does not wait any more */
  endWaiting(key: CallKey, end: CallEnd): Promise<boolean>
  /** Asks the worker that holds the call. @returns false when the call is not in progress */
  command(key: CallKey, command: WorkerCommand & { readonly id: string; readonly at: Date }): Promise<boolean>
  /** Deletes what was said in a call that has ended. @returns false when it has not */
  erase(key: CallKey, at: Date): Promise<boolean>
}
