import type { MediaReply } from '@ratchet/contracts/voice/media-messages'
import type { CallTransport, TransportEvents } from '../engine/ports.ts'
import type { CallEnd } from './call.ts'

/** What happens to a call when a worker no longer holds it. */
export type HeldOutcome =
  | ({ readonly kind: 'ended' } & CallEnd)
  /** The line was lost: the caller may come back. */
  | { readonly kind: 'lost' }
  /** The worker stops: another one takes the call over. */
  | { readonly kind: 'leaving' }
  /** Another worker has it. */
  | { readonly kind: 'moved' }

/** The line of a call while a worker holds it, whatever carries it. */
export interface CallLine {
  readonly transport: CallTransport
  /** Where events of the line go. */
  connect(events: TransportEvents): void
  /** The call begins here, or goes on. */
  begin(start: { readonly callId: string; readonly resumeToken: string; readonly isResumed: boolean }): void
  /** To be called every 20 ms. */
  passFrame(): void
  /** What the caller's side is shown; telephones show nothing. */
  show(message: MediaReply): void
  /**
   * Lets the carrier connect the caller with another number; null where there is no carrier.
   *
   * @returns whether it did, or began to: then it ends the line soon
   */
  readonly transfer: ((to: string) => Promise<boolean>) | null
  /** Presses keys of the telephone; null where there is none. @returns whether the line is still there */
  readonly press: ((keys: string) => boolean) | null
  close(outcome: HeldOutcome): void
}
