import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'

/** Maximum aliases of a workspace. Every process of inference holds all of them in memory. */
export const maxAliases = 200
/** Maximum rules for prompt families of all aliases of a workspace, for the same reason. */
export const maxRules = 10_000

/** What a workspace has, with the alias that is being saved. */
export interface AliasTotals {
  readonly aliases: number
  readonly rules: number
}

/** @throws ServiceError `conflict` when a workspace would have more aliases than it may */
export function requireRoom({ aliases }: Pick<AliasTotals, 'aliases'>): void {
  if (aliases <= maxAliases) return
  throw new ServiceError('conflict', `A workspace may have ${maxAliases} aliases; delete one first.`)
}

/** @throws ServiceError `invalid_request` when the aliases of a workspace would have more rules than they may */
export function requireRoomForRules({ rules }: Pick<AliasTotals, 'rules'>): void {
  if (rules <= maxRules) return
  const message = `The aliases of a workspace may have ${maxRules} rules together; with these they have ${rules}.`
  throw invalidRequest('family_rules', message)
}
