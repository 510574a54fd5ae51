import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { ratesTable } from './rates-table.ts'

const fileOf = (name: string) => path.join(repositoryRoot, `services/judging/src/${name}.simulation.test.ts`)
const rate = {
  file: fileOf('trust'),
  procedure: 'trust',
  world: 'TPR 0.90',
  promised: '≤ 0.03',
  runs: 10_000,
  happened: 200,
}
const other = { file: fileOf('drift'), procedure: 'drift', world: 'a year', promised: '≤ 0.05', runs: 100, happened: 1 }

it('shows each rate with its standard error', () => {
  expect(ratesTable([rate], new Date('2026-01-02'))).toContain('| TPR 0.90 | ≤ 0.03 | 2.00 ± 0.14 % | 10000 |')
})

it('names what the worlds assume, before the first table', () => {
  const document = ratesTable([rate], new Date('2026-01-02'))
  expect(document.indexOf('**Assumptions.**')).toBeGreaterThan(0)
  expect(document.indexOf('**Assumptions.**')).toBeLessThan(document.indexOf('| --- |'))
})

const earlier = (document: string, gone = 'none') => ({ document, exists: (file: string) => !file.includes(gone) })

it('replaces the tables of procedures that ran again, and no others', () => {
  const first = ratesTable([rate, other], new Date('2026-01-02'))
  const second = ratesTable([{ ...rate, happened: 300 }], new Date('2026-02-03'), earlier(first))
  expect(second).toContain('| a year | ≤ 0.05 | 1.00 ± 0.99 % | 100 |')
  expect(second).toContain('| TPR 0.90 | ≤ 0.03 | 3.00 ± 0.17 % | 10000 |')
  expect(second).not.toContain('2.00 ± 0.14')
  expect(second.match(/Run on .*/g)).toEqual([
    'Run on 2026-01-02 by `services/judging/src/drift.simulation.test.ts`.',
    'Run on 2026-02-03 by `services/judging/src/trust.simulation.test.ts`.',
  ])
  expect(ratesTable([], new Date('2026-03-04'), earlier(second))).toBe(second)
})

it('removes tables that a file does not write any more, and those of files that are gone', () => {
  const first = ratesTable([rate, other], new Date('2026-01-02'))
  const renamed = ratesTable([{ ...rate, procedure: 'certainty' }], new Date('2026-02-03'), earlier(first))
  expect(renamed.match(/^## .*/gm)).toEqual(['## Before and after', '## certainty', '## drift'])
  const without = ratesTable([], new Date('2026-02-03'), earlier(first, 'drift'))
  expect(without.match(/^## .*/gm)).toEqual(['## Before and after', '## trust'])
})

it('shows what was measured before beside the rates of now', () => {
  const world = 'balanced: TPR 0.9, 12 % fails'
  const ran = {
    ...rate,
    procedure: 'trust at one calibration after 400 grades',
    world,
    promised: '≤ 0.03',
    runs: 1_000,
    happened: 3,
  }
  expect(ratesTable([ran], new Date('2026-01-02'))).toMatch(/18\.1 ± 0\.6 % .*0\.30 ± 0\.17 %.*≤ 0\.03/)
})
