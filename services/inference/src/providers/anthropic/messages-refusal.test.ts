import { messagesRefusal } from './messages-refusal.ts'

const body = { model: 'claude', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }
const hour = { type: 'ephemeral', ttl: '1h' }

describe('messagesRefusal', () => {
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
    expect(messagesRefusal({ ...body, ...more })).toBeNull()
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
    expect(messagesRefusal({ ...body, ...more })).toMatchObject({ code, param })
  })
})
