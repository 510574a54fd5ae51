import { modelOf } from '../catalog/catalog.fixture.ts'
import { callLimitEdits, hostedToolOf, priceTerms, withMaxUses } from './hosted-tools.ts'

const price = { per_call: '0.01', max_result_tokens: 1_000 }
const model = modelOf({
  hosted_tools: { web_search: price, web_search_20250305: price, code_interpreter: { ...price, per_call: '0.03' } },
  service_tiers: { priority: '2', flex: '0.5', fast: '2' },
})
const termsOf = (dialect: 'chat' | 'responses' | 'messages', body: object) =>
  priceTerms({ dialect, model, body: { ...body } })
const interpreter = (container: unknown) => ({ type: 'code_interpreter', container })

it.each<[string, object, boolean]>([
  ['a search', { type: 'web_search' }, true],
  ['a search without a price', { type: 'web_search_preview' }, false],
  ['a function', { type: 'function', name: 'f' }, false],
  ['code in a new container', interpreter({ type: 'auto' }), true],
  ['code in a container of the usual size', interpreter({ type: 'auto', memory_limit: '1g', file_ids: [] }), true],
  ['code in a larger container', interpreter({ type: 'auto', memory_limit: '4g' }), false],
  ['code with files of the account', interpreter({ type: 'auto', file_ids: ['file_1'] }), false],
  ['code in a container of the account', interpreter('cntr_1'), false],
  ['code with members that are not known', interpreter({ type: 'auto', network_policy: {} }), false],
])('has a price for %s: %#', (_name, tool, isPriced) => {
  expect(hostedToolOf(model, { ...tool }) !== null).toBe(isPriced)
})

it('bounds the calls of a response together', () => {
  const tools = [{ type: 'web_search' }, interpreter({ type: 'auto' }), { type: 'function', name: 'f' }]
  expect(termsOf('responses', { tools, max_tool_calls: 7 })).toMatchObject({ maxCalls: 7, hosted: { length: 2 } })
  expect(termsOf('responses', { tools })).toMatchObject({ maxCalls: 4 })
  expect(callLimitEdits({ tools })).toEqual({ max_tool_calls: '4' })
  expect(callLimitEdits({ tools, max_tool_calls: 7 })).toEqual({})
  expect(callLimitEdits({ tools, max_tool_calls: -1 })).toEqual({ max_tool_calls: '4' })
})

it('bounds the calls of a message tool by tool', () => {
  const search = { type: 'web_search_20250305', name: 'web_search' }
  expect(termsOf('messages', { tools: [{ ...search, max_uses: 2 }, search] })).toMatchObject({ maxCalls: 6 })
  expect(withMaxUses(search)).toEqual({ ...search, max_uses: 4 })
  expect(withMaxUses({ ...search, max_uses: 9 })).toEqual({ ...search, max_uses: 9 })
})

it.each<['chat' | 'responses' | 'messages', object, string | null]>([
  ['chat', { service_tier: 'priority' }, 'priority'],
  ['responses', { service_tier: 'flex' }, 'flex'],
  ['responses', { service_tier: 'auto' }, null],
  ['responses', { service_tier: 'fast' }, null],
  ['responses', { speed: 'fast' }, null],
  ['messages', { speed: 'fast' }, 'fast'],
  ['messages', { service_tier: 'priority' }, null],
  ['chat', {}, null],
])('reads the service tier of %s %j', (dialect, body, tier) => {
  expect(termsOf(dialect, body).tier).toBe(tier)
})

it('has usual terms for a model without such prices', () => {
  const terms = priceTerms({
    dialect: 'responses',
    model: modelOf(),
    body: { tools: [{ type: 'web_search' }], service_tier: 'flex' },
  })
  expect(terms).toEqual({ tier: null, hosted: [], maxCalls: 0 })
})
