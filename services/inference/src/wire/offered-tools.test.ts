import type { Leniency } from './leniency.ts'
import { offeredTools } from './offered-tools.ts'

const own = { type: 'function', name: 'own' }
const search = { type: 'web_search', name: 'web_search' }

function offered(body: object, leniency: Leniency | undefined = { dropsParameters: false, dropped: new Set() }) {
  const kept = offeredTools({ ...body }, { isKept: ({ type }) => type === 'function', leniency })
  return { kept: kept.map(({ path }) => path), dropped: [...(leniency?.dropped ?? [])] }
}

const refusal = expect.objectContaining({ code: 'unsupported_tool', param: 'tools.0.type' })

it('leaves out and names what the model does not get', () => {
  expect(offered({ tools: [search, own] })).toEqual({ kept: ['tools.1'], dropped: ['tools.web_search'] })
})

it.each<[string, unknown]>([
  ['auto', 'auto'],
  ['none', 'none'],
  ['some tool', 'required'],
  ['some tool, as Anthropic says it', { type: 'any' }],
  ['another tool', { type: 'function', name: 'own' }],
  ['another tool, as Anthropic says it', { type: 'tool', name: 'own' }],
  [
    'another tool among those allowed',
    { type: 'allowed_tools', mode: 'required', tools: [own, { type: 'web_search' }] },
  ],
  ['maybe one of those allowed', { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'web_search' }] }],
])('leaves it out when the choice is %s', (_name, tool_choice) => {
  expect(offered({ tools: [search, own], tool_choice }).kept).toEqual(['tools.1'])
})

it.each<[string, unknown]>([
  ['itself', { type: 'web_search' }],
  ['itself, as Anthropic says it', { type: 'tool', name: 'web_search' }],
  ['it alone among those allowed', { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] }],
])('refuses when the choice is %s', (_name, tool_choice) => {
  expect(() => offered({ tools: [search, own], tool_choice })).toThrow(refusal)
})

it.each<[string, unknown]>([
  ['OpenAI', 'required'],
  ['Anthropic', { type: 'any' }],
])('refuses when some tool must be called and none is left, as %s says it', (_name, tool_choice) => {
  expect(() => offered({ tools: [search], tool_choice })).toThrow(refusal)
})

it('refuses without leniency', () => {
  expect(() => offeredTools({ tools: [search] }, { isKept: () => false, leniency: undefined })).toThrow(refusal)
})

it('accepts what is no list of tools', () => {
  expect(offered({ tools: 'x' })).toEqual({ kept: [], dropped: [] })
  expect(offered({ tools: null })).toEqual({ kept: [], dropped: [] })
})
