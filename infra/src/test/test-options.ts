import { readdirSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import type { TestSelection } from './run-jest.ts'

export interface TestOptions extends TestSelection {
  /** Names of stages; all but those that run on request when empty. */
  readonly stages: readonly string[]
  /** Run tests again whenever a file changes. */
  readonly watch: boolean
}

const usage = 'npm test -- [<stage> ...] [--service <name>] [--match <pattern>] [--changed] [--watch]'
/** Stages that run when a part of the tests is chosen and no stage is named. */
const innerLoop = ['unit', 'int']

/**
 * Parses the arguments of `npm test --`.
 *
 * @param changedSince the commit that `--changed` compares with
 * @throws ReadableError for an unknown option or service
 */
export function parseTestOptions(args: readonly string[], changedSince: string): TestOptions {
  const { positionals, values } = parse(args)
  const { service, match, changed = false, watch = false } = values
  if (service !== undefined && match !== undefined) {
    throw new ReadableError(`--service and --match both choose files by their path: give one of them. ${usage}`)
  }
  if (service !== undefined) requirePart(service)
  const pattern = service === undefined ? match : `(services|packages)/${service}/`
  const isPart = service !== undefined || changed || watch
  return {
    stages: positionals.length === 0 && isPart ? innerLoop : positionals,
    watch,
    ...(pattern === undefined ? {} : { match: pattern }),
    ...(changed ? { changedSince } : {}),
  }
}

/** Without this check, the run of a misspelled name would find no test and pass. */
function requirePart(name: string): void {
  const parts = ['services', 'packages'].flatMap((folder) => readdirSync(path.join(repositoryRoot, folder)))
  if (!parts.includes(name))
    throw new ReadableError(`There is no service or package ${name}; there are ${parts.join(', ')}.`)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        service: { type: 'string' },
        match: { type: 'string' },
        changed: { type: 'boolean' },
        watch: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new ReadableError(`${(error as Error).message.split('.')[0]}. ${usage}`)
  }
}
