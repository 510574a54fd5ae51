import type { Identity } from '@ratchet/contracts/identity'
import { readWallet } from '@ratchet/contracts/internal-wallet'
import { nanoToUsd } from '@ratchet/contracts/money'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

export interface CoverDeps {
  /** What the wallet has, without its holds, nano-dollars. */
  readonly available: (identity: Identity) => Promise<bigint>
}

/** The wallet as inference has it. */
export function availableIn(inference: Pick<FleetClient, 'call'>): CoverDeps['available'] {
  return async (identity) => BigInt((await inference.call(readWallet, {}, identity)).available_nano)
}

export interface CoverOrder {
  readonly identity: Identity
  readonly amountNano: bigint
  /** The field of the request that says the amount, as it was asked for. */
  readonly param: string
}

/**
 * Refuses what the wallet does not cover now, before a model is called for it.
 *
 * @throws ServiceError `insufficient_balance`
 */
export async function requireCover(
  { available }: CoverDeps,
  { identity, amountNano, param }: CoverOrder,
): Promise<void> {
  if ((await available(identity)) >= amountNano) return
  const message = `The wallet does not cover \`${param}\` ($${nanoToUsd(amountNano)}). Top it up, or lower it.`
  throw new ServiceError('insufficient_balance', message, { param })
}
