import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { z } from 'zod'
import { ledgerOf, payFor } from './charge.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { wires } from './wires.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let anthropic: Anthropic

beforeAll(async () => {
  fleet = await shareFleet()
  anthropic = clientOf({ apiKey: fleet.workspace.apiKey })
}, 300_000)

const clientOf = (access: { apiKey?: string; authToken?: string }) =>
  new Anthropic({ baseURL: fleet.url, apiKey: null, authToken: null, maxRetries: 0, ...access })

const messages = [{ role: 'user' as const, content: 'How do glaciers carve valleys in Norway?' }]
const request = { model: 'sim/small', messages, max_tokens: 300 }
/** Without it, labels and tools of Anthropic are left out. */
const strict = { 'x-svc-strict': 'on' }
const weather = {
  name: 'get_weather',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
}

describe.each(wires)('the tool runner of the @anthropic-ai/sdk package, on %s', (wire) => {
  /** A tool that records its calls. */
  function weatherTool() {
    const asked: unknown[] = []
    const tool = betaZodTool({
      name: 'get_weather',
      description: 'Weather.',
      inputSchema: z.object({ city: z.string() }),
      run: (input) => {
        asked.push(input)
        return `sunny in ${input.city}`
      },
    })
    return { asked, tools: [tool] }
  }

  it('runs to the answer without thread ids', async () => {
    const { asked, tools } = weatherTool()
    const last = await anthropic.beta.messages.toolRunner({ ...request, model: `${wire}/tools`, tools })
    expect(last).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text' }] })
    expect(asked).toEqual([{ city: expect.any(String) }])
  })

  it('runs streamed', async () => {
    const { asked, tools } = weatherTool()
    const runner = anthropic.beta.messages.toolRunner({ ...request, model: `${wire}/tools`, tools, stream: true })
    const reasons: unknown[] = []
    for await (const stream of runner) reasons.push((await stream.finalMessage()).stop_reason)
    expect(reasons).toEqual(['tool_use', 'end_turn'])
    expect(asked).toEqual([{ city: expect.any(String) }])
  })
})

describe('clients of Anthropic', () => {
  it('may send the key as a bearer token as well', async () => {
    const client = clientOf({ authToken: fleet.workspace.apiKey })
    expect((await client.messages.create(request)).type).toBe('message')
  })

  it('call tools in parallel', async () => {
    const asked = {
      ...request,
      model: 'sim-anthropic/tools',
      tools: [weather, { ...weather, name: 'get_time' }],
      tool_choice: { type: 'auto' as const, disable_parallel_tool_use: false },
    }
    const plain = await anthropic.messages.create(asked)
    const streamed = await anthropic.messages.stream(asked).finalMessage()
    for (const { content } of [plain, streamed]) {
      expect(content).toMatchObject([
        { type: 'tool_use', name: 'get_weather' },
        { type: 'tool_use', name: 'get_time' },
      ])
    }
  })

  it('continue after thinking and after a parsed answer, which they send back unchanged', async () => {
    for (const model of ['sim-anthropic/reasoning-40', 'sim-bedrock/reasoning-40', 'sim-google/large']) {
      const { content } = await anthropic.messages.create({ ...request, model })
      const turns = [...messages, { role: 'assistant' as const, content }, { role: 'user' as const, content: 'And?' }]
      for (const next of [model, 'sim-anthropic/large', 'sim-google/large']) {
        expect((await anthropic.messages.create({ ...request, model: next, messages: turns })).type).toBe('message')
      }
    }
  })

  it('continue in the middle of a turn with every provider', async () => {
    const thinking = { type: 'enabled' as const, budget_tokens: 1_024 }
    const asked = { ...request, max_tokens: 2_000, tools: [weather] }
    const budgeted = { ...asked, model: 'sim-anthropic/budget-tools', thinking }
    for (const first of [budgeted, ...wires.map((wire) => ({ ...asked, model: `${wire}/tools` }))]) {
      const { content } = await anthropic.messages.create(first)
      const results = content.flatMap((block) =>
        block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'Fog.' }] : [],
      )
      const turns = [...messages, { role: 'assistant' as const, content }, { role: 'user' as const, content: results }]
      expect((await anthropic.messages.create({ ...budgeted, messages: turns })).type).toBe('message')
    }
  })

  it('stream from providers that report no usage', async () => {
    for (const wire of wires) {
      const message = await anthropic.messages.stream({ ...request, model: `${wire}/no-usage` }).finalMessage()
      expect(message.usage.output_tokens).toBeGreaterThan(0)
    }
  })

  it('may request beta features that are free, for any model', async () => {
    const betas = ['interleaved-thinking-2025-05-14', 'claude-code-20250219']
    for (const wire of wires) {
      const model = `${wire}/small`
      expect((await anthropic.beta.messages.create({ ...request, model, betas })).type).toBe('message')
      const more = { ...request, model, betas: [...betas, 'context-1m-2025-08-07'] }
      const refused = anthropic.beta.messages.create(more, { headers: strict })
      await expect(refused).rejects.toMatchObject({ status: 400, error: { error: { param: 'anthropic-beta' } } })
    }
  })

  it('receive the error classes of their SDK', async () => {
    const outsider = clientOf({ apiKey: 'sk_svc_wrong' })
    await expect(outsider.messages.create(request)).rejects.toBeInstanceOf(Anthropic.AuthenticationError)
    await expect(outsider.messages.create(request)).rejects.toMatchObject({ error: { type: 'error' } })
    const unknown = anthropic.messages.create({ ...request, model: 'sim/none' })
    await expect(unknown).rejects.toBeInstanceOf(Anthropic.NotFoundError)
    const unlimited = anthropic.messages.create({ ...request, max_tokens: -1 })
    await expect(unlimited).rejects.toMatchObject({
      status: 400,
      error: { type: 'error', error: { param: 'max_tokens' } },
    })
    const { apiKey } = await workspaceWith(fleet, { requestsPerMinute: 1 })
    const hasty = clientOf({ apiKey })
    await hasty.messages.create(request)
    await expect(hasty.messages.create(request)).rejects.toBeInstanceOf(Anthropic.RateLimitError)
  })

  it('receive the name of their own field when another provider does not support it', async () => {
    const source = { type: 'url' as const, url: 'https://example.com/a.png' }
    const tool_choice = { type: 'auto' as const, disable_parallel_tool_use: true }
    const refused: readonly (Partial<Anthropic.MessageCreateParamsNonStreaming> & { param: string; top_k?: number })[] =
      [
        { model: 'sim-bedrock/large', top_k: 5, param: 'top_k' },
        { model: 'sim/large', container: 'c1', param: 'container' },
        { model: 'sim/large', tools: [{ type: 'web_search_20250305', name: 'web_search' }], param: 'tools.0.type' },
        {
          model: 'sim-bedrock/large',
          system: 'Be brief.',
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: 'So?' },
                { type: 'image', source },
              ],
            },
          ],
          param: 'messages.0.content.1.source',
        },
        { model: 'sim-bedrock/large', thinking: { type: 'enabled', budget_tokens: 1_024 }, param: 'thinking' },
        { model: 'sim-bedrock/large', output_config: { effort: 'low' }, param: 'output_config.effort' },
        { model: 'sim-google/large', tools: [weather], tool_choice, param: 'tool_choice.disable_parallel_tool_use' },
      ]
    for (const { param, ...body } of refused) {
      const { answer, paidUsd } = await payFor(fleet, () =>
        anthropic.messages.create({ ...request, ...body }, { headers: strict }).catch((error: unknown) => error),
      )
      expect(answer).toBeInstanceOf(Anthropic.BadRequestError)
      const code = expect.stringMatching(/^unsupported_(parameter|tool)$/)
      expect(answer).toMatchObject({ error: { error: { code, param } } })
      expect((answer as Error).message).not.toMatch(/image_url|reasoning_effort|parallel_tool_calls/)
      expect(paidUsd).toBe(0)
    }
  })
})

it('leave no hold', async () => {
  expect(await ledgerOf(fleet)).toMatchObject({ held: 0n, open: 0, violations: [] })
})

describe('Claude Code', () => {
  const betas = ['claude-code-20250219', 'context-management-2025-06-27', 'files-api-2025-04-14']
  const hour = { type: 'ephemeral' as const, ttl: '1h' as const }

  it.each(wires)('works on %s with its betas and caches, and learns what was left out', async (wire) => {
    const system = [{ type: 'text' as const, text: 'Be brief.', cache_control: hour }]
    const { data, response } = await anthropic.beta.messages
      .create({ ...request, model: `${wire}/small`, system, betas })
      .withResponse()
    expect(data.content[0]).toMatchObject({ type: 'text' })
    expect(response.headers.get('x-svc-dropped')).toContain('anthropic-beta:files-api-2025-04-14')
  })

  it.each(wires)('counts tokens on %s, and pays nothing', async (wire) => {
    const { answer, paidUsd } = await payFor(fleet, () =>
      anthropic.messages.countTokens({ model: `${wire}/small`, messages }),
    )
    expect(answer.input_tokens).toBeGreaterThan(5)
    expect(paidUsd).toBe(0)
  })
})

it('lists models with the key in x-api-key', async () => {
  const response = await fetch(`${fleet.url}/v1/models`, { headers: { 'x-api-key': fleet.workspace.apiKey } })
  expect(response.status).toBe(200)
  const azure = await fetch(`${fleet.url}/v1/models`, { headers: { 'api-key': fleet.workspace.apiKey } })
  expect(azure.status).toBe(200)
})
