import type { SampleShow } from './sample-search.ts'

/** The query of the list for what is shown; filters by outcome would tell who won, so a blind comparison has none. */
export function sampleQuery(candidate: string, show: SampleShow): Readonly<Record<string, string | boolean>> {
  if (show === 'all') return { candidate }
  return show === 'inconsistent' ? { candidate, inconsistent: true } : { candidate, outcome: show }
}
