import { measuredBefore } from './measured-before.ts'
import type { RatesSection } from './rates-section.ts'

/** What an examination of an earlier release measured, beside the rates of now; what did not run yet has none. */
export function beforeAndAfter(sections: readonly RatesSection[]): string {
  const rows = measuredBefore.map(({ defect, measured, before, procedure, world }) => {
    const section = sections.find((each) => each.procedure === procedure)
    const row = section?.rows.find((each) => each.world === world)
    return `| ${defect} | ${measured} | ${before} | ${row?.rate ?? ''} | ${row?.promised ?? ''} |`
  })
  return [
    '## Before and after',
    '',
    'An examination of an earlier release found these rates. Where a row has a success in place of an error, the bound is a lower',
    'one. The worlds of now are in the tables below, by the same names.',
    '',
    '| defect | measured | before | now | bound |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
