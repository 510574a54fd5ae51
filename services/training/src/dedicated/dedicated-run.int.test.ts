import { type DedicatedRun, dedicatedRun } from './dedicated-run.fixture.ts'
import { requireRightCharges } from './right-charges.fixture.ts'
import { windowHoldNano } from './windows.ts'

let run: DedicatedRun
beforeEach(async () => {
  run = await dedicatedRun()
})
afterEach(() => run.drop())

const windowNano = windowHoldNano(3_600_000_000n)

/** Nothing is held for endpoints that have stopped. */
async function isSettled(): Promise<void> {
  expect(run.money.held()).toBe(0n)
  expect(await run.rows(`SELECT 1 FROM replica_window WHERE state <> 'posted'`)).toEqual([])
  await requireRightCharges(run)
}

it('walks from its creation to its end', async () => {
  const endpoint = await run.create()
  expect(endpoint).toMatchObject({ state: 'PENDING', desired: 1, replicas: [] })
  run.engines.script('starts')
  await run.pass()
  expect(run.money.held()).toBe(2n * windowNano)
  await run.pass(2)
  expect((await run.get(endpoint)).state).toBe('STARTING')
  for (const name of run.engines.started.keys()) await run.engines.run(name)
  await run.pass()
  const running = await run.get(endpoint)
  expect(running).toMatchObject({ state: 'RUNNING', replicas: [{ state: 'ready' }], heldNano: 2n * windowNano })
  expect(running.coldStartMs.p50).toEqual(expect.any(Number))
  await run.endpoints.stop(endpoint, 'user')
  await run.pass()
  expect(await run.get(endpoint)).toMatchObject({ state: 'STOPPING', replicas: [{ state: 'draining' }] })
  await run.age(4)
  await run.pass(2)
  expect(await run.get(endpoint)).toMatchObject({ state: 'STOPPED', replicas: [], heldNano: 0n })
  expect(run.engines.started.size).toBe(0)
  expect(run.money.charged()).toBeGreaterThan(0n)
  expect(run.money.charged() % 1_000n).toBe(0n)
  await isSettled()
  const events = await run.endpoints.events(endpoint)
  expect(
    events
      .filter(({ type }) => type === 'state')
      .map(({ state }) => state)
      .reverse(),
  ).toEqual([...['PENDING', 'STARTING', 'RUNNING', 'STOPPING', 'STOPPED']])
  const notices = await run.rows(`SELECT data::json ->> 'state' AS state FROM training_notice ORDER BY created_at`)
  expect(notices.map(({ state }) => state)).toEqual(['STARTING', 'RUNNING', 'STOPPING', 'STOPPED'])
})

it('charges nothing for a start that fails, and gives up after three', async () => {
  run.engines.script('exits')
  const endpoint = await run.create()
  await run.pass(10)
  const failed = await run.get(endpoint)
  expect(failed).toMatchObject({ state: 'FAILED', lastError: 'Its engine exited.', replicas: [] })
  expect(await run.rows('SELECT 1 FROM replica')).toHaveLength(3)
  await isSettled()
  expect(run.money.charged()).toBe(0n)
  run.engines.script('runs')
  await run.endpoints.start(endpoint)
  await run.pass(3)
  expect(await run.get(endpoint)).toMatchObject({ state: 'RUNNING' })
})

it('replaces a replica that is killed, and charges only what was ready', async () => {
  const endpoint = await run.create({ minReplicas: 2 })
  await run.pass(3)
  const before = await run.get(endpoint)
  expect(before.replicas.map(({ state }) => state)).toEqual(['ready', 'ready'])
  await run.engines.stop(`replica-${before.replicas[0]?.id}`, 'now')
  await run.pass()
  expect((await run.get(endpoint)).state).toBe('RUNNING')
  await run.pass(3)
  const after = await run.get(endpoint)
  expect(after.replicas.map(({ state }) => state)).toEqual(['ready', 'ready'])
  expect(after.replicas[0]?.id).toBe(before.replicas[1]?.id)
  await requireRightCharges(run)
})

it('gives up a replica that does not answer any more', async () => {
  const endpoint = await run.create()
  await run.pass(3)
  const [replica] = (await run.get(endpoint)).replicas
  const engine = run.engines.started.get(`replica-${replica?.id}`)
  if (engine !== undefined) engine.isHealthy = false
  await run.pass(4)
  expect(run.engineEvents).toContainEqual(expect.objectContaining({ kind: 'replica_failed', replicaId: replica?.id }))
  await run.pass(3)
  const after = await run.get(endpoint)
  expect(after).toMatchObject({ state: 'RUNNING', replicas: [{ state: 'ready' }] })
  expect(after.replicas[0]?.id).not.toBe(replica?.id)
})

it('scales to zero when nobody asks, and wakes for a request that waits', async () => {
  const endpoint = await run.create()
  await run.pass(3)
  await run.age(3_601)
  await run.pass()
  expect(await run.get(endpoint)).toMatchObject({ state: 'SCALED_TO_ZERO', replicas: [{ state: 'draining' }] })
  await run.age(4)
  await run.pass(2)
  expect(await run.get(endpoint)).toMatchObject({ state: 'SCALED_TO_ZERO', replicas: [], heldNano: 0n })
  await isSettled()
  await run.report(endpoint, { waiting: 1 })
  await run.pass()
  expect(await run.get(endpoint)).toMatchObject({ state: 'STARTING' })
  await run.pass(2)
  expect(await run.get(endpoint)).toMatchObject({ state: 'RUNNING' })
})

it('scales with its requests', async () => {
  const endpoint = await run.create()
  await run.pass(3)
  await run.report(endpoint, { running: 3 })
  await run.pass(5)
  expect((await run.get(endpoint)).replicas.map(({ state }) => state)).toEqual(['ready', 'ready'])
  await run.report(endpoint, { running: 1 })
  await run.pass(2)
  expect((await run.get(endpoint)).replicas.map(({ state }) => state)).toEqual(['ready', 'draining'])
})

it('waits for hardware, and no endpoint takes more than there is', async () => {
  const first = await run.create({ minReplicas: 2 })
  const second = await run.create({ minReplicas: 2 })
  await run.pass(4)
  const third = await run.create()
  await run.pass(4)
  const states = await Promise.all([first, second, third].map(async (each) => (await run.get(each)).state))
  expect(states).toEqual(['RUNNING', 'RUNNING', 'PENDING'])
  await run.age(1_801)
  await run.pass(2)
  const failed = await run.get(third)
  expect(failed).toMatchObject({ state: 'FAILED', statusMessage: expect.stringContaining('no_capacity') })
  expect(failed.spend.totalNano).toBe(0n)
})

it('stops at an empty wallet, at the end of what is paid', async () => {
  const endpoint = await run.create()
  run.money.availableNano = windowNano
  await run.pass(3)
  expect(await run.get(endpoint)).toMatchObject({ state: 'RUNNING', heldNano: windowNano })
  // The paid window is over.
  await run.operator.query('UPDATE replica_window SET number = number - 1')
  await run.operator.query(`UPDATE replica_interval SET from_at = from_at - interval '300 seconds'`)
  const [held] = run.money.windows.values()
  expect(held?.isOpen).toBe(true)
  run.money.windows.clear()
  const [{ replica_id: replicaId, number }] = await run.rows('SELECT replica_id, number::int FROM replica_window')
  const { windowId } = await import('./window-hold.ts')
  if (held !== undefined) run.money.windows.set(windowId({ replicaId, number }), held)
  run.money.availableNano = 0n
  await run.pass()
  expect(await run.get(endpoint)).toMatchObject({ state: 'STOPPING', stoppingFor: 'credit' })
  await run.age(4)
  await run.pass(2)
  expect(await run.get(endpoint)).toMatchObject({ state: 'STOPPED', statusMessage: expect.stringContaining('wallet') })
  await isSettled()
  const notices = await run.rows(`SELECT type FROM training_notice WHERE type = 'endpoint.cap_reached'`)
  expect(notices).toHaveLength(1)
})

it('stops before an hour costs more than its limit', async () => {
  const endpoint = await run.create({ maxHourlyCostNano: windowNano })
  await run.pass(3)
  // Only the window of now fits.
  expect(await run.get(endpoint)).toMatchObject({ state: 'RUNNING', heldNano: windowNano })
})

it('ends engines that no replica has', async () => {
  const order = {
    baseModel: 'a',
    modelSource: 'a',
    hardware: null,
    maxContextLength: null,
    maxAdapters: 0,
    precision: 'auto',
  } as const
  await run.engines.start({ ...order, name: 'replica-00000000-0000-4000-8000-000000000009' })
  await run.engines.start({ ...order, name: 'pool-1' })
  await run.pass()
  expect([...run.engines.started.keys()]).toEqual(['pool-1'])
  expect(run.engineEvents).toEqual([expect.objectContaining({ kind: 'orphan_stopped' })])
})

it('deletes one after its requests have ended, and gives its key to no other one of its workspace', async () => {
  const endpoint = await run.create()
  await run.pass(3)
  await run.endpoints.stop(endpoint, 'delete')
  await run.pass()
  await run.age(4)
  await run.pass(2)
  expect(await run.endpoints.get(endpoint)).toBeNull()
  expect(await run.endpoints.list(endpoint.workspaceId)).toEqual([])
  await isSettled()
  const { workspaceId, routingKey } = endpoint
  await expect(run.create({ workspaceId, routingKey })).rejects.toThrow(/unique/)
})

it('changes replicas of one that runs', async () => {
  const endpoint = await run.create()
  await run.pass(3)
  const { minReplicas: _, ...settings } = await run.get(endpoint)
  await run.endpoints.change(endpoint, { ...settings, minReplicas: 2 }, [])
  await run.pass()
  expect((await run.get(endpoint)).state).toBe('UPDATING')
  await run.pass(3)
  expect(await run.get(endpoint)).toMatchObject({
    state: 'RUNNING',
    replicas: [{ state: 'ready' }, { state: 'ready' }],
  })
})

it('tells inference where its replicas are, with a new revision for each change', async () => {
  const endpoint = await run.create()
  const revision = async () => (await run.rows('SELECT revision FROM version_revision'))[0]?.revision
  const created = await revision()
  await run.pass(3)
  expect(await revision()).toBeGreaterThan(created)
  const [route] = await run.rows('SELECT * FROM dedicated_route')
  expect(route).toMatchObject({
    routing_key: endpoint.routingKey,
    state: 'RUNNING',
    replicas: [{ address: expect.any(String) }],
  })
})

it('lets a version answer only after its answers were compared', async () => {
  const version = { id: '00000000-0000-4000-8000-0000000000a1', adapter: 'mv_a1-abcdef01' }
  run.proofs.push('base', null)
  const endpoint = await run.create({ version })
  await run.pass(3)
  expect((await run.get(endpoint)).lastError).toMatch(/without the adapter/)
  await run.pass()
  expect((await run.get(endpoint)).replicas.map(({ state }) => state)).not.toContain('ready')
  await run.pass(3)
  expect((await run.get(endpoint)).state).toBe('RUNNING')
  expect([...run.engines.started.values()].map(({ order }) => order.maxAdapters)).toEqual([1])
  expect(await run.rows('SELECT served_as FROM dedicated_route')).toEqual([{ served_as: version.adapter }])
})

it('adds a replica when the KV cache of its engine is full, and says how full it is', async () => {
  const endpoint = await run.create()
  await run.pass(3)
  const used = async () => (await run.metrics({ ...endpoint, windowMs: 60_000 })).cacheUsed
  expect(await used()).toBeNull()
  for (const engine of run.engines.started.values()) engine.cacheUsed = 0.95
  await run.pass(2)
  expect(await used()).toBe(0.95)
  expect((await run.get(endpoint)).desired).toBe(2)
  await run.pass(3)
  expect((await run.get(endpoint)).replicas).toMatchObject([{ state: 'ready' }, { state: 'ready' }])
})
