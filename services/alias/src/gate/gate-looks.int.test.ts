import { randomUUID } from 'node:crypto'
import { isGated } from '../aliases/alias.ts'
import { type AliasApp, aliasApp } from '../aliases/alias-app.fixture.ts'
import { passHour } from './pass-hour.fixture.ts'
import { createPgGateLooks } from './pg-gate-looks.ts'
import { type WatchedAlias, watchedAlias } from './watched-alias.fixture.ts'

describe('evaluations of a gate', () => {
  let own: WatchedAlias
  beforeAll(async () => {
    own = await watchedAlias()
  })
  afterAll(() => own.drop())
  beforeEach(() => own.clear())

  const auto = { gate_mode: 'auto', canary_percent: 50 } as const

  it('are all stored, the last one with the numbers of the audit, and outlive the split', async () => {
    let alias = await own.put(auto)
    let hours = 0
    for (; hours < 6 && isGated(alias.settings); hours += 1) {
      alias = await passHour(own, { answers: 100, targetFlawed: 20, canaryFlawed: 3 })
    }
    const { epochs, looks } = await createPgGateLooks(own.pool).list(alias, null)
    expect(looks.map(({ epoch, look }) => [epoch, look])).toEqual(looks.map((_, index) => [1, index + 1]))
    expect(epochs).toEqual([
      { epoch: 1, looks: looks.length, first_at: looks[0]?.at, last_at: own.clock.now().toISOString() },
    ])
    const { rows } = await own.operator.query(`SELECT evidence FROM alias_event WHERE kind = 'gate_rollback'`)
    const { gate } = JSON.parse(rows[0].evidence)
    const last = looks.at(-1)
    expect(last).toMatchObject({
      state: 'rolled_back',
      look: gate.looks,
      difference: { estimate: gate.difference.estimate, cs: gate.difference.cs },
      margin: gate.margin,
      guard: gate.guard,
      scored: { target: gate.arms.target.scored, canary: gate.arms.canary.scored },
    })
    expect(last?.difference?.cs[1]).toBeLessThan(-0.05)
    expect(looks.slice(0, -1).map(({ state }) => state)).not.toContain('rolled_back')
  })

  it('begin again with a new split, and the alias takes them with it when it is deleted', async () => {
    const looksOf = createPgGateLooks(own.pool)
    await own.put(auto)
    await passHour(own, { answers: 5, targetFlawed: 10, canaryFlawed: 10 })
    const alias = await own.put({ ...auto, canary_percent: 20 })
    await passHour(own, { answers: 5, targetFlawed: 10, canaryFlawed: 10 })
    const places = (await looksOf.list(alias, null)).looks.map(({ epoch, look }) => [epoch, look])
    expect(new Set(places.map(([epoch]) => epoch))).toEqual(new Set([1, 2]))
    expect(places.filter(([, look]) => look === 1)).toHaveLength(2)
    expect((await looksOf.list(alias, 2)).looks.every(({ epoch }) => epoch === 2)).toBe(true)
    expect((await looksOf.list(alias, 7)).looks).toEqual([])
    await own.operator.query('DELETE FROM alias')
    expect((await own.operator.query('SELECT 1 FROM gate_look')).rows).toEqual([])
  })
})

describe('the pages of people', () => {
  let app: AliasApp
  beforeAll(async () => {
    app = await aliasApp()
  })
  afterAll(() => app.drop())
  beforeEach(() => app.operator.query('TRUNCATE alias, alias_event CASCADE'))

  const session = { id: randomUUID(), mayGrade: false, isFresh: false }
  const read = (path: string, by?: string) => app.send('get', path, { session, ...(by === undefined ? {} : { by }) })
  const looksPath = '/session/aliases/support/looks'

  it('read at most 300 evaluations of a long split, the first and the last among them', async () => {
    await app.put({ name: 'support', target_model: 'sim/large' })
    await app.operator.query(`
      INSERT INTO gate_look (alias_id, epoch, look, looked_at, state, target_scored, canary_scored, margin, guard)
      SELECT a.id, 1, n, now(), 'collecting', n, n, 0.05, '[]' FROM alias a, generate_series(1, 5000) AS n`)
    const { status, body } = await read(`${looksPath}?epoch=1`)
    expect([status, body.alias, body.epochs]).toEqual([200, 'support', [expect.objectContaining({ looks: 5_000 })]])
    expect(body.data.length).toBeLessThanOrEqual(300)
    expect([body.data[0].look, body.data.at(-1).look]).toEqual([1, 5_000])
    expect(body.data[0]).toMatchObject({ difference: null, graded_difference: null, guard: [] })
  })

  it('read nothing of another workspace, and do not exist for keys', async () => {
    await app.put({ name: 'support', target_model: 'sim/large' })
    const by = randomUUID()
    const absent = looksPath.replace('support', 'nothing')
    expect((await read(looksPath, by)).text).toBe((await read(absent, by)).text)
    expect((await read('/session/aliases/audit', by)).body.data).toEqual([])
    for (const path of [looksPath, '/session/aliases/audit']) {
      expect((await app.send('get', path)).status).toBeGreaterThanOrEqual(400)
    }
  })

  it('read the changes of all aliases, newest first, by kind', async () => {
    await app.put({ name: 'support', target_model: 'sim/large' })
    await app.put({ name: 'sales', target_model: 'sim/large' })
    await app.send('delete', '/v1/aliases/support')
    const { body } = await read('/session/aliases/audit')
    const shown = body.data.map(({ alias, kind }: { alias: string; kind: string }) => [alias, kind])
    expect(shown).toEqual([
      ['support', 'delete'],
      ['sales', 'created'],
      ['support', 'created'],
    ])
    const created = await read('/session/aliases/audit?kind=created&limit=1')
    expect(created.body).toMatchObject({ total: 2, has_more: true, data: [{ alias: 'sales' }] })
  })
})
