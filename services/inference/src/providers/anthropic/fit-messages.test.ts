import { modelOf } from '../../catalog/catalog.fixture.ts'
import { readObject } from '../../wire/chat/read-reply.ts'
import type { Leniency } from '../../wire/leniency.ts'
import { fitMessages } from './fit-messages.ts'

const body = { model: 'claude', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }
const hour = { type: 'ephemeral', ttl: '1h' }

const plainModel = modelOf()
const cachingModel = modelOf({ cache_write_per_mtok: '0.20', cache_write_1h_per_mtok: '0.30' })
function requested(more: object) {
  const bytes = Buffer.from(JSON.stringify({ ...body, ...more }))
  const read = readObject(bytes)
  if (read === null) throw new Error('not an object')
  return { bytes, ...read }
}

const strictly = (more: object) => fitMessages(requested(more), { model: plainModel, leniency: undefined })

function leniently(more: object, model = plainModel) {
  const leniency: Leniency = { dropsParameters: false, dropped: new Set() }
  const edits = fitMessages(requested(more), { model, leniency })
  const read = Object.entries(edits).map(([name, text]) => [name, text === undefined ? null : JSON.parse(String(text))])
  return { edits: Object.fromEntries(read), dropped: [...leniency.dropped] }
}

it('passes on a search that has a price, with a limit for its calls, and a faster tier that has one', () => {
  const price = { per_call: '0.01', max_result_tokens: 1_000 }
  const model = modelOf({ hosted_tools: { web_search_20250305: price }, service_tiers: { fast: '2' } })
  const search = { type: 'web_search_20250305', name: 'web_search' }
  expect(leniently({ tools: [search, { name: 'a', defer_loading: true }], speed: 'fast' }, model)).toEqual({
    edits: {
      tools: [
        { ...search, max_uses: 4 },
        { name: 'a', defer_loading: true },
      ],
    },
    dropped: [],
  })
  expect(leniently({ tools: [{ ...search, max_uses: 2 }] }, model)).toEqual({ edits: {}, dropped: [] })
  expect(leniently({ tools: [{ ...search, type: 'web_search_20260209' }] }, model).dropped).toEqual([
    'tools.web_search_20260209',
  ])
})

describe('fitMessages', () => {
  it.each<[string, object]>([
    ['a plain request', {}],
    [
      'its own tools',
      {
        tools: [
          { name: 'a', input_schema: {} },
          { type: 'custom', name: 'b', input_schema: {} },
        ],
      },
    ],
    ['tools that the caller runs', { tools: [{ type: 'bash_20250124' }, { type: 'text_editor_20250728' }] }],
    ['a cache of five minutes', { cache_control: { type: 'ephemeral' }, system: [{ cache_control: { ttl: '5m' } }] }],
    ['standard speed and place', { speed: 'standard', inference_geo: 'global', service_tier: 'auto' }],
    ['nulls', { speed: null, container: null, mcp_servers: null, tools: null, cache_control: null }],
    ['a caller`s own data that looks like a cache', { tools: [{ input_schema: { cache_control: hour } }] }],
    ['what no caller should send', { tools: [null, 7], messages: 'x' }],
  ])('accepts %s', (_name, more) => {
    expect(strictly(more)).toEqual({})
    expect(leniently(more)).toEqual({ edits: {}, dropped: [] })
  })

  it.each<[string, object, string, string]>([
    ['web search', { tools: [{ name: 'a' }, { type: 'web_search_20260209' }] }, 'unsupported_tool', 'tools.1.type'],
    ['web fetch', { tools: [{ type: 'web_fetch_20250910' }] }, 'unsupported_tool', 'tools.0.type'],
    ['code execution', { tools: [{ type: 'code_execution_20250825' }] }, 'unsupported_tool', 'tools.0.type'],
    ['tools of tomorrow', { tools: [{ type: 'teleport_20300101' }] }, 'unsupported_tool', 'tools.0.type'],
    ['a faster and dearer mode', { speed: 'fast' }, 'unsupported_parameter', 'speed'],
    ['a dearer place', { inference_geo: 'us' }, 'unsupported_parameter', 'inference_geo'],
    ['a container', { container: 'c1' }, 'unsupported_parameter', 'container'],
    ['MCP servers', { mcp_servers: [{ url: 'https://a.test' }] }, 'unsupported_parameter', 'mcp_servers'],
    ['a cache of an hour', { cache_control: hour }, 'unsupported_parameter', 'cache_control.ttl'],
    [
      'one of the system`s',
      { system: [{ cache_control: hour }] },
      'unsupported_parameter',
      'system.0.cache_control.ttl',
    ],
    [
      'one of a tool',
      { tools: [{ name: 'a', cache_control: hour }] },
      'unsupported_parameter',
      'tools.0.cache_control.ttl',
    ],
    [
      'one inside a tool`s result',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', content: [{ cache_control: hour }] }] }] },
      'unsupported_parameter',
      'messages.0.content.0.content.0.cache_control.ttl',
    ],
  ])('refuses %s', (_name, more, code, param) => {
    expect(() => strictly(more)).toThrow(expect.objectContaining({ code, param }))
  })

  it.each<[string, object, object, string[]]>([
    ['a faster mode', { speed: 'fast' }, { speed: null }, ['speed']],
    [
      'what runs at the provider',
      { container: 'c1', mcp_servers: [{ url: 'https://a.test' }] },
      { container: null, mcp_servers: null },
      ['container', 'mcp_servers'],
    ],
    [
      'the only tool, which the provider would run',
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      { tools: null, tool_choice: null },
      ['tools.web_search_20250305'],
    ],
    [
      'a file for code that the provider would run',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Hi' },
              { type: 'container_upload', file_id: 'f' },
            ],
          },
        ],
      },
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] },
      ['content.container_upload'],
    ],
    [
      'a search among tools',
      {
        tools: [
          { type: 'tool_search_tool_regex_20251119', name: 's' },
          { name: 'a', defer_loading: true },
        ],
      },
      { tools: [{ name: 'a' }] },
      ['tools.tool_search_tool_regex_20251119'],
    ],
    [
      'what makes the model write a summary',
      { context_management: { edits: [{ type: 'compact_20260112' }, { type: 'clear_thinking_20251015' }] } },
      { context_management: { edits: [{ type: 'clear_thinking_20251015' }] } },
      ['context_management'],
    ],
    [
      'the lifetime of a cache without a price',
      { system: [{ type: 'text', text: 'S', cache_control: hour }] },
      {
        system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral', ttl: '5m' } }],
        messages: body.messages,
      },
      ['cache_control.ttl'],
    ],
    [
      'a tool that the provider would run, together with the lifetime of a cache',
      {
        cache_control: hour,
        tools: [
          { name: 'a', cache_control: hour },
          { type: 'web_search_20250305', name: 'web_search' },
        ],
      },
      {
        cache_control: { type: 'ephemeral', ttl: '5m' },
        messages: body.messages,
        tools: [{ name: 'a', cache_control: { type: 'ephemeral', ttl: '5m' } }],
      },
      ['tools.web_search_20250305', 'cache_control.ttl'],
    ],
    [
      'the only tool and its cache',
      { system: [{ cache_control: hour }], tools: [{ type: 'web_search_20250305', name: 'w', cache_control: hour }] },
      {
        system: [{ cache_control: { type: 'ephemeral', ttl: '5m' } }],
        messages: body.messages,
        tools: null,
        tool_choice: null,
      },
      ['tools.web_search_20250305', 'cache_control.ttl'],
    ],
  ])('leaves out %s', (_name, more, edits, dropped) => {
    expect(leniently(more)).toEqual({ edits, dropped })
  })

  it('passes on caches of an hour to a model for which they have a price', () => {
    expect(leniently({ cache_control: hour }, cachingModel)).toEqual({ edits: {}, dropped: [] })
  })

  it('passes on edits of the context that only remove from it', () => {
    expect(
      strictly({
        context_management: { edits: [{ type: 'clear_tool_uses_20250919', keep: { type: 'tool_uses', value: 3 } }] },
      }),
    ).toEqual({})
  })

  it.each<[string, object, string]>([
    ['where the data may be processed', { inference_geo: 'us' }, 'inference_geo'],
    [
      'a tool that must be called',
      { tools: [{ type: 'web_search_20250305', name: 'w' }, { name: 'a' }], tool_choice: { type: 'tool', name: 'w' } },
      'tools.0.type',
    ],
    [
      'the only tool when one must be called',
      { tools: [{ type: 'web_search_20250305', name: 'w' }], tool_choice: { type: 'any' } },
      'tools.0.type',
    ],
  ])('refuses %s, even leniently', (_name, more, param) => {
    expect(() => leniently(more)).toThrow(expect.objectContaining({ param }))
  })
})
