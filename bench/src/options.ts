import { parseArgs } from 'node:util'
import { ReadableError } from '@ratchet/infra/terminal/readable-error'
import { type TargetId, targetIds } from './targets/target.ts'

/** The steps of the measurement, in order. */
export const stepIds = ['chat', 'prompt64k', 'secrets64k', 'stream', 'latency', 'ttfb', 'idle'] as const
export type StepId = (typeof stepIds)[number]

export interface BenchOptions {
  /** A few minutes and without LiteLLM: enough to find mistakes, but not to publish figures. */
  readonly quick: boolean
  readonly rounds: number
  /** Arrivals per second of the open loop, for the target and for the upstream each. */
  readonly rate: number
  readonly steps: readonly StepId[]
  readonly targets: readonly TargetId[]
  /** Run although other programs use the machine. */
  readonly force: boolean
  /** An additional file for the results. */
  readonly json?: string
  /** Folder in which the fleet's processes write CPU profiles at their end. */
  readonly profile?: string
}

const usage =
  'npm run bench -- [--quick] [--rounds 6] [--rate 200] [--json out.json] [--only chat,stream,…] [--targets fleet,portkey,…] [--force] [--profile folder]'

/** @throws ReadableError for an unknown option or value */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { quick = false, force = false, rounds, rate, only, targets, json, profile } = parse(args)
  return {
    quick,
    rounds: wholeNumber('rounds', rounds ?? (quick ? '2' : '6'), 100),
    rate: wholeNumber('rate', rate ?? '200', 100_000),
    steps: only === undefined ? stepIds : namesOf('only', only, stepIds),
    targets: targets === undefined ? defaultTargets(quick) : namesOf('targets', targets, targetIds),
    force,
    ...(json === undefined ? {} : { json }),
    ...(profile === undefined ? {} : { profile }),
  }
}

/** LiteLLM needs half a minute to start and as long to warm up. */
function defaultTargets(quick: boolean): readonly TargetId[] {
  return quick ? targetIds.filter((id) => id !== 'litellm') : targetIds
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    const numbers = { rounds: text, rate: text }
    const lists = { only: text, targets: text }
    const flag = { type: 'boolean' } as const
    const options = { quick: flag, force: flag, ...numbers, ...lists, json: text, profile: text } as const
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new ReadableError(`${(error as Error).message.split('.')[0]}. ${usage}`)
  }
}

function wholeNumber(name: string, value: string, most: number): number {
  const number = Number(value)
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw new ReadableError(`--${name} takes a whole number from 1 to ${most}, not "${value}". ${usage}`)
}

/** The known names in this list, in the order in which they are known. */
function namesOf<T extends string>(option: string, list: string, known: readonly T[]): T[] {
  const names = list.split(',')
  const unknown = names.find((name) => !known.some((id) => id === name))
  if (unknown === undefined) return known.filter((id) => names.includes(id))
  throw new ReadableError(`--${option} knows ${known.join(', ')}, not "${unknown}". ${usage}`)
}
