import { budgetTable } from './budget-table.ts'

it('shows each figure beside its budget, and which are over it', () => {
  const lines = budgetTable([
    { name: 'LCP', unit: 'ms', must: 800, measured: 512.4 },
    { name: 'Styles', unit: 'KB', must: 40, measured: 41.26 },
  ])
  expect(lines).toEqual([
    'figure  measured   budget',
    'LCP       512 ms   800 ms  kept',
    'Styles   41.3 KB  40.0 KB  OVER',
  ])
})
