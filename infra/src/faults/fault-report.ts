import type { GroupResult } from '../test/jest-summary.ts'

/** What the test of a fault wrote down. */
export interface FaultNotes {
  readonly id: string
  readonly title: string
  readonly promise: string
  /** Measured figures by name. */
  readonly seen: Readonly<Record<string, string | number>>
}

export interface FaultRun {
  readonly seed: number
  /** Ids of the requested faults, such as `F19`, in their order. */
  readonly ids: readonly string[]
  readonly at: Date
  readonly seconds: number
  /** Description of the machine: `linux, 2 cores, Node 24.1.0`. */
  readonly machine: string
  readonly notes: readonly FaultNotes[]
  readonly groups: readonly GroupResult[]
}

/** Writes the page about a run, in Markdown. */
export function faultReport(run: FaultRun): string {
  const { seed, ids, at, seconds, machine, notes, groups } = run
  const failed = groups.reduce((sum, group) => sum + group.failed, 0)
  const passed = groups.reduce((sum, group) => sum + group.passed, 0)
  const rows = ids.map((id) => {
    const fault = notes.find((each) => each.id === id)
    return fault === undefined ? `| ${id} | | | not run on this machine | | ✗ |` : row(fault, groups)
  })
  return [
    '# Faults',
    '',
    'Each fault is done to a fleet of real processes. The table says what is promised then, and what was measured. Every run',
    'ends with the same checks (`test-e2e/faults/evidence.ts`): the ledger invariants hold, each delivered answer is charged',
    'once and no failed one is, providers were called only under committed holds, every process exits by itself and leaves',
    'no connection open, and no key is found in any log, in Redis, in Postgres or in exported spans.',
    '',
    `Made by \`npm run test:faults -- --seed ${seed}\` on ${at.toISOString().slice(0, 10)} in ${minutes(seconds)} on ${machine}:`,
    `${passed} passed, ${failed} failed. The same seed repeats the run; \`--only F19\` runs one fault. A few are part of \`npm test\`.`,
    '',
    '| fault | what happens | promise | measured | seconds | |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

function row({ id, title, promise, seen }: FaultNotes, groups: readonly GroupResult[]): string {
  const group = groups.find((each) => each.title === `${id} ${title}`)
  const verdict = group === undefined || group.failed > 0 ? '✗' : '✓'
  const figures = Object.entries(seen).map(([what, value]) => `${what}: ${value}`)
  const cells = [id, title, promise, figures.join('; '), ((group?.durationMs ?? 0) / 1_000).toFixed(1), verdict]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}
