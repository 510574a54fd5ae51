import { aliasName } from '@ratchet/contracts/aliases'
import type { Command } from 'commander'
import { text } from '../api/value-parsers.ts'

/** Adds the name of an alias as the argument of a command. */
export function addNameArgument(command: Command): Command {
  return command.argument('<name>', 'the alias', (value) => String(text(aliasName)(value, undefined)))
}
