import { appendFileSync } from 'node:fs'
import { type OtlpCapture, startOtlpCapture } from '@ratchet/testing/otlp-capture'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { type Fleet, type FleetOptions, startFleet } from '../fleet.ts'
import { findProblems } from './evidence.ts'
import { createFaultClients, type FaultClients } from './fault-clients.ts'
import { gatherEvidence } from './gather-evidence.ts'

export interface FaultDefinition {
  /** `F1` to `F38`. */
  readonly id: string
  /** What goes wrong. */
  readonly title: string
  /** What the product promises in this case. */
  readonly promise: string
  /** Options of the fleet; a function if its stores must be started first. */
  readonly fleet?: FleetOptions | ((onStop: OnStop) => Promise<FleetOptions>)
}

export type OnStop = (stop: () => Promise<unknown>) => void

/** A fleet under a fault, and functions that record what happens. */
export interface Fault extends Omit<FaultClients, 'answers'> {
  readonly fleet: Fleet
  /** Random numbers; the same for the same seed. */
  readonly random: () => number
  /** Adds a measured figure to the report; its name contains the unit. A later figure replaces one of the same name. */
  note(what: string, seen: string | number): void
  /** Marks a text as secret: no log, store or span may contain it. */
  keepSecret(name: string, value: string): void
}

/** The same seed repeats the run; `npm run test:faults -- --seed` sets FAULT_SEED. */
const seed = Number(process.env.FAULT_SEED ?? 1)

const startMs = 120_000
const oracleMs = 150_000

/**
 * One fault on a fleet of real processes. `report` declares the tests. After the last test the same checks follow for every
 * fault: the ledger, the provider, the processes, and every place where a secret could be stored.
 */
export function describeFault(definition: FaultDefinition, report: (fault: Fault) => void): void {
  const { id, title } = definition
  describe(`${id} ${title}`, () => {
    const run = createRun(definition)
    beforeAll(run.start, startMs)
    afterAll(run.stop, startMs)
    report(run.fault)
    it(
      'leaves a correct ledger, no unpaid provider call, no process, and no leaked secret',
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

/** Writes a line for `npm run test:faults`, which builds the report from it. */
function report(line: object): void {
  const file = process.env.FAULT_REPORT
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`)
}
