import { searchDatabase } from './osv-database.ts'

const installed = new Map([
  ['left-pad', ['1.2.0', '2.5.0']],
  ['@scope/real', ['3.0.0']],
])

const record = (more: object = {}) => ({
  id: 'GHSA-a',
  modified: '2026-11-20T08:00:00Z',
  summary: 'It pads too much.',
  affected: [affects([{ introduced: '0' }, { fixed: '1.2.1' }])],
  database_specific: { severity: 'HIGH' },
  ...more,
})
const affects = (events: readonly object[], name = 'left-pad', ecosystem = 'npm') => ({
  package: { ecosystem, name },
  ranges: [{ type: 'SEMVER', events }],
})

async function* each(records: readonly unknown[]) {
  yield* records
}
const search = (...records: unknown[]) => searchDatabase(each(records), installed)
const isFound = async (...affected: object[]) => (await search(record({ affected }))).advisories.length > 0

it('finds advisories of installed versions, with name and severity, and when the database was changed', async () => {
  const others = {
    ...record({ id: 'GHSA-b', affected: [affects([{ introduced: '9.0.0' }])] }),
    modified: '2026-11-22T01:00:00Z',
  }
  expect(await search(record(), others)).toEqual({
    advisories: [{ id: 'GHSA-a', name: 'left-pad', severity: 'high', title: 'It pads too much.' }],
    records: 2,
    changedOn: '2026-11-22',
  })
})

it.each<[string, readonly object[], boolean]>([
  ['before the fix', [{ introduced: '0' }, { fixed: '1.2.1' }], true],
  ['the fix itself', [{ introduced: '0' }, { fixed: '1.2.0' }], false],
  ['the last affected version', [{ introduced: '2.0.0' }, { last_affected: '2.5.0' }], true],
  ['after the last affected version', [{ introduced: '2.0.0' }, { last_affected: '2.4.9' }], false],
  ['without an end', [{ introduced: '2.5.0' }], true],
  ['before the beginning', [{ introduced: '2.5.1' }], false],
  [
    'in the second of two ranges',
    [{ introduced: '0' }, { fixed: '1.0.0' }, { introduced: '2.0.0' }, { fixed: '3.0.0' }],
    true,
  ],
  ['between two ranges', [{ introduced: '0' }, { fixed: '1.0.0' }, { introduced: '3.0.0' }], false],
])('compares versions: %s', async (_name, events, expected) => {
  expect(await isFound(affects(events))).toBe(expected)
})

it('reads lists of versions, scoped names and only the ecosystem of npm', async () => {
  const named = { package: { ecosystem: 'npm', name: '@scope/real' } }
  expect(await isFound({ ...named, versions: ['3.0.0'] })).toBe(true)
  expect(await isFound({ ...named, versions: ['3.0.1'] })).toBe(false)
  expect(await isFound(affects([{ introduced: '0' }], 'left-pad', 'PyPI'))).toBe(false)
})

it.each<[string, object, string]>([
  ['malware', { id: 'MAL-2026-1' }, 'critical'],
  ['a vulnerability without a rating', { database_specific: {} }, 'high'],
  ['a rating in capitals', { database_specific: { severity: 'MODERATE' } }, 'moderate'],
])('rates %s', async (_name, more, severity) => {
  expect((await search(record(more))).advisories).toMatchObject([{ severity }])
})

it('passes over withdrawn records and other files, and says that an empty database is empty', async () => {
  expect(await search(record({ withdrawn: '2026-11-21T00:00:00Z' }))).toMatchObject({ advisories: [], records: 1 })
  expect(await search({ a: 1 }, null, 'text')).toEqual({ advisories: [], records: 0, changedOn: null })
})
