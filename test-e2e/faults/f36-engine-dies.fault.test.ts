import { eventually } from '@ratchet/testing/eventually'
import { requireRightCharges } from '../dedicated/right-charges.ts'
import { ledgerAtRest } from '../ledger-oracle.ts'
import type { TrainedVersion } from '../pool/train-versions.ts'
import { keepAsking, wordsOf } from '../serving/keep-asking.ts'
import { scriptedServing, servedBase } from '../serving/scripted-serving.ts'
import { type ServedWorkspace, servedWorkspace } from '../serving/served-workspace.ts'
import { childrenOf } from '../trainers/python-trainer.ts'
import { describeFault } from './describe-fault.ts'

/** Engines of the pool, and replicas of the endpoint. */
const each = 2

describeFault(
  {
    id: 'F36',
    title: 'engines of the pool and of an endpoint are killed during streams',
    promise:
      'a stream of theirs breaks off with an error frame, all others go on; nothing is said that other weights would say; a pooled answer is charged by its tokens, an endpoint by the time in which replicas were ready',
    fleet: { training: true, env: scriptedServing(each) },
  },
  (fault) => {
    it('answers with the right weights, and charges what was delivered', async () => {
      const { fleet } = fault
      const [pooled, hiring] = [await servedWorkspace(fleet), await servedWorkspace(fleet)]
      const [version] = (await pooled.train()) as [TrainedVersion]
      await pooled.serve(version)
      const endpoint = await hiring.create({ minReplicas: each, maxReplicas: each })
      await hiring.untilReady(endpoint.id, each)
      await untilServed(pooled, version)

      const clients = [
        { weights: version.weights, asking: keepAsking(pooled.openai, version.model, 4) },
        { weights: servedBase, asking: keepAsking(hiring.openai, endpoint.model_id, 4) },
      ]
      const engines = () => childrenOf(fleet.trainingWorker.pid)
      const answered = (more: number) => {
        const before = clients.map(({ asking }) => asking.said.length)
        return eventually(
          () => {
            for (const [index, { asking }] of clients.entries()) {
              expect(asking.said.length).toBeGreaterThan((before[index] ?? 0) + more)
            }
          },
          { withinMs: 60_000, everyMs: 100 },
        )
      }
      await answered(4)
      const before = await engines()
      expect(before).toHaveLength(2 * each)
      const killed = before.filter((_, index) => index % 2 === 0)
      for (const pid of killed) process.kill(pid, 'SIGKILL')
      await eventually(
        async () => {
          const now = await engines()
          expect(now).toHaveLength(2 * each)
          expect(now.filter((pid) => killed.includes(pid))).toEqual([])
        },
        { withinMs: 60_000, everyMs: 200 },
      )
      await hiring.untilReady(endpoint.id, each)
      await answered(4)
      for (const { asking } of clients) await asking.stop()
      expect(clients.map(({ asking }) => wordsOf(asking))).toEqual(clients.map(({ weights }) => [weights]))
      fault.note('engines killed', killed.length)
      fault.note(
        'answers',
        clients.reduce((sum, { asking }) => sum + asking.said.length, 0),
      )
      fault.note(
        'streams that broke off',
        clients.reduce((sum, { asking }) => sum + asking.begun.length, 0),
      )
      fault.note(
        'other refusals',
        clients.reduce((sum, { asking }) => sum + asking.failures.length - asking.begun.length, 0),
      )

      await hiring.remove(endpoint.id)
      await requireRightCharges(fleet, hiring.workspace)
      expect((await ledgerAtRest(fleet, pooled.workspace)).violations).toEqual([])
    }, 180_000)
  },
)

async function untilServed({ ask }: ServedWorkspace, { model, weights }: TrainedVersion): Promise<void> {
  const messages = [{ role: 'user', content: 'Where?' }]
  await eventually(
    async () => {
      const { json } = await ask('POST', '/chat/completions', { model, messages })
      expect(json.choices?.[0]?.message.content).toBe(weights)
    },
    { withinMs: 60_000, everyMs: 200 },
  )
}
