import type { CallCarrier } from '@ratchet/contracts/voice/calls'
import type { CallEnd, CallKey, NewCall, StoredCall } from '../calls/call.ts'
import type { NumberKey, StoredNumber } from '../numbers/number.ts'

/** A call for which its carrier is told to connect with a worker. */
export interface ConnectOrder {
  readonly tokenHash: Uint8Array
  readonly carrier: CallCarrier
}

/** Calls of numbers whose carriers stream them, while no worker holds them. */
export interface CarrierCalls {
  /** The number of any workspace: its carrier knows nothing of those. */
  number(id: string): Promise<StoredNumber | null>
  /** The call that a carrier means: by our id, or else by its own. */
  find(
    number: NumberKey,
    call: { readonly id: string | null; readonly carrierCallId: string },
  ): Promise<StoredCall | null>
  /** A call comes in, and rings. @returns `busy`: the number has as many as it may */
  createIncoming(call: NewCall, carrier: CallCarrier): Promise<StoredCall | 'busy' | 'no_agent'>
  /** Whoever has the token may connect with a worker, for a minute. @returns false when the call has ended */
  expect(call: CallKey, order: ConnectOrder): Promise<boolean>
  /** Takes the oldest call whose number may dial now, and writes that it is dialed: nobody dials it again. */
  takeDue(): Promise<StoredCall | null>
  /** What the carrier says of a call that is dialed. */
  setCarrier(call: CallKey, carrier: CallCarrier): Promise<void>
  setRinging(call: CallKey, carrier: CallCarrier): Promise<void>
  /** Ends a call that no worker has held. */
  endUnanswered(call: CallKey, end: CallEnd & { readonly carrier: CallCarrier | null }): Promise<void>
  /** Calls that ring at their carriers, and that somebody wants to be stopped. */
  stopped(limit: number): Promise<readonly StoredCall[]>
}
