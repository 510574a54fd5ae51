import path from 'node:path'
import type { SimulatedRate } from '@ratchet/testing/describe-rates'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { beforeAndAfter } from './before-and-after.ts'
import type { RatesRow, RatesSection } from './rates-section.ts'

/**
 * The rates as a document: one table per procedure, each rate with its Monte-Carlo standard error.
 *
 * @param earlier a document that this function wrote; of it stay the tables of simulations that exist and did not run again
 */
export function ratesTable(rates: readonly SimulatedRate[], at: Date, earlier?: EarlierRates): string {
  const day = at.toISOString().slice(0, 10)
  const ran = [...Map.groupBy(rates, ({ procedure }) => procedure)].map(
    ([procedure, own]): RatesSection => ({ procedure, day, file: fileOf(own), rows: own.map(rowOf) }),
  )
  const again = new Set(ran.flatMap(({ procedure, file }) => [procedure, file]))
  const stay = readSections(earlier?.document ?? '').filter(
    ({ procedure, file }) => !again.has(procedure) && !again.has(file) && (file === '' || earlier?.exists(file)),
  )
  const sections = [...stay, ...ran]
  const sorted = sections.toSorted((one, other) => (one.procedure < other.procedure ? -1 : 1))
  const head = [
    '# Simulated rates',
    '',
    'How often each procedure errs, or succeeds, in worlds whose truth is known: seeded runs through the code that the product',
    'runs. `npm run simulate` writes this file, and with `--match` the tables of a part; `npm test` runs fewer of the same runs.',
    'Behind ± is one Monte-Carlo standard error.',
    '',
    ...reading,
    '',
    ...assumptions,
  ].join('\n')
  return `${[head, beforeAndAfter(sorted), ...sorted.map(sectionText)].join('\n\n')}\n`
}

export interface EarlierRates {
  readonly document: string
  /** Whether the repository still has a file. */
  readonly exists: (file: string) => boolean
}

function fileOf([first]: readonly SimulatedRate[]): string {
  return first === undefined ? '' : path.relative(repositoryRoot, first.file)
}

const reading = [
  '**How to read it.** A table is about one procedure, a row about one world: how good models and judges truly are, and what people',
  'do. The rate is the share of runs in which happened what the titles of the table and of the row say together. Its bound is what is',
  'promised: at most (≤) for an error, at least (≥) for a success. Rows with `if` and tables with `missing`, `raw` or `naive` show how',
  'often it would go wrong without a rule, so they have a lower bound too. A test fails when chance explains a rate beyond its bound',
  'in less than one of 1,000 cases.',
  '',
  'A judge fails or passes answers. TPR is the share of bad answers that it fails, TNR that of good ones that it passes, and people',
  'say which are bad. It is trusted when the 95 % intervals of both rates begin at 0.9 or above. It may act, which gates, evidence and',
  'rewards require, when the same is proven by e-values, which hold over any number of calibrations. `random`, `balanced`,',
  '`disagreement` and `plan` say how the graded answers were drawn; `challenger`, `risk` and `fooled` by what a round drew them.',
  '10:90 is a canary that gets 10 % of the requests. A canary is worse by the threshold when its answers are bad 5 points more often.',
]

/** What all worlds have in common; the name of a world says where it differs. */
const assumptions = [
  '**Assumptions.** Exchanges are independent of each other, except where a world has whole runs, clusters or families. The truth',
  'is what the majority of people says: each item has one simulated human verdict, which is never wrong, so what people disagree',
  'about is in no rate. A judge errs on each item by itself, with a TPR and TNR that stay the same within an arm, a period or a',
  'segment. Items are graded as the product draws them, by the strategy or plan of the world and with its rules for what is left',
  'unanswered; worlds in which people choose what they grade say so. Prompts of splits and segments are generated from templates,',
  'so these rates hold for texts like those. The index of segments is that of many applications together, and differs between kinds:',
  'it is least where prompts differ in a word out of two or three, which stay apart, and six sets that were new',
  'had one of 0.93 to 0.97 when they were first measured. What is split is counted apart.',
  'The seed of a run consists of the procedure, the world and the number of the run, so the same release gives the same table.',
]

const columns = '| world | promised | rate | runs |'

function sectionText({ procedure, day, file, rows }: RatesSection): string {
  const by = file === '' ? '' : ` by \`${file}\``
  const lines = rows.map(({ world, promised, rate, runs }) => `| ${world} | ${promised} | ${rate} | ${runs} |`)
  return [`## ${procedure}`, '', `Run on ${day}${by}.`, '', columns, '| --- | --- | --- | --- |', ...lines].join('\n')
}

function rowOf({ world, promised, runs, happened }: SimulatedRate): RatesRow {
  const rate = happened / runs
  const error = Math.sqrt((rate * (1 - rate)) / runs)
  return { world, promised, rate: `${percent(rate)} ± ${percent(error)} %`, runs: String(runs) }
}

function percent(share: number): string {
  return (100 * share).toFixed(2)
}

/** Reads the tables of procedures back. The linter may have aligned their columns. */
function readSections(document: string): readonly RatesSection[] {
  return document.split(/^## /m).flatMap((text): readonly RatesSection[] => {
    const [, day, file = ''] = /^Run on ([\d-]+)(?: by `(.*)`)?\.$/m.exec(text) ?? []
    if (day === undefined) return []
    const lines = text.split('\n')
    const cells = lines.filter((line) => line.startsWith('| ')).map((line) => line.split(' | ').map(trimCell))
    const rows = cells
      .slice(2)
      .map(([world = '', promised = '', rate = '', runs = '']) => ({ world, promised, rate, runs }))
    return [{ procedure: lines[0] ?? '', day, file, rows }]
  })
}

function trimCell(cell: string): string {
  return cell.replace(/^\| /, '').replace(/ \|$/, '').trim()
}
