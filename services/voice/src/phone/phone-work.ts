import type { CallCarrier } from '@ratchet/contracts/voice/calls'
import type { LegSnapshot } from '@ratchet/sip/agent/sip-leg'
import type { CallEnd, NewCall, StoredCall } from '../calls/call.ts'
import type { HeldCall } from '../calls/call-work.ts'
import type { NumberKey, StoredNumber } from '../numbers/number.ts'

/** A call of a telephone whose worker is gone, with what its carrier must be told. */
export interface LeftCall {
  readonly call: StoredCall
  readonly dialog: LegSnapshot
}

/** What a worker does with calls of telephones, beside what it does with all. Writes of an earlier generation change nothing. */
export interface PhoneWork {
  /** @returns the numbers of all workspaces; null: they are those of `revision` */
  numbers(
    revision: string | null,
  ): Promise<{ readonly revision: string; readonly numbers: readonly StoredNumber[] } | null>
  /** Takes the oldest call whose number may dial now, and writes that it is dialed: nobody dials it again. */
  takeDue(workerId: string): Promise<StoredCall | null>
  /** A call comes in. @returns `busy`: the number has as many calls as it may */
  createIncoming(call: NewCall, workerId: string): Promise<StoredCall | 'busy' | 'no_agent'>
  setRinging(call: HeldCall, carrier: CallCarrier): Promise<void>
  /** @returns false when the call has ended meanwhile */
  setAnswered(call: HeldCall, answered: { carrier: CallCarrier; dialog: LegSnapshot }): Promise<boolean>
  saveDialog(call: HeldCall, dialog: LegSnapshot): Promise<void>
  /** Ends a call that was not answered. */
  endUnanswered(call: HeldCall, end: CallEnd & { readonly carrier: CallCarrier | null }): Promise<void>
  /** Says that these still ring. @returns those that do, and whether they must stop */
  renewRinging(
    workerId: string,
    ids: readonly string[],
  ): Promise<readonly { readonly id: string; readonly isStopRequested: boolean }[]>
  /** Takes over a call in progress whose worker stopped, or was not seen for `awayMs`. */
  takeLeft(workerId: string, awayMs: number): Promise<LeftCall | null>
  /** A call that ended while nobody held it, and that its carrier still has. Each is returned once. */
  takeUnclosed(): Promise<LeftCall | null>
  /** Numbers whose trunks somebody wants to be asked. Each is returned once. */
  takeChecks(): Promise<readonly NumberKey[]>
  /** @param answeredMs null: no answer came */
  saveCheck(key: NumberKey, answeredMs: number | null): Promise<void>
}
