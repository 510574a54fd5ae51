import { uuidOf } from '@ratchet/contracts/public-id'
import { InvalidArgumentError } from 'commander'

/** The id of an eval, as a command's argument. */
export function parseEvalId(value: string): string {
  if (uuidOf('eval', value) === null)
    throw new InvalidArgumentError('Expected an id, as `ratchet eval list` prints it.')
  return value
}
