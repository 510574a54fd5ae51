import type { Command } from 'commander'
import type { Answer } from '../answer.ts'
import type { CliIo } from '../cli-io.ts'
import { type AddressOptions, addressOf } from './api-address.ts'
import { createEvalApi, type EvalApi } from './eval-api.ts'

/** What a command about evals works with. */
export interface EvalDeps {
  readonly io: CliIo
  /** Finds out which deployment is meant; asked for once the options are known to make sense. */
  readonly connect: () => Promise<EvalApi>
}

/** Where a command is added, and how its answer is printed; null = it has said itself why there is none. */
export interface EvalCommands {
  readonly group: Command
  readonly run: (work: (deps: EvalDeps) => Promise<Answer | null>) => Promise<void>
}

export function evalDeps(options: AddressOptions, io: CliIo): EvalDeps {
  return { io, connect: async () => createEvalApi(await addressOf(options, io.env), io) }
}
