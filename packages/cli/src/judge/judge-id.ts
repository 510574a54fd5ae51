import { uuidOf } from '@ratchet/contracts/public-id'
import { type Command, InvalidArgumentError } from 'commander'

export function parseCriterionId(value: string): string {
  if (uuidOf('criterion', value) === null) throw new InvalidArgumentError('Expected an id, as `judge list` prints it.')
  return value
}

export function addJudgeArgument(command: Command): Command {
  return command.argument('<criterion>', 'the id of the judge', parseCriterionId)
}
