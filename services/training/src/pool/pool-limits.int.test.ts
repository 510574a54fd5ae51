import { eventually } from '@ratchet/testing/eventually'
import { type TestPool, type TestPoolWorker, testPool } from './pool.fixture.ts'

let pool: TestPool
let versionIds: readonly string[]

beforeEach(async () => {
  pool = await testPool()
  versionIds = (await pool.app.train()).versionIds
})
afterEach(() => pool?.drop())

const serve = (id: string | undefined) => pool.app.send('post', `/v1/model_versions/${id}/serve`, { in: 'pool' })
const read = async (id: string | undefined) => (await pool.app.send('get', `/v1/model_versions/${id}`)).body

const passUntil = ({ work }: TestPoolWorker, check: () => Promise<void>) =>
  eventually(async () => {
    await work.pass()
    await check()
  })

const isReady = (id: string | undefined) => async () => expect((await read(id)).serving.pool).toBe('ready')

it('says at once that nothing serves the versions of a base that an operator took away', async () => {
  const [id] = versionIds
  const worker = pool.startWorker()
  await serve(id)
  await passUntil(worker, isReady(id))
  await worker.stop()
  const revision = await pool.revision()
  const without = pool.startWorker({ bases: [] })
  await without.work.pass()
  expect((await read(id)).serving).toMatchObject({
    pool: 'failed',
    pool_error: 'No engine of this installation serves adapters of its base any more.',
  })
  // The simulated provider has trained it, and answers again.
  expect((await pool.routes()).get(id ?? '')).toMatchObject({ adapter: null, served_as: expect.any(String) })
  expect(await pool.revision()).toBeGreaterThan(revision)
  expect(await pool.replicas()).toEqual([])
  await without.stop()
  const again = pool.startWorker()
  await passUntil(again, isReady(id))
})

it('serves so many versions of a workspace, and others again when one is taken out', async () => {
  const [first, second] = versionIds
  const [third] = (await pool.app.train()).versionIds
  expect((await serve(first)).status).toBe(202)
  expect((await serve(second)).status).toBe(202)
  expect((await serve(second)).status).toBe(202)
  const refused = { status: 403, body: { error: { code: 'quota_exceeded' } } }
  expect(await serve(third)).toMatchObject(refused)
  expect((await pool.app.send('delete', `/v1/model_versions/${first}/serve`)).status).toBe(202)
  expect((await serve(third)).status).toBe(202)
  expect(await serve(first)).toMatchObject(refused)
})

describe('an adoption that names what has to serve the version', () => {
  const adopt = (id: string | undefined, serve: string) =>
    pool.app.send('post', `/v1/model_versions/${id}/adopt`, { aliasName: 'support', serve })

  it('has the pool load it, and waits until an engine has proven it', async () => {
    const [id] = versionIds
    const worker = pool.startWorker()
    let isOver = false
    const passing = eventually(async () => {
      await worker.work.pass()
      return isOver
    })
    const { status, body } = await adopt(id, 'pool')
    isOver = true
    await passing
    expect([status, body.model_version?.serving.pool]).toEqual([200, 'ready'])
    expect(pool.app.puts).toMatchObject([{ target_model: (await read(id)).model_id }])
  })

  it('is refused while no engine is right, and where nobody else serves it', async () => {
    const [id] = versionIds
    const worker = pool.startWorker({ answering: () => null, bases: [{ baseModel: 'sim/base', replicas: 1 }] })
    await serve(id)
    await passUntil(worker, async () => expect((await read(id)).serving.pool).toBe('failed'))
    let isOver = false
    const passing = eventually(async () => {
      // The time is over after which an engine is tried again.
      pool.passedMs += 60_000
      await worker.work.pass()
      return isOver
    })
    const refused = await adopt(id, 'pool')
    isOver = true
    await passing
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'version_not_in_catalog', param: 'serve' } } })
    expect(refused.body.error.message).toContain('answers as its base model')
    expect((await adopt(id, 'provider')).status).toBe(200)
    await pool.app.run.operator.query('UPDATE model_version SET served_as = NULL')
    const alone = await adopt(id, 'provider')
    expect([alone.status, alone.body.error?.code]).toEqual([400, 'version_not_in_catalog'])
  })
})

it('replaces an engine that runs and does not answer', async () => {
  const [id] = versionIds
  const worker = pool.startWorker({ bases: [{ baseModel: 'sim/base', replicas: 1 }] })
  await serve(id)
  await passUntil(worker, isReady(id))
  const address = async () => (await worker.engines.list())[0]?.address ?? null
  const before = await address()
  pool.silent.add(before ?? '')
  pool.passedMs += 6_000
  await passUntil(worker, async () => expect(await pool.replicas()).toMatchObject([{ state: 'starting' }]))
  expect(await address()).toBe(before)
  await passUntil(worker, async () => {
    pool.passedMs += 20_000
    expect(await address()).not.toBe(before)
  })
  await passUntil(worker, isReady(id))
  expect(pool.events.map(({ kind }) => kind)).toContain('replica_replaced')
})
