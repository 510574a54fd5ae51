import { eventually } from '@ratchet/testing/eventually'
import { requireRightCharges } from '../dedicated/right-charges.ts'
import { ledgerAtRest } from '../ledger-oracle.ts'
import type { TrainedVersion } from '../pool/train-versions.ts'
import { keepAsking, wordsOf } from '../serving/keep-asking.ts'
import { scriptedServing, servedBase } from '../serving/scripted-serving.ts'
import { servedWorkspace } from '../serving/served-workspace.ts'
import { describeFault } from './describe-fault.ts'
import { migratedDatabase, type OwnPostgres, ownPostgres, storesWith } from './own-stores.ts'

/** Settings of a process with a shifted clock. */
function shifted(shiftMs: number): Readonly<Record<string, string>> {
  const preload = new URL('./shifted-clock.ts', import.meta.url).pathname
  return { NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT_MS: String(shiftMs) }
}

let postgres: OwnPostgres

describeFault(
  {
    id: 'F38',
    title: 'a worker that serves is ten minutes ahead, then Postgres is killed, then the worker',
    promise:
      'the clock of the database decides: no replica ends and no lease moves; engines go on answering without Postgres and without their endpoint being changed; a killed worker loses its engines, which another one replaces; only ready time is charged',
    async fleet(onStop) {
      postgres = await ownPostgres(onStop)
      const stores = await storesWith(onStop, { databaseUrl: await migratedDatabase(postgres) })
      return { training: true, stores, env: scriptedServing(1) }
    },
  },
  (fault) => {
    it('keeps right books', async () => {
      const { fleet } = fault
      const [pooled, hiring] = [await servedWorkspace(fleet), await servedWorkspace(fleet)]
      const [version] = (await pooled.train()) as [TrainedVersion]
      await pooled.serve(version)
      const endpoint = await hiring.create({ minReplicas: 1 })
      const before = await hiring.untilReady(endpoint.id, 1)
      await eventually(async () => expect((await pooled.servingOf(version)).pool).toBe('ready'), { withinMs: 60_000 })
      const clients = [
        { weights: version.weights, asking: keepAsking(pooled.openai, version.model, 1) },
        { weights: servedBase, asking: keepAsking(hiring.openai, endpoint.model_id, 1) },
      ]
      const answered = async () => {
        const counts = clients.map(({ asking }) => asking.said.length)
        await eventually(
          () => {
            for (const [index, { asking }] of clients.entries()) {
              expect(asking.said.length).toBeGreaterThan((counts[index] ?? 0) + 3)
            }
          },
          { withinMs: 120_000, everyMs: 200 },
        )
      }
      await answered()

      const ahead = await fleet.add('training-worker', shifted(600_000))
      await answered()
      expect((await hiring.untilReady(endpoint.id, 1)).replicas[0].id).toBe(before.replicas[0].id)
      await ahead.stop()

      await postgres.kill()
      await postgres.start()
      await answered()
      expect((await hiring.untilReady(endpoint.id, 1)).replicas[0].id).toBe(before.replicas[0].id)

      fleet.trainingWorker.signal('SIGKILL')
      await fleet.trainingWorker.exited
      const killedMs = performance.now()
      await fleet.restartTrainingWorker()
      await eventually(
        async () => {
          const { replicas } = (await hiring.ask('GET', `/dedicated/endpoints/${endpoint.id}`)).json
          expect(replicas.map(({ state }: { state: string }) => state)).toEqual(['ready'])
          expect(replicas[0].id).not.toBe(before.replicas[0].id)
        },
        { withinMs: 120_000, everyMs: 250 },
      )
      fault.note('replica replaced after the worker was killed, s', Math.round((performance.now() - killedMs) / 1_000))
      await answered()
      for (const { asking } of clients) await asking.stop()
      expect(clients.map(({ asking }) => wordsOf(asking))).toEqual(clients.map(({ weights }) => [weights]))
      fault.note(
        'answers',
        clients.reduce((sum, { asking }) => sum + asking.said.length, 0),
      )

      await hiring.remove(endpoint.id)
      await requireRightCharges(fleet, hiring.workspace)
      expect((await ledgerAtRest(fleet, pooled.workspace)).violations).toEqual([])
    }, 300_000)
  },
)
