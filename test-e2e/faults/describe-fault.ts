import { appendFileSync } from 'node:fs'
import { type OtlpCapture, startOtlpCapture } from '@ratchet/testing/otlp-capture'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { type Fleet, type FleetOptions, startFleet } from '../fleet.ts'
import { findProblems } from './evidence.ts'
import { createFaultClients, type FaultClients } from './fault-clients.ts'
import { gatherEvidence } from './gather-evidence.ts'

export interface FaultDefinition {
  /** `F1` to `F34`, as the catalogue of faults numbers them. */
  readonly id: string
  /** What goes wrong. */
  readonly title: string
  /** What we promise when it does. */
  readonly promise: string
  /** The fleet it happens to; a function where its stores have to be started first. */
  readonly fleet?: FleetOptions | ((onStop: OnStop) => Promise<FleetOptions>)
}

export type OnStop = (stop: () => Promise<unknown>) => void

/** A fleet under a fault, and what is noted of it. */
export interface Fault extends Omit<FaultClients, 'answers'> {
  readonly fleet: Fleet
  /** Repeats with the seed. */
  readonly random: () => number
  /** Puts a figure into the report: what was seen, with its unit in the name. The last one of a name counts. */
  note(what: string, seen: string | number): void
  /** Says that this text belongs nowhere but in a request: no log, no store, no span may hold it. */
  keepSecret(name: string, value: string): void
}

/** The same seed makes the same run; FAULT_SEED is what `npm run test:faults -- --seed` sets. */
const seed = Number(process.env.FAULT_SEED ?? 1)

const startMs = 120_000
const oracleMs = 150_000

/**
 * One fault of the catalogue on a fleet of real processes. `tell` declares the tests; behind the last of them the oracle
 * looks at what is left: the books, the provider, the processes, and every place where a secret could have gone.
 */
export function describeFault(definition: FaultDefinition, report: (fault: Fault) => void): void {
  const { id, title } = definition
  describe(`${id} ${title}`, () => {
    const run = createRun(definition)
    beforeAll(run.start, startMs)
    afterAll(run.stop, startMs)
    report(run.fault)
    it(
      'leaves the books, the provider, the processes and every secret as they must be',
      async () => {
        const { fleet, secrets, spans, answers } = run.scene()
        expect(findProblems(await gatherEvidence({ fleet, answers, secrets, spans }))).toEqual([])
      },
      oracleMs,
    )
  })
}

function createRun({ id, title, promise, fleet: requested = {} }: FaultDefinition) {
  const undo: (() => Promise<unknown>)[] = []
  const notes = new Map<string, string | number>()
  const secrets = new Map<string, string>()
  let fleet: Fleet | undefined
  let spans: OtlpCapture | undefined
  const running = () => orNotStarted(fleet)
  const { answers, ...clients } = createFaultClients(running)
  const fault: Fault = {
    ...clients,
    get fleet() {
      return running()
    },
    random: seededRandom(seed * 1_000 + Number(id.slice(1))),
    note: (what, seen) => notes.set(what, seen),
    keepSecret: (name, value) => secrets.set(name, value),
  }
  const start = async () => {
    const options = typeof requested === 'function' ? await requested((stop) => undo.push(stop)) : requested
    const capture = await startOtlpCapture()
    spans = capture
    undo.push(capture.stop)
    const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: capture.url, OTEL_TRACES_SAMPLER_ARG: '1' }
    fleet = await startFleet({ ...options, env: { ...tracing, ...options.env } })
    undo.push(fleet.stop)
    secrets.set('the API key', fleet.workspace.apiKey)
    for (const key of fleet.encryptionKeys.split(',')) secrets.set('an encryption key', key.slice(key.indexOf(':') + 1))
    secrets.set("the edge's key for inference", fleet.keyFor('inference').secret.toString('base64'))
  }
  const stop = async () => {
    report({ id, title, promise, seen: Object.fromEntries(notes) })
    for (const step of undo.splice(0).reverse()) await step()
  }
  return { fault, start, stop, scene: () => ({ fleet: running(), answers, secrets, spans: orNotStarted(spans) }) }
}

function orNotStarted<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the fleet of this fault did not start')
  return value
}

/** A line for `npm run test:faults`, which makes the report of it. */
function report(line: object): void {
  const file = process.env.FAULT_REPORT
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`)
}
