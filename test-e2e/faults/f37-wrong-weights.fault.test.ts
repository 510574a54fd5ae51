import { eventually } from '@ratchet/testing/eventually'
import { requireRightCharges } from '../dedicated/right-charges.ts'
import { ledgerAtRest } from '../ledger-oracle.ts'
import type { TrainedVersion } from '../pool/train-versions.ts'
import { keepAsking, wordsOf } from '../serving/keep-asking.ts'
import { type EngineFaults, engineFaults, scriptedServing } from '../serving/scripted-serving.ts'
import { type ServedWorkspace, servedWorkspace } from '../serving/served-workspace.ts'
import { describeFault } from './describe-fault.ts'

const engines = 4
const asked = 40
const waits = { withinMs: 60_000, everyMs: 200 }

let faults: EngineFaults

describeFault(
  {
    id: 'F37',
    title: 'engines answer with other weights than they say: one ignores adapters, one has old ones',
    promise:
      'no request reaches an engine before it has answered the probes as the trainer did: the good half answers, and where no engine is right, the version has failed and says why; starts that fail cost nothing',
    async fleet(onStop) {
      faults = await engineFaults(onStop)
      await faults.set({ 1: 'base', 2: 'old' })
      return { training: true, env: scriptedServing(engines, { ENGINE_FAULTS: faults.folder }) }
    },
  },
  (fault) => {
    let me: ServedWorkspace
    let version: TrainedVersion
    beforeAll(async () => {
      me = await servedWorkspace(fault.fleet)
      version = ((await me.train()) as [TrainedVersion])[0]
    }, 120_000)

    it('serves a version from the good half of the pool', async () => {
      await me.serve(version)
      await eventually(async () => expect((await me.servingOf(version)).pool).toBe('ready'), waits)
      const asking = keepAsking(me.openai, version.model)
      await eventually(() => expect(asking.said.length).toBeGreaterThan(asked), waits)
      await asking.stop()
      expect(wordsOf(asking)).toEqual([version.weights])
      fault.note('answers of a pool with 2 wrong engines of 4', asking.said.length)
      expect((await ledgerAtRest(fault.fleet, me.workspace)).violations).toEqual([])
    }, 120_000)

    it('gives an endpoint no replica with wrong weights, and charges no start of one', async () => {
      const { charged } = await ledgerAtRest(fault.fleet, me.workspace)
      await faults.set({ 1: 'old', 2: 'base' })
      const modelVersionId = version.path.slice('/model_versions/'.length)
      const endpoint = await me.create({ model: undefined, modelVersionId, minReplicas: 1 })
      await me.untilReady(endpoint.id, 1)
      const { data } = (await me.ask('GET', `/dedicated/endpoints/${endpoint.id}/events`)).json
      const ended = data.filter(({ message }: { message: string }) => message.startsWith('A replica has ended'))
      expect(ended).toHaveLength(2)
      const asking = keepAsking(me.openai, endpoint.model_id)
      await eventually(() => expect(asking.said.length).toBeGreaterThan(5), waits)
      await asking.stop()
      expect(wordsOf(asking)).toEqual([version.weights])
      fault.note('starts with wrong weights before the right one', ended.length)

      await faults.set({ all: 'base' })
      const wrong = await me.create({ model: undefined, modelVersionId, minReplicas: 1 })
      await eventually(async () => {
        const { json } = await me.ask('GET', `/dedicated/endpoints/${wrong.id}`)
        expect([json.state, json.spend.total_usd, json.last_error]).toEqual([
          'FAILED',
          0,
          'Its engine answered as the base model, without the adapter of the version.',
        ])
      }, waits)
      for (const { id } of [endpoint, wrong]) await me.remove(id)
      await requireRightCharges(fault.fleet, me.workspace, charged)
    }, 180_000)
  },
)
