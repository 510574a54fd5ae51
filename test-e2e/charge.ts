import { simulatedCatalog } from '@ratchet/simulated-provider/simulated-catalog'
import { type LedgerState, readLedger } from './ledger-oracle.ts'
import type { RunningFleet } from './shared-fleet/shared-fleet.ts'

/** A workspace and the database with its ledger; a fleet is one for its own workspace. */
export type Account = Pick<RunningFleet, 'databaseUrl' | 'workspace'>

export interface Paid<T> {
  readonly answer: T
  /** Decrease of the wallet, US dollars. */
  readonly paidUsd: number
}

/** Measures what the workspace pays for `act`. @throws Error when the ledger is wrong afterwards */
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
  /** Includes cached tokens. */
  readonly prompt: number
  readonly cached?: number
  readonly completion?: number
}

/** Cost of tokens at the simulated provider's prices in US dollars, rounded up to a micro-dollar. */
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
