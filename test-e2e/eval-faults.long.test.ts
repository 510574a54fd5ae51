import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { staysTrueFor } from '@ratchet/testing/stays-true-for'
import { Redis } from 'ioredis'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, type Json, untilOver } from './judged-traffic.ts'
import { readLedger } from './ledger-oracle.ts'
import { askRealQuestions } from './real-traffic.ts'
import type { FleetProcess } from './start-process.ts'
import { workspaceWith } from './workspace-with.ts'

/** Number of faults, and the seed of their order. */
const faults = Number(process.env.EVAL_KILLS ?? 6)
const seed = Number(process.env.EVAL_FAULT_SEED ?? 1)

const samples = 60
const concurrency = 4
/** Duration of each answer and each verdict, milliseconds: long enough that every fault interrupts work. */
const latencyMs = 100 * faults

let fleet: Fleet
let workspace: DemoWorkspace
let api: Api

beforeAll(async () => {
  const env = { EVAL_CONCURRENCY: String(concurrency), ABUSE_GUARD_LIMIT: '10000' }
  fleet = await startFleet({ evals: true, env })
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  await askRealQuestions(fleet, workspace, { model: 'sim/medium', tag: 'support', questions: samples / 2 })
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

const order = {
  name: 'Which model for support',
  rubric: 'The answer is right and complete.',
  baseline_model: 'sim/medium',
  candidate_models: ['sim/small', 'sim/quality-0.5'],
  sample_count: samples,
  sample_filters: { tag: 'support' },
  judge_model: 'sim/judge-0.9-0.9',
  seed: 7,
}

const ledgerState = () => readLedger(fleet.databaseUrl, workspace.workspaceId)

/** The results of an eval and its charges, after all of its holds are released. */
async function outcomeOf(during: (id: string) => Promise<void>): Promise<Json> {
  const before = await ledgerState()
  const { json } = await api('POST', '/evals', order)
  await during(json.id)
  const { status, error, report, progress, ...run } = await untilOver(api, `/evals/${json.id}`, 120_000)
  const after = await eventually(
    async () => {
      const now = await ledgerState()
      return now.held === 0n ? now : null
    },
    { withinMs: 60_000, everyMs: 200 },
  )
  const bill = { cost_usd: run.cost_usd, judge_cost_usd: run.judge_cost_usd }
  return {
    status,
    error,
    report: withoutClock(report),
    progress,
    bill,
    lostNano: before.balance - after.balance,
    charges: after.posted - before.posted,
    violations: after.violations,
  }
}

/** A report without figures that depend on time, which differ from run to run. */
function withoutClock(report: Json): Json {
  return JSON.parse(JSON.stringify(report, (name, value) => (/latency/i.test(name) ? undefined : value)))
}

type Fault = (random: () => number) => Promise<void>

/** Whether the eval is not known to be over: it runs, or its state cannot be read at the moment. */
type IsUnfinished = () => Promise<boolean>

/** Each fault is undone before its function returns, so that the next one begins with a complete fleet. */
function faultsOf(isUnfinished: IsUnfinished): Readonly<Record<string, Fault>> {
  let [worker, inference, evalApi] = [fleet.evalWorker, fleet.inference, fleet.eval]
  return {
    'the worker is killed': async () => {
      worker = await killed(worker, fleet.restartEvalWorker)
    },
    'inference is killed': async () => {
      inference = await killed(inference, fleet.restartInference)
    },
    'the API is killed': async () => {
      evalApi = await killed(evalApi, fleet.restartEval)
    },
    'Redis forgets everything': async () => {
      const redis = new Redis(fleet.redisUrl)
      await redis.flushdb()
      await redis.quit()
    },
    'Redis is unavailable': async (random) => {
      if (random() < 0.5) await fleet.redis.refuse()
      else fleet.redis.freeze()
      await staysTrueFor(1_000, isUnfinished, { everyMs: 100 })
      await fleet.redis.restore()
    },
    'Postgres loses its connections, and then is away': async (random) => {
      fleet.postgres.reset()
      await staysTrueFor(500 * random(), isUnfinished, { everyMs: 100 })
      await fleet.postgres.refuse()
      await staysTrueFor(1_000, isUnfinished, { everyMs: 100 })
      await fleet.postgres.restore()
    },
  }
}

async function killed(process: FleetProcess, restart: () => Promise<FleetProcess>): Promise<FleetProcess> {
  process.signal('SIGKILL')
  await process.exited
  return restart()
}

/** A sequence with equally many faults of each kind, in an order that the seed decides. */
function sequenceOf(kinds: readonly string[], random: () => number): readonly string[] {
  const rounds = Array.from({ length: Math.ceil(faults / kinds.length) }, () =>
    kinds.map((kind) => ({ kind, place: random() })).sort((a, b) => a.place - b.place),
  )
  return rounds
    .flat()
    .slice(0, faults)
    .map(({ kind }) => kind)
}

it(`gives the same report and charges with ${faults} faults of seed ${seed}`, async () => {
  const undisturbed = await outcomeOf(async () => undefined)
  expect(undisturbed).toMatchObject({ status: 'DONE', violations: [], progress: { done: samples, total: samples } })
  const { cost_usd: cost, judge_cost_usd: judgeCost } = undisturbed.bill
  expect(Number(undisturbed.lostNano) / 1e9).toBeCloseTo(cost + judgeCost, 9)

  await fleet.provider.reset()
  await fleet.provider.script({ model: '*', behaviour: `slow-${latencyMs}`, count: 1_000_000 })
  const seen: Json[] = []
  const disturbed = await outcomeOf(async (id) => {
    const look = async () => {
      const { status, json } = await api('GET', `/evals/${id}`)
      if (status === 200) seen.push(json)
      return json
    }
    const random = seededRandom(seed)
    const isUnfinished = async () => {
      const { status, json } = await api('GET', `/evals/${id}`)
      return status >= 500 || ['PENDING', 'RUNNING'].includes(json.status)
    }
    const known = faultsOf(isUnfinished)
    for (const kind of sequenceOf(Object.keys(known), random)) {
      await staysTrueFor(300 + 900 * random(), isUnfinished, { everyMs: 100 })
      await look()
      await known[kind]?.(random)
    }
    await eventually(async () => (await look()).object === 'eval')
  })
  // The last fault interrupted work, and no finished sample was processed again.
  expect(seen.at(-1)).toMatchObject({ status: 'RUNNING' })
  for (const figure of [
    ({ progress }: Json) => progress.done,
    (run: Json) => run.cost_usd,
    (run: Json) => run.judge_cost_usd,
  ]) {
    const values = seen.map(figure)
    expect(values).toEqual(values.toSorted((a, b) => a - b))
  }
  expect(disturbed).toEqual(undisturbed)
  // Answers that were lost before they were stored were requested again, and still charged once.
  const { totals } = await fleet.provider.report()
  expect(totals.requests).toBeGreaterThanOrEqual(disturbed.charges)
}, 300_000)
