import type { Command } from 'commander'
import type { Answer } from '../answer.ts'
import type { CliIo } from '../cli-io.ts'
import { type AddressOptions, addressOf } from './api-address.ts'
import { type Api, createApi } from './api-client.ts'

/** What a command that speaks to the API works with. */
export interface ApiDeps {
  readonly io: CliIo
  /** Finds out which deployment is meant; asked for once the options are known to make sense. */
  readonly connect: () => Promise<Api>
}

/**
 * Where a command is added, and how its answer is printed; null = it has said itself why there is none, and the exit
 * code is 1 unless it is said otherwise.
 */
export interface ApiCommands {
  readonly group: Command
  readonly run: (work: (deps: ApiDeps) => Promise<Answer | null>, silentExitCode?: number) => Promise<void>
}

export function apiDeps(options: AddressOptions, io: CliIo): ApiDeps {
  return { io, connect: async () => createApi(await addressOf(options, io.env), io) }
}
