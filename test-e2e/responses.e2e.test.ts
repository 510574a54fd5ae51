import { connectPool } from '@ratchet/db/connect-pool'
import { createDemoWorkspace } from '@ratchet/testing/demo-workspace'
import type { OpenAI } from 'openai'
import type { Response } from 'openai/resources/responses/responses'
import { openaiFor } from './clients.ts'
import { readLedger } from './ledger-oracle.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'

let fleet: SharedFleet

beforeAll(async () => {
  fleet = await shareFleet()
  const operator = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
  const { workspaceId } = fleet.workspace
  await operator.query('INSERT INTO workspace_settings (workspace_id, logging_enabled) VALUES ($1, true)', [
    workspaceId,
  ])
  await operator.end()
}, 300_000)

/** Models of providers with the Responses API, and of others through chat completions. */
const models = ['sim/large', 'sim-anthropic/large', 'sim-google/large', 'sim-bedrock/large'] as const
const weather = {
  type: 'function',
  name: 'weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
} as const

const costOf = ({ usage }: Response) => (usage as OpenAI.Responses.ResponseUsage & { cost_usd: number }).cost_usd

describe.each(models)('responses of %s', (model) => {
  it('answers the OpenAI SDK and charges the cost in the usage', async () => {
    const before = await readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
    const { data, response } = await openaiFor(fleet)
      .responses.create({ model, input: 'Why is the sky blue?' })
      .withResponse()
    const after = await readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
    expect(data).toMatchObject({ object: 'response', status: 'completed', store: true, error: null })
    expect(data.id).toMatch(/^resp_[0-9a-f]{32}$/)
    expect(data.output_text).toMatch(/sky|blue/i)
    expect(response.headers.get('x-svc-store')).toBeNull()
    expect(costOf(data)).toBe(Number(response.headers.get('x-svc-cost-usd')))
    expect(before.balance - after.balance).toBe(BigInt(Math.round(costOf(data) * 1e6)) * 1_000n)
    expect(after.violations).toEqual([])
  })

  it('streams typed events to the SDK`s helper, and stores the response', async () => {
    const client = openaiFor(fleet)
    const stream = client.responses.stream({ model, input: 'Why is the sky blue?', instructions: 'Be brief.' })
    let text = ''
    const numbers: number[] = []
    for await (const event of stream) {
      numbers.push(event.sequence_number)
      if (event.type === 'response.output_text.delta') text += event.delta
    }
    const final = await stream.finalResponse()
    expect(numbers).toEqual(numbers.map((_, index) => index))
    expect(final.output_text).toBe(text)
    expect(costOf(final)).toBeGreaterThan(0)
    const stored = await client.responses.retrieve(final.id)
    expect(stored).toMatchObject({ id: final.id, output_text: text, usage: { ...final.usage } })
  })

  it('calls a function and continues with its output in a chain', async () => {
    const client = openaiFor(fleet)
    const asked = await client.responses.create({
      model,
      input: 'What is the weather in Oslo?',
      tools: [weather],
      tool_choice: { type: 'function', name: 'weather' },
    })
    const call = asked.output.find((item) => item.type === 'function_call')
    expect(call).toMatchObject({ name: 'weather', status: 'completed', arguments: expect.stringMatching(/^\{/) })
    const answered = await client.responses.create({
      model,
      previous_response_id: asked.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: '{"celsius":3}' }],
      tools: [weather],
    })
    expect(answered).toMatchObject({ status: 'completed', previous_response_id: asked.id })
    expect(answered.usage?.input_tokens).toBeGreaterThan(asked.usage?.input_tokens ?? 0)
    const items = await client.responses.inputItems.list(answered.id)
    expect(items.data).toEqual([expect.objectContaining({ type: 'function_call_output', output: '{"celsius":3}' })])
  })

  it('respects the limit of its answer', async () => {
    const cut = await openaiFor(fleet).responses.create({ model, input: 'Tell me everything.', max_output_tokens: 16 })
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    expect(cut.usage?.output_tokens).toBeLessThanOrEqual(16)
  })
})

describe('stored responses', () => {
  it('can be read, listed and deleted only by their workspace, and their chains end with them', async () => {
    const client = openaiFor(fleet)
    const first = await client.responses.create({ model: 'sim/small', input: 'one' })
    const second = await client.responses.create({ model: 'sim/small', input: 'two', previous_response_id: first.id })
    const { apiKey } = await createDemoWorkspace(fleet.databaseUrl)
    const outsider = openaiFor(fleet, { apiKey })
    await expect(outsider.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404, code: 'not_found' })
    const stolen = outsider.responses.create({ model: 'sim/small', input: 'x', previous_response_id: first.id })
    await expect(stolen).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' })
    await expect(client.responses.cancel(first.id)).rejects.toMatchObject({ status: 400 })
    await client.responses.delete(first.id)
    await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 })
    expect((await client.responses.retrieve(second.id)).previous_response_id).toBe(first.id)
    const onward = client.responses.create({ model: 'sim/small', input: 'three', previous_response_id: second.id })
    await expect(onward).rejects.toMatchObject({ status: 400, param: 'previous_response_id' })
  })

  it('do not exist without logging, and the answer states this', async () => {
    const { apiKey } = await createDemoWorkspace(fleet.databaseUrl)
    const client = openaiFor(fleet, { apiKey })
    const { data, response } = await client.responses.create({ model: 'sim/small', input: 'one' }).withResponse()
    expect([response.headers.get('x-svc-store'), (data as { store?: boolean }).store]).toEqual(['off', false])
    await expect(client.responses.retrieve(data.id)).rejects.toMatchObject({ status: 404 })
  })
})

it('goes on without a provider`s own tool, names it, and refuses it for a strict client', async () => {
  const body = { model: 'sim/small', input: 'x', tools: [{ type: 'web_search' as const }] }
  const { response } = await openaiFor(fleet).responses.create(body).withResponse()
  expect(response.headers.get('x-svc-dropped')).toBe('tools.web_search')
  const asked = openaiFor(fleet).responses.create(body, { headers: { 'x-svc-strict': 'on' } })
  await expect(asked).rejects.toMatchObject({ status: 400, code: 'unsupported_tool', param: 'tools.0.type' })
})
