import { eventually } from '@ratchet/testing/eventually'
import { requireRightCharges } from './dedicated/right-charges.ts'
import { type Fleet, startFleet } from './fleet.ts'
import type { Json } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import type { TrainedVersion } from './pool/train-versions.ts'
import { keepAsking, wordsOf } from './serving/keep-asking.ts'
import { scriptedServing, servedBase } from './serving/scripted-serving.ts'
import { type ServedWorkspace, servedWorkspace } from './serving/served-workspace.ts'
import { childrenOf } from './trainers/python-trainer.ts'

/* One endpoint with a base and two adapters, each under its own name, on engines that say which weights answer. */

let fleet: Fleet
let me: ServedWorkspace

beforeAll(async () => {
  fleet = await startFleet({ training: true, env: { ...scriptedServing(1), POOL_MODELS: '' } })
  me = await servedWorkspace(fleet)
}, 300_000)
afterAll(() => fleet?.stop(), 120_000)

const messages = [{ role: 'user' as const, content: 'Where is my parcel?' }]
const idOf = ({ path }: TrainedVersion) => path.slice('/model_versions/'.length)

it('answers as each of its versions under a name of its own, and never as another one', async () => {
  const [first, second] = (await me.train()) as [TrainedVersion, TrainedVersion]
  const trained = (await ledgerAtRest(fleet, me.workspace)).charged
  const adapters = [{ modelVersionId: idOf(first) }]
  const created = await me.create({ minReplicas: 2, maxReplicas: 2, adapters })
  await me.untilReady(created.id, 2)
  const chosen = `second-${created.routing_key}`.slice(0, 40)
  const change = (list: readonly object[]) => me.ask('PATCH', `/dedicated/endpoints/${created.id}`, { adapters: list })
  const changed = await change([...adapters, { modelVersionId: idOf(second), routingKey: chosen }])
  expect([changed.status, changed.json.routes?.length]).toEqual([200, 3])
  const endpoint = await eventually(
    async () => {
      const found = await me.untilReady(created.id, 2)
      expect(found.routes.map(({ fingerprint_ok: isOk }: Json) => isOk)).toEqual([true, true, true])
      return found
    },
    { withinMs: 60_000, everyMs: 200 },
  )
  expect(endpoint.replicas.map(({ adapters_loaded: ids }: Json) => ids.length)).toEqual([2, 2])

  const expected = [servedBase, first.weights, second.weights]
  const clients = endpoint.routes.map(({ model_id: model }: Json) => keepAsking(me.openai, model, 1))
  const listed = (await me.openai.models.list()).data.map(({ id }) => id)
  expect(listed).toEqual(expect.arrayContaining(endpoint.routes.map(({ model_id: model }: Json) => model)))
  await eventually(() => {
    for (const { said } of clients) expect(said.length).toBeGreaterThan(3)
  })
  const [engine = 0] = await childrenOf(fleet.trainingWorker.pid)
  process.kill(engine, 'SIGKILL')
  await eventually(async () => expect(await childrenOf(fleet.trainingWorker.pid)).not.toContain(engine))
  await me.untilReady(created.id, 2)
  for (const each of clients) await each.stop()
  expect(clients.map(wordsOf)).toEqual(expected.map((weights) => [weights]))

  // What is taken away is not found any more, and its key is not given out again.
  expect((await change(adapters)).status).toBe(200)
  await eventually(async () => {
    const { json } = await me.ask('POST', '/chat/completions', { model: `dedicated/${chosen}`, messages })
    expect(json.error?.code).toBe('dedicated_endpoint_not_found')
  })
  const again = await change([...adapters, { modelVersionId: idOf(second), routingKey: chosen }])
  expect([again.status, again.json.error.code]).toEqual([409, 'conflict'])
  const archived = await me.ask('POST', `${first.path}/archive`)
  expect([archived.status, archived.json.error.code]).toEqual([409, 'version_in_use'])

  await me.remove(created.id)
  await requireRightCharges(fleet, me.workspace, trained)
}, 240_000)
