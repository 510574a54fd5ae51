import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fromHere } from '../from-here.ts'
import { type BenchOptions, stepIds } from '../options.ts'
import { targetIds } from '../targets/target.ts'
import type { Report } from './render-report.ts'

const resultsFolder = path.join(import.meta.dirname, '..', '..', 'results')

/** Writes the results; a quick or partial run does not replace those of a full run. @returns the files */
export function writeResults({
  report,
  markdown,
  options,
}: {
  report: Report
  markdown: string
  options: BenchOptions
}): string[] {
  mkdirSync(resultsFolder, { recursive: true })
  const everything = options.steps.length === stepIds.length && options.targets.length === targetIds.length
  const whole = everything && !options.quick
  const name = path.join(resultsFolder, whole ? 'latest' : 'partial')
  const json = `${JSON.stringify(report, null, 2)}\n`
  writeFileSync(`${name}.json`, json)
  writeFileSync(`${name}.md`, markdown)
  if (options.json === undefined) return [`${name}.json`, `${name}.md`]
  const file = fromHere(options.json)
  writeFileSync(file, json)
  return [`${name}.json`, `${name}.md`, file]
}
