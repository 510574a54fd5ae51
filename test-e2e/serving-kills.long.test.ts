import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { requireRightCharges } from './dedicated/right-charges.ts'
import { faultOrder } from './fault-order.ts'
import { migratedDatabase, type OwnPostgres, ownPostgres, storesWith } from './faults/own-stores.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import type { TrainedVersion } from './pool/train-versions.ts'
import { keepAsking, wordsOf } from './serving/keep-asking.ts'
import { scriptedServing, servedBase } from './serving/scripted-serving.ts'
import { type ServedWorkspace, servedWorkspace } from './serving/served-workspace.ts'
import { childrenOf } from './trainers/python-trainer.ts'
import { killerOf, trainingFaults } from './training-faults.ts'

/* The pool and dedicated endpoints under load, while engines, workers, services and Postgres are killed again and again. */

const kills = Number(process.env.SERVING_KILLS ?? 30)
const seed = Number(process.env.SERVING_FAULT_SEED ?? 1)
const withinMs = 180_000 + kills * 20_000

let fleet: Fleet
let postgres: OwnPostgres
let pooled: ServedWorkspace
let hiring: ServedWorkspace
const undo: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  const onStop = (step: () => Promise<unknown>) => void undo.push(step)
  postgres = await ownPostgres(onStop)
  const stores = await storesWith(onStop, { databaseUrl: await migratedDatabase(postgres) })
  fleet = await startFleet({ training: true, stores, env: scriptedServing(2) })
  pooled = await servedWorkspace(fleet)
  hiring = await servedWorkspace(fleet)
}, 300_000)
afterAll(async () => {
  await fleet?.stop()
  for (const step of undo.splice(0).reverse()) await step()
}, 180_000)

const random = seededRandom(seed)

/** Every second kill is one of an engine. */
async function killThroughout(): Promise<number> {
  const kill = killerOf(fleet, postgres)
  let engines = 0
  for (const fault of faultOrder(trainingFaults, kills, random)) {
    await elapse(3_000 * random())
    if (random() < 0.5) {
      await kill(fault)
      continue
    }
    const worker = fleet.processes.findLast(({ name }) => name.startsWith('training-worker'))
    const running = await childrenOf(worker?.pid ?? 0)
    const victim = running[Math.floor(running.length * random())]
    if (victim === undefined) continue
    process.kill(victim, 'SIGKILL')
    engines += 1
  }
  return engines
}

it(
  `serves no wrong version, and has right books after ${kills} kills (seed ${seed})`,
  async () => {
    const [first, second] = (await pooled.train()) as [TrainedVersion, TrainedVersion]
    for (const version of [first, second]) await pooled.serve(version)
    const [own] = (await hiring.train()) as [TrainedVersion]
    const { charged } = await ledgerAtRest(fleet, hiring.workspace)
    const base = await hiring.create({ minReplicas: 1, maxReplicas: 2 })
    const id = own.path.slice('/model_versions/'.length)
    const versioned = await hiring.create({ model: undefined, modelVersionId: id, minReplicas: 2, maxReplicas: 2 })
    await hiring.untilReady(base.id, 1)
    await hiring.untilReady(versioned.id, 2)
    for (const version of [first, second]) {
      await eventually(async () => expect((await pooled.servingOf(version)).pool).toBe('ready'), { withinMs: 60_000 })
      await eventually(async () => {
        const answer = await pooled.ask('POST', '/chat/completions', {
          model: version.model,
          messages: [{ role: 'user', content: 'Where?' }],
        })
        expect(answer.json.choices?.[0]?.message.content).toBe(version.weights)
      })
    }
    const clients = [
      { weights: [first.weights], asking: keepAsking(pooled.openai, first.model, 1) },
      { weights: [second.weights], asking: keepAsking(pooled.openai, second.model, 1) },
      { weights: [servedBase], asking: keepAsking(hiring.openai, base.model_id, 1) },
      { weights: [own.weights], asking: keepAsking(hiring.openai, versioned.model_id, 1) },
    ]
    await killThroughout()

    // All of it comes back by itself.
    await hiring.untilReady(base.id, 1)
    await hiring.untilReady(versioned.id, 2)
    const before = clients.map(({ asking }) => asking.said.length)
    await eventually(
      async () => {
        for (const [index, { asking }] of clients.entries()) {
          expect(asking.said.length).toBeGreaterThan((before[index] ?? 0) + 5)
        }
      },
      { withinMs: 120_000, everyMs: 500 },
    )
    for (const { asking } of clients) await asking.stop()
    expect(clients.map(({ asking }) => wordsOf(asking))).toEqual(clients.map(({ weights }) => weights))

    for (const each of [base, versioned]) await hiring.remove(each.id)
    await requireRightCharges(fleet, hiring.workspace, charged)
    expect(await adminAudit(fleet, [pooled.workspace, hiring.workspace])).toEqual(cleanAudit)
  },
  withinMs,
)
