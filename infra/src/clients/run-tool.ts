import { readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { type CollectOptions, collectOutput } from '../processes/collect-output.ts'
import { ReadableError } from '../terminal/readable-error.ts'

/** Runs a program to its end. @returns its output @throws ReadableError with the output when it fails */
export async function runTool(program: string, args: readonly string[], options: CollectOptions): Promise<string> {
  const { ok, output } = await collectOutput(program, args, options)
  if (!ok) throw new ReadableError(`${path.basename(program)}: ${output.slice(-4_000)}`)
  return output
}

/** The clients have the version of the repository. */
export function repositoryVersion(): string {
  const { version } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as { version: string }
  return version
}
