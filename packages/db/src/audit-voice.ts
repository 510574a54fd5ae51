import type { LedgerViolation } from './audit-ledger.ts'
import type { Pool } from './connect-pool.ts'

/** The rules that calls and the ledgers must obey together, in words. */
const rules = {
  charged: 'a slice of a call was charged once, what is written for it',
  held: 'nothing is held for a slice of a call that is over',
  left: 'a slice of a call is charged or released ten minutes after it was last used',
} as const

/** The rules, in words. */
export const voiceRules: readonly string[] = Object.values(rules)

/**
 * Compares slices of calls with what the ledgers charged for them. Slices are read first: a charge is made before it is written
 * down there. It reads whole tables, and needs the rights of the operator: no service reads both.
 *
 * @param main the database of the voice service
 * @param ledgers those of all ledgers; the main database is one of them
 */
export async function auditVoice(
  main: Pick<Pool, 'query'>,
  ledgers: readonly Pick<Pool, 'query'>[],
): Promise<readonly LedgerViolation[]> {
  const closed = (await main.query<ClosedRow>(closedStatement)).rows
  const left = (await main.query<{ id: string }>(leftStatement)).rows
  const charges = new Map<string, ChargedRow>()
  for (const ledger of ledgers) {
    for (const row of (await ledger.query<ChargedRow>(chargedStatement)).rows) charges.set(row.id, row)
  }
  const broken: [string, string][] = left.map(({ id }) => [rules.left, id])
  for (const { id, charged } of closed) {
    const charge = charges.get(id)
    if (BigInt(charge?.cost ?? 0) !== BigInt(charged)) broken.push([rules.charged, id])
    if (charge?.is_open === true) broken.push([rules.held, id])
  }
  return [...Map.groupBy(broken, ([rule]) => rule)].map(([invariant, found]) => {
    return { invariant, count: found.length, example: found.map(([, id]) => id).sort()[0] ?? '' }
  })
}

const closedStatement = `
  SELECT hold_id AS id, charged_nano::text AS charged FROM call_slice WHERE state IN ('posted', 'released')`

interface ClosedRow {
  readonly id: string
  readonly charged: string
}

const leftStatement = `
  SELECT hold_id AS id FROM call_slice
  WHERE state IN ('held', 'ended') AND updated_at < now() - interval '10 minutes'`

const chargedStatement = `
  SELECT request_id AS id, coalesce(cost, 0)::text AS cost, state = 'open' AS is_open
  FROM billing_request WHERE kind = 'voice'`

interface ChargedRow {
  readonly id: string
  readonly cost: string
  readonly is_open: boolean
}
