import { type AliasGate, getAliasGate } from '@ratchet/contracts/alias-gate'
import type { GateState } from '@ratchet/contracts/aliases'
import type { Answer } from '../answer.ts'
import type { ApiCommands, ApiDeps } from '../api/api-commands.ts'
import { createLineDisplay } from '../api/line-display.ts'
import { watchUntil } from '../api/watch-until.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import { printable } from '../text/printable.ts'
import { addNameArgument } from './alias-name.ts'
import { gateText } from './gate-text.ts'

/** A script may roll back on exit code 1, so a missing answer has another code. */
const notAsked = 3

/** States in which the canary is not worse. */
const good: ReadonlySet<GateState> = new Set(['collecting', 'healthy', 'promote_ready', 'promoted'])
/** States that more answers may change. */
const open: ReadonlySet<GateState> = new Set(['collecting', 'healthy'])

export function showGate({ group, run }: ApiCommands): void {
  addNameArgument(
    group
      .command('gate')
      .description(
        'Show the state of the gate of a canary. Exit code 0: collecting, healthy, promote_ready or promoted; 1: any other state; 2: wrong usage; 3: no answer.',
      ),
  )
    .option('--watch', 'repeat until the gate has decided')
    .action((name: string, { watch }: { readonly watch?: true }) =>
      run((deps) => orNotAsked(() => work(deps, name, watch === true)), notAsked),
    )
}

async function work({ io, connect }: ApiDeps, name: string, isWatched: boolean): Promise<Answer | null> {
  const api = await connect()
  const input = { params: { name } }
  const first = await api.call(getAliasGate, input)
  const last = isWatched
    ? await watchUntil(io, {
        first,
        read: (options) => api.call(getAliasGate, input, options),
        isOver: ({ state, mode }) => mode === null || !open.has(state),
        display: gateDisplay(io),
        interrupted: `Interrupted. The gate continues; \`ratchet alias gate ${name} --watch\` shows it again.`,
      })
    : first
  if (last === null) return null
  const isGood = good.has(last.value.state)
  return { json: last.json, text: gateText(last.value), ...(isGood ? {} : { exitCode: 1 }) }
}

async function orNotAsked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    throw new CliError(error.message, { exitCode: notAsked, cause: error })
  }
}

function gateDisplay(io: CliIo) {
  const display = createLineDisplay(io)
  return {
    ...display,
    show: (gate: AliasGate) => {
      const text = printable(lineOf(gate)).replaceAll('\n', ' ')
      display.show({ onTerminal: () => text, inLog: text })
    },
  }
}

function lineOf({ alias, state, arms: { target, canary }, difference, looks }: AliasGate): string {
  const judged = `judged ${target.scored} and ${canary?.scored ?? 0}`
  const apart = difference === null ? '' : `, difference ${(difference.estimate * 100).toFixed(1)} points`
  return `${alias}: ${state}, ${judged}${apart}, ${looks} evaluations`
}
