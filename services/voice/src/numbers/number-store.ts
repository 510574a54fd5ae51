import type { NumberKey, StoredNumber } from './number.ts'

/**
 * Whether calls of a number have cost today what they may in a day.
 *
 * @param callId a call that was created: only those that were created before it count, so that of many that were created at the
 *   same moment only some may begin
 */
export async function isSpent(
  numbers: Pick<NumberStore, 'spentToday'>,
  number: StoredNumber,
  callId: string | null = null,
): Promise<boolean> {
  return (await numbers.spentToday(number, callId)) >= BigInt(Math.round(number.settings.daily_spend_usd * 1e9))
}

export interface NewNumber extends Omit<StoredNumber, 'version' | 'createdAt' | 'updatedAt'> {
  /** The user who must have created the agent; null: anybody of the workspace. */
  readonly agentOwner: string | null
  readonly at: Date
}

export interface NumberStore {
  /** `name`: the workspace has the number already. `full`: it has as many as it may. `no_agent`: there is no such agent. */
  create(number: NewNumber): Promise<'created' | 'name' | 'full' | 'no_agent'>
  get(key: NumberKey): Promise<StoredNumber | null>
  /** By its digits. */
  find(number: { readonly workspaceId: string; readonly e164: string }): Promise<StoredNumber | null>
  list(page: {
    readonly workspaceId: string
    /** Only those that this user added; null: all. */
    readonly userId: string | null
    readonly limit: number
    readonly offset: number
  }): Promise<{ readonly total: number; readonly numbers: readonly StoredNumber[] }>
  /** @returns `changed`: the present version is another one */
  update(
    number: Pick<StoredNumber, 'workspaceId' | 'id' | 'version'>,
    next: Pick<NewNumber, 'agentId' | 'agentOwner' | 'direction' | 'settings' | 'secret' | 'at'>,
  ): Promise<'updated' | 'changed' | 'no_agent'>
  /** @returns `in_use`: calls of it wait or are under way */
  delete(key: NumberKey): Promise<'deleted' | 'absent' | 'in_use'>
  /** Asks a worker to ask the trunk. */
  askCheck(key: NumberKey): Promise<void>
  /** @returns what a worker found since it was asked; null: nothing yet */
  checked(key: NumberKey): Promise<NumberChecked | null>
  /**
   * What calls of the number have cost and hold since the beginning of the day (UTC), nano-dollars.
   *
   * @param beforeCallId only of calls that were created before this one; null: of all
   */
  spentToday(key: NumberKey, beforeCallId: string | null): Promise<bigint>
}

export interface NumberChecked {
  /** Milliseconds until the trunk answered; null: it did not. */
  readonly answeredMs: number | null
  readonly at: Date
}
