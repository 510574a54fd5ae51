import type { Fleet } from '../fleet.ts'
import { ledgerAtRest } from '../ledger-oracle.ts'
import { readBilled } from './gather-evidence.ts'

/**
 * Waits until a request is settled; resolves with its charge in nano-dollars. A request that was held for out of a block
 * and costs nothing leaves no row.
 */
export async function settledCharge(fleet: Fleet, requestId: string | null): Promise<bigint> {
  const find = async () => (await readBilled(fleet)).find((each) => each.requestId === requestId)
  const settled = async () => {
    const row = await find()
    return row === undefined || row.state === 'open' ? null : { cost: row.cost ?? 0n }
  }
  const first = await settled()
  if (first !== null) return first.cost
  await ledgerAtRest(fleet, fleet.workspace)
  return (await settled())?.cost ?? 0n
}
