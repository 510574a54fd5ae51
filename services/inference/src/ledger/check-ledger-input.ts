import type { BudgetWindow, Checkpoint, Closing, Hold, LargerHold, SpendCap } from './ledger.ts'

/**
 * Values that the database would refuse are refused here, before they share a statement with other requests: one
 * malformed id must not fail two hundred others.
 */

// lower case only, because the database answers in lower case and answers are matched by id
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const maxNano = 2n ** 63n - 1n

/** @throws RangeError for a malformed id or an amount out of range */
export function checkHold({
  billingId,
  workspaceId,
  amountNano,
  kind,
  model,
  priceVersion,
  cap,
  budgets = [],
  from,
}: Hold): void {
  checkUuid('billingId', billingId)
  checkUuid('workspaceId', workspaceId)
  checkNano('amountNano', amountNano)
  if (cap !== undefined) checkCap(cap)
  if (from !== undefined) checkLarger(from)
  for (const budget of budgets) checkBudget(budget)
  if (`${kind}${model}${priceVersion}`.includes('\0')) throw new RangeError('kind, model and priceVersion hold no NUL')
}

/** @throws RangeError for a malformed id or an amount out of range */
export function checkClosing({ billingId, workspaceId, costNano, outcome }: Closing): void {
  checkUuid('billingId', billingId)
  checkUuid('workspaceId', workspaceId)
  checkNano('costNano', costNano)
  if (outcome === 'voided' && costNano !== 0n) throw new RangeError('what is voided costs nothing')
}

/** @throws RangeError for a malformed id or an amount out of range */
export function checkCheckpoint({ billingId, costNano }: Checkpoint): void {
  checkUuid('billingId', billingId)
  checkNano('costNano', costNano)
}

/** @throws RangeError for a malformed id */
export function checkWorkspaceId(workspaceId: string): void {
  checkUuid('workspaceId', workspaceId)
}

function checkCap({ id, windowStart, capNano }: SpendCap): void {
  checkUuid('cap.id', id)
  checkNano('cap.capNano', capNano)
  if (Number.isNaN(windowStart.getTime())) throw new RangeError('cap.windowStart must be a date')
}

function checkLarger({ holdId, keepNano }: LargerHold): void {
  checkUuid('from.holdId', holdId)
  checkNano('from.keepNano', keepNano)
}

function checkBudget({ id, subject, windowStart, amountNano }: BudgetWindow): void {
  checkUuid('budget.id', id)
  checkNano('budget.amountNano', amountNano)
  if (subject.includes('\0')) throw new RangeError('budget.subject holds no NUL')
  if (Number.isNaN(windowStart.getTime())) throw new RangeError('budget.windowStart must be a date')
}

function checkUuid(name: string, id: string): void {
  if (!uuidPattern.test(id)) throw new RangeError(`${name} must be a UUID, got ${JSON.stringify(id.slice(0, 80))}`)
}

function checkNano(name: string, nano: bigint): void {
  if (nano < 0n || nano > maxNano) throw new RangeError(`${name} must be in 0..2^63-1, got ${nano}`)
}
