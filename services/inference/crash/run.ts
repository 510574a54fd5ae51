import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type CrashReport, crashRun } from './crash-run.ts'
import { mutations, unmutated } from './mutations.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

const usage = `npm run test:crash -- [options]

Serves requests while processes and Postgres are killed, then checks every nano-dollar. After a clean
run it takes out one guard of the ledger after the other and demands that each is missed.

  --seconds N       how long faults rain in the clean run (60)
  --seed N          chooses the faults; the same seed draws the same (random)
  --mutation NAME   only this mutation: ${Object.keys(mutations).join(', ')}
  --mutations       only the mutations, all of them
  --no-mutations    only the clean run
  --mutation-seconds N  how long faults rain for each mutation (25)
  --log FILE        write Postgres's log there
  --json            print the reports as JSON`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    'mutation-seconds': { type: 'string', default: '25' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    mutation: { type: 'string' },
    mutations: { type: 'boolean' },
    'no-mutations': { type: 'boolean' },
    json: { type: 'boolean', default: false },
    log: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const attempts = 3
const interrupted = new AbortController()
const print = (line: string) => void process.stdout.write(`${line}\n`)

if (values.help) print(usage)
else process.exitCode = (await main()) ? 0 : 1

async function main(): Promise<boolean> {
  if (values.mutation !== undefined && !(values.mutation in mutations)) {
    print(`There is no mutation ${values.mutation}; choose one of ${Object.keys(mutations).join(', ')}.`)
    return false
  }
  const server = await startPostgresServer()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
  try {
    const reports: CrashReport[] = []
    for (const plan of plans()) reports.push(await runOne(server, plan))
    print(values.json ? JSON.stringify(reports, asJson, 2) : table(reports))
    const wrong = reports.filter((report) => !isAsItShouldBe(report))
    for (const report of wrong) print(complaint(report))
    print(
      wrong.length === 0 ? `crash harness: right, seed ${values.seed}` : `crash harness: WRONG, seed ${values.seed}`,
    )
    return wrong.length === 0
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
    print('crash harness: interrupted')
    return false
  } finally {
    if (values.log !== undefined) await writeFile(values.log, server.log.join('\n'))
    await server.remove()
  }
}

interface Plan {
  readonly mutation: string | null
  readonly seconds: number
}

function plans(): readonly Plan[] {
  const seconds = Number(values.seconds)
  const mutationSeconds = Number(values['mutation-seconds'])
  if (values.mutation !== undefined) return [{ mutation: values.mutation, seconds }]
  const clean = values.mutations === true ? [] : [{ mutation: null, seconds }]
  const mutated = Object.keys(mutations).map((mutation) => ({ mutation, seconds: mutationSeconds }))
  return values['no-mutations'] === true ? clean : [...clean, ...mutated]
}

/**
 * A mutation that is not detected gets two more runs, because on a busy machine a run has fewer faults at the critical
 * moments.
 */
async function runOne(server: PostgresServer, { mutation, seconds }: Plan): Promise<CrashReport> {
  for (let attempt = 1; ; attempt += 1) {
    const report = await runOnce(server, { mutation, seconds }, Number(values.seed) + attempt - 1)
    if (!values.json) print(`  verdict: ${mutation ?? 'clean'} ${verdictOf(report)}, seed ${report.seed}, ${seconds} s`)
    if (mutation === null || isAsItShouldBe(report) || attempt === attempts) return report
  }
}

function runOnce(server: PostgresServer, { mutation, seconds }: Plan, seed: number): Promise<CrashReport> {
  const { what } = mutations[mutation ?? ''] ?? unmutated
  if (!values.json) print(`${mutation ?? 'clean'}: ${what}, ${seconds} s`)
  return crashRun({
    server,
    seed,
    seconds,
    mutation,
    interrupted: interrupted.signal,
    onProgress: ({ seconds: at, kills, crashes, evidence: { called, acked } }) => {
      if (!values.json)
        print(`  ${at} s: ${called.size} calls, ${acked.size} answered, ${kills} kills, ${crashes} crashes`)
    },
  })
}

/** The ledger must be correct, and a ledger without one of its safeguards must be found to be wrong. */
function isAsItShouldBe({ mutation, violations }: CrashReport): boolean {
  return (mutation === null) === (violations.length === 0)
}

function complaint({ mutation, violations }: CrashReport): string {
  if (mutation !== null) return `${mutation} was NOT caught: run it longer, or the harness has gone blind`
  return violations.map((violation) => `VIOLATION ${violation}`).join('\n')
}

function table(reports: readonly CrashReport[]): string {
  const columns: readonly [string, (report: CrashReport) => unknown][] = [
    ['run', ({ mutation }) => mutation ?? 'clean'],
    ['kills', ({ kills }) => kills],
    ['freezes', ({ freezes }) => freezes],
    ['pg crashes', ({ postgresCrashes }) => postgresCrashes],
    ['requests', ({ requests }) => requests],
    ['calls', ({ providerCalls }) => providerCalls],
    ['answered', ({ acked }) => acked],
    ['posted', ({ postedRequests }) => postedRequests],
    ['from blocks', ({ drawn }) => drawn],
    ['refused', ({ refused }) => refused],
    ['jobs', ({ jobs }) => jobs],
    ['judged runs', ({ judgedRuns }) => judgedRuns],
    ['expired', ({ expiries }) => expiries],
    ['late', ({ latePosts }) => latePosts],
    ['spilled', ({ spills }) => spills],
    ['not charged', ({ ackedNotCharged }) => ackedNotCharged],
    ['double/wrong', ({ doubleOrWrong }) => doubleOrWrong],
    ['violations', ({ violations }) => violations.length],
    ['', (report) => verdictOf(report)],
  ]
  const rows = [
    columns.map(([title]) => title),
    ...reports.map((report) => columns.map(([, cell]) => String(cell(report)))),
  ]
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)))
  return rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')).join('\n')
}

function verdictOf(report: CrashReport): string {
  if (report.mutation === null) return isAsItShouldBe(report) ? 'right' : 'WRONG'
  return isAsItShouldBe(report) ? 'caught' : 'NOT CAUGHT'
}

function asJson(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
