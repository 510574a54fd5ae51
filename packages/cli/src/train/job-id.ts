import { uuidOf } from '@ratchet/contracts/public-id'
import { InvalidArgumentError } from 'commander'

/** The id of a fine-tuning job, as a command's argument. */
export function parseJobId(value: string): string {
  if (uuidOf('fineTuningJob', value) === null)
    throw new InvalidArgumentError('Expected an id, as `ratchet train list` prints it.')
  return value
}
