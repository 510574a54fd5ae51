import { catalogOf, modelEntry, modelOf } from './catalog.fixture.ts'

const family = modelEntry('sim/slow-<ms>', { pattern: '^sim/slow-\\d{1,7}$' })

describe('createCatalog', () => {
  it('reads prices exactly, in pico-dollars per token', () => {
    const { rates } = modelOf({ input_per_mtok: '0.075', cached_input_per_mtok: '0.0375', output_per_mtok: '10' })
    expect(rates).toEqual({
      input: 75_000n,
      cachedInput: 37_500n,
      cacheWrite: 75_000n,
      cacheWriteLong: null,
      output: 10_000_000n,
    })
  })

  it('charges cached tokens like other ones when they have no price', () => {
    expect(modelOf({ cached_input_per_mtok: null }).rates.cachedInput).toBe(150_000n)
  })

  it('lists models in the order of their ids, families separately', () => {
    const { models } = catalogOf([modelEntry('b/two'), modelEntry('b/one'), modelEntry('a/x'), family])
    expect(models.map(({ id }) => id)).toEqual(['a/x', 'b/one', 'b/two'])
  })

  it('finds a model by its exact id only', () => {
    const catalog = catalogOf([modelEntry('acme/fast')])
    expect(catalog.find('acme/fast')?.upstreamModel).toBe('fast')
    expect(['acme/Fast', 'fast', 'acme/', '', 'acme/fast ', '__proto__'].map((id) => catalog.find(id))).toEqual(
      Array(6).fill(null),
    )
  })

  it('finds members of a family under the requested id', () => {
    const member = catalogOf([family]).find('sim/slow-250')
    expect(member).toMatchObject({ id: 'sim/slow-250', upstreamModel: 'sim/slow-250', provider: 'sim' })
  })

  it('prefers an exact id to a family', () => {
    const catalog = catalogOf([family, modelEntry('sim/slow-1', { output_per_mtok: '7' })])
    expect(catalog.find('sim/slow-1')?.rates.output).toBe(7_000_000n)
  })

  it.each(['sim/slow-', 'sim/slow-12345678', 'sim/slow-<ms>', `sim/slow-${'1'.repeat(100_000)}`, 'xsim/slow-1'])(
    'does not take %.40s for a member',
    (id) => {
      expect(catalogOf([family]).find(id)).toBeNull()
    },
  )

  it('never lists a family by its placeholder name', () => {
    expect(catalogOf([family]).named('slow-<ms>')).toEqual([])
  })

  it('gives different entries different price versions, and equal ones the same', () => {
    const version = (change: object) => modelOf(change).priceVersion
    const { output_per_mtok: output, ...rest } = modelEntry('acme/fast')
    const reordered = catalogOf([{ output_per_mtok: output, ...rest }]).find('acme/fast')
    expect(version({})).toMatch(/^[0-9a-f]{16}$/)
    expect(reordered?.priceVersion).toBe(version({}))
    expect(new Set([version({}), version({ output_per_mtok: '0.61' }), version({ per_request: '0.001' })]).size).toBe(3)
  })
})
