import { parseArgs } from 'node:util'
import { ReadableError } from '../terminal/readable-error.ts'

export interface FaultOptions {
  /** A run with the same seed makes the same choices. */
  readonly seed: number
  /** Ids such as `F19`; empty = all of them. */
  readonly only: readonly string[]
}

const usage = 'npm run test:faults -- [--seed <number>] [--only F1,F19]'

/** @throws ReadableError for an unknown option or value */
export function parseFaultOptions(args: readonly string[]): FaultOptions {
  const { seed = '1', only } = parse(args)
  if (!/^\d{1,9}$/.test(seed)) throw new ReadableError(`--seed takes a whole number, not "${seed}". ${usage}`)
  const ids = only === undefined ? [] : only.toUpperCase().split(',')
  const unknown = ids.find((id) => !/^F\d{1,2}$/.test(id))
  if (unknown !== undefined) throw new ReadableError(`--only takes ids such as F19, not "${unknown}". ${usage}`)
  return { seed: Number(seed), only: ids }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { seed: { type: 'string' }, only: { type: 'string' } } }).values
  } catch (error) {
    throw new ReadableError(`${(error as Error).message.split('.')[0]}. ${usage}`)
  }
}
