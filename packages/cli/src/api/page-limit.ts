import { pageLimit } from '@ratchet/contracts/log-filters'
import { InvalidArgumentError } from 'commander'

/** How many of a list are wanted, as it is sent. */
export function parsePageLimit(value: string): string {
  const limit = pageLimit.safeParse(value)
  if (!limit.success) throw new InvalidArgumentError(limit.error.issues[0]?.message ?? '')
  return value
}
