import { type DedicatedRun, dedicatedRun } from './dedicated-run.fixture.ts'
import type { DedicatedEndpoint, EndpointAdapter } from './endpoint.ts'
import { RoutingKeyTaken } from './endpoint.ts'

let run: DedicatedRun
beforeEach(async () => {
  run = await dedicatedRun()
})
afterEach(() => run.drop())

const adapterOf = (digit: number): EndpointAdapter => ({
  id: `00000000-0000-4000-8000-0000000000a${digit}`,
  adapter: `mv_a${digit}-abcdef01`,
  routingKey: `parcels-${digit}`,
})
const [one, two] = [adapterOf(1), adapterOf(2)]

const routes = async () => {
  const rows = await run.rows('SELECT routing_key, served_as, replicas FROM dedicated_route ORDER BY routing_key')
  return rows.map(({ routing_key: key, served_as: servedAs, replicas }) => [key, servedAs, replicas.length])
}
const change = (endpoint: DedicatedEndpoint, adapters: readonly EndpointAdapter[], settings: object = {}) =>
  run.endpoints.change(endpoint, { ...endpoint, ...settings }, adapters)
const proven = async (endpoint: DedicatedEndpoint) =>
  (await run.get(endpoint)).replicas.map(({ adapters }) => adapters.map(({ isProven }) => isProven))

it('starts with its adapters, each under its key, and charges no more for them', async () => {
  run.proofs.push(null)
  const endpoint = await run.create({ maxAdapters: 4, adapters: [one, two] })
  expect(await routes()).toEqual([
    ['parcels-1', one.adapter, 0],
    ['parcels-2', two.adapter, 0],
    [endpoint.routingKey, 'sim/small', 0],
  ])
  await run.pass(3)
  // One is still being proven.
  expect((await run.get(endpoint)).state).toBe('STARTING')
  await run.pass(3)
  expect((await run.get(endpoint)).state).toBe('RUNNING')
  expect(await proven(endpoint)).toEqual([[true, true]])
  expect((await routes()).map(([, , replicas]) => replicas)).toEqual([1, 1, 1])
  expect([...run.engines.started.values()].map(({ order }) => order.maxAdapters)).toEqual([4])
})

it('adds one to replicas that run, which is being updated until each has proven it, and takes one away', async () => {
  const endpoint = await run.create({ maxAdapters: 4, adapters: [one] })
  await run.pass(4)
  run.proofs.push(null)
  await change(endpoint, [one, two])
  await run.pass(1)
  expect(await run.get(endpoint)).toMatchObject({ state: 'UPDATING', adapters: [one, two] })
  await run.pass(3)
  expect((await run.get(endpoint)).state).toBe('RUNNING')
  expect(await proven(endpoint)).toEqual([[true, true]])

  const revision = async () => (await run.rows('SELECT revision FROM version_revision'))[0]?.revision
  const before = await revision()
  await change(endpoint, [two])
  expect(await revision()).toBeGreaterThan(before)
  expect((await routes()).map(([key]) => key)).toEqual(['parcels-2', endpoint.routingKey])
  await run.pass(2)
  const [engine] = run.engines.started.values()
  expect(engine?.loaded).toEqual(new Set([one.adapter, two.adapter]))
  await run.rows(`UPDATE replica_adapter SET since = since - interval '6 seconds'`)
  await run.pass(2)
  expect(engine?.loaded).toEqual(new Set([two.adapter]))

  // Its key is burnt.
  await expect(change(endpoint, [two, one])).rejects.toThrow(RoutingKeyTaken)
  await change(endpoint, [two, { ...one, routingKey: 'parcels-3' }])
  await run.pass(3)
  expect((await routes()).map(([key, , replicas]) => [key, replicas])).toEqual([
    ['parcels-2', 1],
    ['parcels-3', 1],
    [endpoint.routingKey, 1],
  ])
})

it('sends no request to a replica that answers wrongly for an adapter, and serves the others', async () => {
  run.proofs.push('different')
  const endpoint = await run.create({ maxAdapters: 4, adapters: [one, two] })
  await run.pass(5)
  const found = await run.get(endpoint)
  expect([found.state, found.lastError]).toEqual(['RUNNING', expect.stringContaining('dedicated/parcels-1')])
  expect(await proven(endpoint)).toEqual([expect.arrayContaining([false, true])])
  expect((await routes()).map(([key]) => key)).toEqual(['parcels-2', endpoint.routingKey])
  await run.rows(`UPDATE replica_adapter SET since = since - interval '61 seconds'`)
  await run.pass(2)
  expect((await routes()).map(([key, , replicas]) => [key, replicas])).toEqual([
    ['parcels-1', 1],
    ['parcels-2', 1],
    [endpoint.routingKey, 1],
  ])
})

it('sends requests to the half of the replicas that has proven an adapter', async () => {
  const endpoint = await run.create({ maxAdapters: 4, minReplicas: 2, adapters: [] })
  await run.pass(5)
  run.proofs.push('base', 'same')
  await change(endpoint, [one])
  await run.pass(2)
  expect((await routes()).map(([key, , replicas]) => [key, replicas])).toEqual([
    ['parcels-1', 1],
    [endpoint.routingKey, 2],
  ])
})

it('proves again what a restarted engine has lost, and replaces one that has lost its own version', async () => {
  const version = { id: adapterOf(9).id, adapter: adapterOf(9).adapter }
  const endpoint = await run.create({ maxAdapters: 4, version, adapters: [one] })
  await run.pass(4)
  const [engine] = run.engines.started.values()
  engine?.loaded.delete(one.adapter)
  run.proofs.push(null)
  await run.pass(1)
  expect((await routes()).map(([key, , replicas]) => [key, replicas])).toContainEqual(['parcels-1', 0])
  await run.pass(2)
  expect(engine?.loaded).toEqual(new Set([version.adapter, one.adapter]))
  expect((await routes()).map(([key, , replicas]) => [key, replicas])).toContainEqual(['parcels-1', 1])

  const [before] = (await run.get(endpoint)).replicas
  engine?.loaded.delete(version.adapter)
  await run.pass(5)
  const [after] = (await run.get(endpoint)).replicas
  expect(after?.id).not.toBe(before?.id)
  expect((await run.get(endpoint)).state).toBe('RUNNING')
})

it('gives no key out twice in a workspace', async () => {
  const { workspaceId } = await run.create({ maxAdapters: 4, adapters: [one] })
  const again = { maxAdapters: 4, adapters: [{ ...two, routingKey: one.routingKey }] }
  await expect(run.create({ workspaceId, ...again })).rejects.toThrow(RoutingKeyTaken)
  await expect(run.create({ workspaceId, routingKey: one.routingKey })).rejects.toThrow(RoutingKeyTaken)
  expect(await run.rows('SELECT 1 FROM dedicated_endpoint')).toHaveLength(1)
})

it('does not tell which keys other workspaces have', async () => {
  await run.create({ maxAdapters: 4, adapters: [one] })
  const other = await run.create({ maxAdapters: 4, adapters: [{ ...two, routingKey: one.routingKey }] })
  expect(other.adapters.map(({ routingKey }) => routingKey)).toEqual([one.routingKey])
  const own = await run.create({ routingKey: one.routingKey })
  expect(own.routingKey).toBe(one.routingKey)
})
