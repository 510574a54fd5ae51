import { type DedicatedRun, dedicatedRun } from './dedicated-run.fixture.ts'

let run: DedicatedRun
beforeAll(async () => {
  run = await dedicatedRun()
})
afterAll(() => run.drop())

it('keeps the last thousand events of an endpoint, however often it is changed', async () => {
  const endpoint = await run.create()
  const other = await run.create()
  await run.rows(`
    INSERT INTO dedicated_event (endpoint_id, seq, id, workspace_id, at, type, state, message, cost_nano)
    SELECT id, n, gen_random_uuid(), workspace_id, now(), 'changed', state, '', 0
    FROM dedicated_endpoint, generate_series(2, 1500) n WHERE id = '${endpoint.id}'`)
  await run.rows(`UPDATE dedicated_endpoint SET event_seq = 1500 WHERE id = '${endpoint.id}'`)
  await run.endpoints.change(endpoint, { ...endpoint, name: 'Changed' }, [])
  const [counted] = await run.rows(
    `SELECT count(*)::int AS events, min(seq) AS first FROM dedicated_event WHERE endpoint_id = '${endpoint.id}'`,
  )
  expect(counted).toEqual({ events: 1_000, first: 502 })
  expect((await run.endpoints.events(endpoint))[0]?.message).toBe('Its settings were changed.')
  expect(await run.endpoints.events(other)).toHaveLength(1)
})
