import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import type { Closing, OnLedgerEvent } from './ledger.ts'

/** The effect of a closing statement on one request. */
export interface Closed {
  readonly chargedNano: bigint
  readonly writeOffNano: bigint
}

export interface LatePosted extends Closed {
  /** What the wallet paid now, beyond what the checkpoint had charged; negative when it was paid back. */
  readonly differenceNano: bigint
}

export interface Known {
  readonly state: 'open' | 'posted' | 'voided'
  readonly costNano: bigint
}

/**
 * The statements of a closing. Their ids are distinct. A request that a statement did not change is not in its result.
 */
export interface CloseStatements {
  closeOpen(closings: readonly Closing[]): Promise<ReadonlyMap<string, Closed>>
  read(billingIds: readonly string[]): Promise<ReadonlyMap<string, Known>>
  latePost(closing: Closing): Promise<LatePosted | undefined>
  forestall(closing: Closing): Promise<void>
}

/** A request passes through at most three states, so after this many reads it must belong to another wallet. */
const maxRounds = 4

/**
 * Batches closings. Nearly all of them find their request open and need one statement. The others are read and closed
 * outside the batch, so that those with an open request do not wait for them.
 */
export function createCloseBatch(statements: CloseStatements, onEvent: OnLedgerEvent) {
  const open = createGroupCommit({
    overlapAfterMs: 20,
    run: (closings: readonly Closing[]) => closeOnce(statements, closings),
  })
  const exceptional = createGroupCommit({
    maxBatch: 1,
    run: async ([closing]: readonly Closing[]) => [closing && (await closeKnown(statements, closing, onEvent))],
  })
  return {
    async close(closing: Closing): Promise<{ readonly chargedNano: bigint }> {
      for (let round = 0; round < maxRounds; round += 1) {
        const closed = await open.add(closing)
        if (closed !== undefined) return report(closing, closed, onEvent)
        const settled = await exceptional.add(closing)
        if (settled !== undefined) return settled
      }
      throw new RangeError(`request ${closing.billingId} is not one of workspace ${closing.workspaceId}`)
    },
    async idle() {
      await open.idle()
      await exceptional.idle()
    },
  }
}

/** Closes the first closing of each id. A second one of the same id then finds its request closed. */
async function closeOnce(
  { closeOpen }: CloseStatements,
  closings: readonly Closing[],
): Promise<readonly (Closed | undefined)[]> {
  const firsts = new Map<string, Closing>()
  for (const closing of closings) if (!firsts.has(closing.billingId)) firsts.set(closing.billingId, closing)
  const rows = await closeOpen([...firsts.values()])
  return closings.map((closing) =>
    firsts.get(closing.billingId) === closing ? rows.get(closing.billingId) : undefined,
  )
}

/** Closes a request that was not open; undefined when it has to be read again. */
async function closeKnown(
  { read, latePost, forestall }: CloseStatements,
  closing: Closing,
  onEvent: OnLedgerEvent,
): Promise<{ chargedNano: bigint } | undefined> {
  const { billingId, costNano, outcome } = closing
  const known = (await read([billingId])).get(billingId)
  if (known === undefined && outcome === 'voided') {
    await forestall(closing)
    return undefined
  }
  if (known === undefined) {
    onEvent({ kind: 'unknown_request', billingId, amountNano: costNano })
    return { chargedNano: 0n }
  }
  if (known.state === 'open') return undefined
  if (known.state === 'posted' || (outcome === 'voided' && known.costNano === 0n))
    return { chargedNano: known.costNano }
  const posted = await latePost(closing)
  if (posted === undefined) return undefined
  onEvent({ kind: 'late_post', billingId, chargedNano: posted.differenceNano })
  return report(closing, posted, onEvent)
}

function report({ billingId }: Closing, closed: Closed, onEvent: OnLedgerEvent): { chargedNano: bigint } {
  if (closed.writeOffNano > 0n) onEvent({ kind: 'write_off', billingId, amountNano: closed.writeOffNano })
  return { chargedNano: closed.chargedNano }
}
