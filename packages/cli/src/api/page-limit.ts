import { pageLimit } from '@ratchet/contracts/page'
import { InvalidArgumentError } from 'commander'

/** Parses the maximum number of rows, as it is sent. */
export function parsePageLimit(value: string): string {
  const limit = pageLimit.safeParse(value)
  if (!limit.success) throw new InvalidArgumentError(limit.error.issues[0]?.message ?? '')
  return value
}
