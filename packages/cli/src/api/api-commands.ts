import type { Command } from 'commander'
import type { Answer } from '../answer.ts'
import type { CliIo } from '../cli-io.ts'
import { type AddressOptions, addressOf } from './api-address.ts'
import { type Api, createApi } from './api-client.ts'

/** Parameters of a command that calls the API. */
export interface ApiDeps {
  readonly io: CliIo
  /** Finds the deployment. Called after the options were checked. */
  readonly connect: () => Promise<Api>
}

/**
 * The group that a command is added to, and a function that runs it and prints its answer. Null means that it printed
 * the reason itself; the exit code is then 1 unless given.
 */
export interface ApiCommands {
  readonly group: Command
  readonly run: (work: (deps: ApiDeps) => Promise<Answer | null>, silentExitCode?: number) => Promise<void>
}

export function apiDeps(options: AddressOptions, io: CliIo): ApiDeps {
  return { io, connect: async () => createApi(await addressOf(options, io.env), io) }
}
