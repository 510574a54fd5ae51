import { type AliasApp, aliasApp } from './alias-app.fixture.ts'
import { maxAliases, maxRules } from './alias-room.ts'

let app: AliasApp

beforeAll(async () => {
  app = await aliasApp()
})

afterAll(() => app.drop())

beforeEach(() => app.operator.query('TRUNCATE alias, alias_event, audit_bytes CASCADE'))

async function totals() {
  const { rows } = await app.operator.query<{ aliases: number; rules: number }>(
    'SELECT count(*)::int AS aliases, sum(json_array_length(family_rules::json))::int AS rules FROM alias',
  )
  return rows[0]
}

const alias = (index: number) => ({ name: `alias-${index}`, target_model: 'sim/large' })
const statusesOf = async (puts: readonly Promise<{ readonly status: number }>[]) =>
  (await Promise.all(puts)).map(({ status }) => status)

it('has no more aliases than a workspace may, however many are created at the same time', async () => {
  for (let index = 0; index < maxAliases - 5; index += 5) {
    await statusesOf(Array.from({ length: 5 }, (_, more) => app.put(alias(index + more))))
  }
  const more = await statusesOf(Array.from({ length: 20 }, (_, index) => app.put(alias(maxAliases + index))))
  expect(more.toSorted()).toEqual([...Array(5).fill(200), ...Array(15).fill(409)])
  expect(await totals()).toMatchObject({ aliases: maxAliases })
  expect((await app.put({ ...alias(0), description: 'Changed.' })).status).toBe(200)
}, 60_000)

it('has no more rules than a workspace may, however many are added at the same time', async () => {
  const rules = Array.from({ length: 200 }, (_, index) => ({
    segment: `seg_${index.toString(16).padStart(16, '0')}`,
    model: null,
  }))
  const puts = Array.from({ length: 60 }, (_, index) => app.put({ ...alias(index), family_rules: rules }))
  const statuses = await statusesOf(puts)
  expect(statuses.toSorted()).toEqual([...Array(50).fill(200), ...Array(10).fill(400)])
  expect(await totals()).toEqual({ aliases: 50, rules: maxRules })
}, 60_000)
