import { isRunOver } from '@ratchet/contracts/calibrations'
import type { Api, CallOptions, Reply } from '../api/api-client.ts'
import type { ApiDeps } from '../api/api-commands.ts'
import { createLineDisplay } from '../api/line-display.ts'
import { watchUntil } from '../api/watch-until.ts'
import { inUsd } from '../text/in-words.ts'

/** What is shown of work of a judge while it runs. */
export interface RunState {
  readonly id: string
  readonly status: string
  readonly error: string | null
  readonly cost_usd: number
}

export interface WatchedRun<T extends RunState> {
  readonly first: Reply<T>
  readonly read: (api: Api, options: CallOptions) => Promise<Reply<T>>
  /** Done and total; null where that is not counted. */
  readonly progressOf: (seen: T) => readonly [done: number, total: number] | null
}

/** Shows the progress of a run until it ends; null after Ctrl-C, which does not end the run. */
export function watchRun<T extends RunState>(
  { io }: Pick<ApiDeps, 'io'>,
  api: Api,
  { first, read, progressOf }: WatchedRun<T>,
): Promise<Reply<T> | null> {
  const display = createLineDisplay(io)
  const lineOf = (seen: T) => {
    const progress = progressOf(seen)
    const counted = progress === null ? '' : ` ${progress[0]}/${progress[1]}`
    return `${seen.id}: ${seen.status}${counted}, ${inUsd(seen.cost_usd)}`
  }
  return watchUntil<T>(io, {
    first,
    read: (options) => read(api, options),
    isOver: isRunOver,
    display: { ...display, show: (seen) => display.show({ onTerminal: () => lineOf(seen), inLog: lineOf(seen) }) },
    interrupted: `Interrupted. ${first.value.id} continues.`,
  })
}

/** A run that did not succeed has exit code 1. */
export function exitOf({ status }: RunState): { readonly exitCode?: 1 } {
  return status === 'DONE' ? {} : { exitCode: 1 }
}

export function failureText({ status, error }: RunState): string {
  return error === null ? status : `${status}: ${error}`
}
