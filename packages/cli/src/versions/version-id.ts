import { uuidOf } from '@ratchet/contracts/public-id'
import { type Command, InvalidArgumentError } from 'commander'

/** Adds the id of a model version as the argument of a command. */
export function addVersionArgument(command: Command): Command {
  return command.argument('<id>', 'the version', parseVersionId)
}

function parseVersionId(value: string): string {
  if (uuidOf('modelVersion', value) === null)
    throw new InvalidArgumentError('Expected an id, as `ratchet versions list` prints it.')
  return value
}
