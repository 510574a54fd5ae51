import type { SimulatedRate } from '@ratchet/testing/describe-rates'

/** The rates as a document: one table per procedure, each rate with its Monte-Carlo standard error. */
export function ratesTable(rates: readonly SimulatedRate[], at: Date): string {
  const procedures = [...new Set(rates.map(({ procedure }) => procedure))].sort()
  const tables = procedures.map((procedure) => {
    const rows = rates.filter((rate) => rate.procedure === procedure).map(row)
    return [`## ${procedure}`, '', '| world | promised | rate | runs |', '| --- | --- | --- | --- |', ...rows].join(
      '\n',
    )
  })
  const head = [
    '# Simulated rates',
    '',
    'How often each procedure errs, or succeeds, in worlds whose truth is known: seeded runs through the code that the product',
    'runs. `npm run simulate` writes this file; `npm test` runs fewer of the same runs.',
    `Written on ${at.toISOString().slice(0, 10)}. Behind ± is one Monte-Carlo standard error.`,
  ].join('\n')
  return `${[head, ...tables].join('\n\n')}\n`
}

function row({ world, promised, runs, happened }: SimulatedRate): string {
  const rate = happened / runs
  const error = Math.sqrt((rate * (1 - rate)) / runs)
  return `| ${world} | ${promised} | ${percent(rate)} ± ${percent(error)} % | ${runs} |`
}

function percent(share: number): string {
  return (100 * share).toFixed(2)
}
