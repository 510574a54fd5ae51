import { ratesTable } from './rates-table.ts'

it('shows each rate with its standard error', () => {
  const rate = { procedure: 'trust', world: 'TPR 0.90', promised: '≤ 0.03', runs: 10_000, happened: 200 }
  expect(ratesTable([rate], new Date('2026-01-02'))).toContain('| TPR 0.90 | ≤ 0.03 | 2.00 ± 0.14 % | 10000 |')
})
