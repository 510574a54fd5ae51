import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fromHere } from '../from-here.ts'
import { type BenchOptions, stepIds } from '../options.ts'
import { targetIds } from '../targets/target.ts'
import { type Report, renderReport } from './render-report.ts'
import { renderSizing } from './render-sizing.ts'

const resultsFolder = path.join(import.meta.dirname, '..', '..', 'results')

/** Writes the results; a quick or partial run does not replace those of a full run. @returns the files */
export function writeResults(report: Report, options: BenchOptions): string[] {
  mkdirSync(resultsFolder, { recursive: true })
  const everything = options.steps.length === stepIds.length && options.targets.length === targetIds.length
  const name = path.join(resultsFolder, everything && !options.quick ? 'latest' : 'partial')
  const json = `${JSON.stringify(report, null, 2)}\n`
  const results = [
    { file: `${name}.json`, content: json },
    { file: `${name}.md`, content: `${renderReport(report)}\n${renderSizing(report.samples)}` },
    ...(options.json === undefined ? [] : [{ file: fromHere(options.json), content: json }]),
  ]
  for (const { file, content } of results) writeFileSync(file, content)
  return results.map(({ file }) => file)
}
