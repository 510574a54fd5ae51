import { simulatedCatalog } from '@ratchet/simulated-provider/simulated-catalog'
import type { Fleet } from './fleet.ts'
import { type LedgerState, readLedger } from './ledger-oracle.ts'

/** Where a workspace's books are: a fleet, for that of its own workspace. */
export type Account = Pick<Fleet, 'databaseUrl' | 'workspace'>

export interface Paid<T> {
  readonly answer: T
  /** By what the wallet lost, US dollars. */
  readonly paidUsd: number
}

/** What the workspace pays for `act`. @throws Error when its books are not right after it */
export async function payFor<T>(account: Account, act: () => Promise<T>): Promise<Paid<T>> {
  const before = await ledgerOf(account)
  const answer = await act()
  const after = await ledgerOf(account)
  if (after.violations.length > 0) throw new Error(after.violations.join(', '))
  return { answer, paidUsd: Number(before.balance - after.balance) / 1e9 }
}

export function ledgerOf({ databaseUrl, workspace }: Account): Promise<LedgerState> {
  return readLedger(databaseUrl, workspace.workspaceId)
}

export interface Tokens {
  /** The cached ones included. */
  readonly prompt: number
  readonly cached?: number
  readonly completion?: number
}

/** What these tokens cost at the simulated provider's prices, rounded up to a micro-dollar, US dollars. */
export function priceUsd(modelId: string, { prompt, cached = 0, completion = 0 }: Tokens): number {
  const model = simulatedCatalog.find(({ id, pattern }) => id === modelId || new RegExp(pattern ?? '^$').test(modelId))
  if (model === undefined) throw new RangeError(`no model ${modelId}`)
  const { input_per_mtok, cached_input_per_mtok, output_per_mtok } = model
  // Nano-dollars per token are whole numbers, so nothing is lost before the rounding.
  const [input, cachedInput, output] = [input_per_mtok, cached_input_per_mtok, output_per_mtok].map((price) =>
    Math.round(Number(price) * 1_000),
  ) as [number, number, number]
  const nano = (prompt - cached) * input + cached * cachedInput + completion * output
  const perRequestMicro = Math.round(Number(model.per_request ?? '0') * 1e6)
  return (Math.ceil(nano / 1_000) + perRequestMicro) / 1e6
}
