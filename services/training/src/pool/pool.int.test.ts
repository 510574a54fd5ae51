import { eventually } from '@ratchet/testing/eventually'
import type { SimAdapter } from '../engines/sim/sim-adapter.ts'
import { askAt, type TestPool, type TestPoolWorker, testPool, versionUuid } from './pool.fixture.ts'

let pool: TestPool
let versionIds: readonly string[]

beforeEach(async () => {
  pool = await testPool()
  versionIds = (await pool.app.train()).versionIds
})
afterEach(() => pool?.drop())

const serve = (id: string | undefined) => pool.app.send('post', `/v1/model_versions/${id}/serve`, { in: 'pool' })
const unserve = (id: string | undefined) => pool.app.send('delete', `/v1/model_versions/${id}/serve`)
const read = async (id: string | undefined) => (await pool.app.send('get', `/v1/model_versions/${id}`)).body

/** Passes of a worker until something is so. */
const passUntil = ({ work }: TestPoolWorker, check: () => Promise<void>) =>
  eventually(async () => {
    await work.pass()
    await check()
  })

const readyAt = async (id: string | undefined) => (await pool.routes()).get(id ?? '')?.addresses ?? []

it('serves a version on each engine that has proven it, and forgets it again', async () => {
  const [id] = versionIds
  expect((await pool.routes()).get(id ?? '')).toMatchObject({ adapter: null, addresses: null })
  const worker = pool.startWorker()
  const { status, body } = await serve(id)
  expect([status, body.serving]).toEqual([202, expect.objectContaining({ pool: 'loading', pool_error: null })])
  await passUntil(worker, async () => expect(await readyAt(id)).toHaveLength(2))
  expect((await read(id)).serving).toMatchObject({ pool: 'ready', pool_error: null })
  const { adapter, addresses, served_as: servedAs } = (await pool.routes()).get(id ?? '')
  expect(adapter).toMatch(new RegExp(`^${id}-[0-9a-f]{8}$`))
  for (const address of addresses) expect((await askAt(address, adapter)).status).toBe(200)
  expect((await pool.provider.report({ model: servedAs })).totals.requests).toBe(2)
  const revision = await pool.revision()
  expect((await unserve(id)).body.serving.pool).toBe('none')
  expect((await pool.routes()).get(id ?? '')).toMatchObject({ adapter: null })
  expect(await pool.revision()).toBe(revision + 1)
  await worker.work.pass()
  expect(await pool.adapters()).toMatchObject([{ state: 'leaving' }, { state: 'leaving' }])
  for (const address of addresses) expect((await askAt(address, adapter)).status).toBe(200)
  pool.passedMs = 6_000
  await passUntil(worker, async () => expect(await pool.adapters()).toEqual([]))
  for (const address of addresses) expect((await askAt(address, adapter)).status).toBe(404)
})

const otherThan = (asked: SimAdapter, loaded: readonly SimAdapter[]) => loaded.find((each) => each !== asked) ?? asked

it.each([
  ['ignores its adapters', () => null, 'as its base model'],
  ['answers with another adapter', otherThan, 'otherwise'],
] as const)('sends no request to an engine that %s', async (_what, answering, problem) => {
  const [first, second] = versionIds
  const worker = pool.startWorker({ answering, bases: [{ baseModel: 'sim/base', replicas: 1 }] })
  await serve(first)
  await serve(second)
  await passUntil(worker, async () => {
    const wrong = [await read(first), await read(second)].find(({ serving }) => serving.pool === 'failed')
    expect(wrong?.serving.pool_error).toContain(problem)
    expect((await readyAt(wrong.id)).length).toBe(0)
  })
})

it('serves from the good half of the engines when the other half has a bug', async () => {
  const [id] = versionIds
  let asked = 0
  // Each engine answers 8 probes of an adapter: the first that is asked is the wrong one.
  const wrong = new Set<object>()
  const worker = pool.startWorker({
    answering(adapter) {
      if (asked === 0) wrong.add(adapter)
      asked += 1
      return wrong.has(adapter) ? null : adapter
    },
  })
  await serve(id)
  await passUntil(worker, async () => {
    expect((await pool.adapters()).map(({ state }) => state).sort()).toEqual(['failed', 'ready'])
  })
  expect(await readyAt(id)).toHaveLength(1)
  expect((await read(id)).serving).toMatchObject({ pool: 'ready', pool_error: null })
})

it('proves everything again on an engine that was restarted, and sends no request there before', async () => {
  const [id] = versionIds
  const worker = pool.startWorker()
  await serve(id)
  await passUntil(worker, async () => expect(await readyAt(id)).toHaveLength(2))
  const before = (await pool.replicas()).map(({ address }) => address)
  const [first] = await worker.engines.list()
  await worker.engines.stop(first?.name ?? '', 'now')
  await worker.work.pass()
  expect(await readyAt(id)).toEqual([before[1]])
  await passUntil(worker, async () => expect(await readyAt(id)).toHaveLength(2))
  expect(await readyAt(id)).not.toContain(before[0])
  expect((await pool.adapters()).map(({ state }) => state)).toEqual(['ready', 'ready'])
})

it('loads again what an engine has forgotten, and unloads what it should not have', async () => {
  const [id] = versionIds
  const worker = pool.startWorker({ copies: 1 })
  await serve(id)
  await passUntil(worker, async () => expect(await readyAt(id)).toHaveLength(1))
  const { adapter, addresses } = (await pool.routes()).get(id ?? '')
  const unload = { method: 'POST', body: JSON.stringify({ lora_name: adapter }) }
  expect((await fetch(`${addresses[0]}/v1/unload_lora_adapter`, unload)).status).toBe(200)
  pool.passedMs = 6_000
  const revision = await pool.revision()
  await passUntil(worker, async () => expect(pool.events.filter(({ kind }) => kind === 'loaded')).toHaveLength(2))
  await passUntil(worker, async () => expect(await readyAt(id)).toHaveLength(1))
  // Its requests went elsewhere meanwhile.
  expect(await pool.revision()).toBe(revision + 2)
  expect((await askAt(addresses[0], adapter)).status).toBe(200)
})

it('has one worker at a time manage the pool, and the next one take it over', async () => {
  const [id] = versionIds
  const [one, other] = [pool.startWorker(), pool.startWorker()]
  await serve(id)
  await passUntil(one, async () => expect(await readyAt(id)).toHaveLength(2))
  expect(await other.work.pass()).toBe(0)
  expect(await other.engines.list()).toEqual([])
  const before = await readyAt(id)
  await one.stop()
  await passUntil(other, async () => expect(await readyAt(id)).toHaveLength(2))
  expect(await readyAt(id)).not.toEqual(before)
})

it('stops engines of the pool that nobody wants any more', async () => {
  const worker = pool.startWorker()
  await passUntil(worker, async () => expect(await worker.engines.list()).toHaveLength(2))
  const order = { baseModel: 'sim/large', modelSource: 'x', hardware: null, maxContextLength: null, maxAdapters: 1 }
  await worker.engines.start({ ...order, name: 'pool-old-0', precision: 'auto' })
  await worker.engines.start({ ...order, name: 'ep-mine', precision: 'auto' })
  await passUntil(worker, async () =>
    expect((await worker.engines.list()).map(({ name }) => name)).not.toContain('pool-old-0'),
  )
  expect((await worker.engines.list()).map(({ name }) => name)).toContain('ep-mine')
  expect(pool.events).toContainEqual({ kind: 'orphan_stopped', replica: 'pool-old-0' })
})

it('never unloads an adapter that answers requests', async () => {
  const [id] = versionIds
  const worker = pool.startWorker({ copies: 1, bases: [{ baseModel: 'sim/base', replicas: 1 }] })
  await serve(id)
  await passUntil(worker, async () => expect(await readyAt(id)).toHaveLength(1))
  const { adapter, addresses, served_as: servedAs } = (await pool.routes()).get(id ?? '')
  await pool.provider.script({ model: servedAs, behaviour: 'pace-100', count: 1 })
  const answer = askAt(addresses[0], adapter)
  await unserve(id)
  await worker.work.pass()
  pool.passedMs = 6_000
  await worker.work.pass()
  const states = (await pool.adapters()).map(({ state }) => state)
  expect((await answer).status).toBe(200)
  expect(states).toEqual(['leaving'])
  await passUntil(worker, async () => expect(await pool.adapters()).toEqual([]))
})

it('refuses what no engine can serve, and to stop what an alias needs', async () => {
  const { rows } = await pool.app.run.operator.query(
    `UPDATE model_version SET base_model = 'sim/other', served_as = NULL WHERE id = $1 RETURNING name, workspace_id`,
    [versionUuid(versionIds[0] ?? '')],
  )
  expect(await serve(versionIds[0])).toMatchObject({ status: 400, body: { error: { code: 'incompatible_adapter' } } })
  expect((await unserve(versionIds[0])).status).toBe(202)
  expect((await serve('mv_00000000000070008000000000000000')).status).toBe(404)
  await pool.app.run.operator.query(`UPDATE model_version SET adapter_rank = 128, served_as = NULL WHERE id = $1`, [
    versionUuid(versionIds[1] ?? ''),
  ])
  expect(await serve(versionIds[1])).toMatchObject({ status: 400, body: { error: { code: 'incompatible_adapter' } } })
  expect(rows).toHaveLength(1)
})
