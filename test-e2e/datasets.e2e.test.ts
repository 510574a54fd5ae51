import { createHash } from 'node:crypto'
import { eventually } from '@ratchet/testing/eventually'
import { NotFoundError, type OpenAI, toFile } from 'openai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { openaiFor } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let apiKey: string
let memberKey: string
let openai: OpenAI

beforeAll(async () => {
  fleet = await shareFleet()
  const workspace = await workspaceWith(fleet, { loggingEnabled: true })
  apiKey = workspace.apiKey
  memberKey = (await workspace.addMember('member')).apiKey
  openai = openaiFor(fleet, { apiKey })
}, 300_000)

// biome-ignore lint/suspicious/noExplicitAny: bodies are read without a schema, like clients do
type Json = any

function ask(method: string, path: string, body?: object, key = apiKey, edge = fleet.url): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` }
  if (body === undefined || body instanceof FormData) {
    return fetch(`${edge}/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  }
  const json = { ...headers, 'content-type': 'application/json' }
  return fetch(`${edge}/v1${path}`, { method, headers: json, body: JSON.stringify(body) })
}

async function json(method: string, path: string, body?: object, key = apiKey): Promise<Json> {
  return (await ask(method, path, body, key)).json()
}

async function logged(tag: string, count: number): Promise<void> {
  await eventually(async () => expect((await json('GET', `/logs?tag=${tag}&content=none`)).total).toBe(count), {
    withinMs: 45_000,
  })
}

const brief = { role: 'system' as const, content: 'Answer in one sentence.' }

/** Runs a conversation of some turns, every second one streamed; returns all messages. */
async function converse(topic: string, turns: number, tag: string): Promise<readonly ChatCompletionMessageParam[]> {
  const said: ChatCompletionMessageParam[] = [brief]
  for (let turn = 0; turn < turns; turn++) {
    said.push({ role: 'user', content: `What about ${topic}, part ${turn}?` })
    const options = { headers: { 'X-Svc-Tag': tag } }
    const request = { model: 'sim/quality-1', messages: said }
    const reply =
      turn % 2 === 0
        ? await openai.chat.completions.create(request, options)
        : await openai.chat.completions.stream(request, options).finalChatCompletion()
    said.push({ role: 'assistant', content: reply.choices[0]?.message.content ?? '' })
  }
  return said
}

const weighed = (said: readonly ChatCompletionMessageParam[]) =>
  said.map((message) => (message.role === 'assistant' && said.length > 3 ? { ...message, weight: 1 } : message))

it('curates exact messages: folded conversations, disjoint sides, and the hash of the export', async () => {
  const tag = 'talks'
  const talks = await Promise.all(Array.from({ length: 12 }, (_, n) => converse(`fjord ${n}`, 1 + (n % 3), tag)))
  await logged(tag, 24)
  const made = await json('POST', '/datasets/from_logs', { name: 'talks', filters: { tag }, holdout_pct: 25, seed: 7 })
  expect(made).toMatchObject({
    object: 'dataset.curation',
    dataset: { name: 'talks' },
    eval_dataset: { name: 'talks-eval' },
  })
  expect(made.summary).toMatchObject({
    matched: 24,
    kept: 24,
    folded_turns: 12,
    folded_conversations: 8,
    train_count: 9,
    eval_count: 3,
  })
  const sides = await Promise.all(
    [made.dataset, made.eval_dataset].map(async ({ id, sha256 }) => {
      const text = await (await ask('GET', `/datasets/${id}/export`)).text()
      expect(createHash('sha256').update(text).digest('hex')).toBe(sha256)
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).messages)
    }),
  )
  expect(sides.map(({ length }) => length)).toEqual([9, 3])
  expect(new Set(sides.flat().map((each) => JSON.stringify(each)))).toEqual(
    new Set(talks.map((said) => JSON.stringify(weighed(said)))),
  )
})

it('holds out no relative of an example in training, however its instructions or its question change', async () => {
  const tag = 'relatives'
  const headers = { 'X-Svc-Tag': tag }
  const topics = [
    'moss',
    'copper bells',
    'salt mines',
    'ferry times',
    'stone walls',
    'winter barley',
    'lake trout',
    'oak beams',
  ]
  const ask = async (messages: readonly ChatCompletionMessageParam[]) => {
    const request = { model: 'sim/quality-1', messages: [...messages] }
    const reply = await openai.chat.completions.create(request, { headers })
    return reply.choices[0]?.message.content ?? ''
  }
  // Retrieval: each turn of a conversation has other passages in its instructions, and nothing names the conversation.
  const retrieve = async (topic: string, index: number) => {
    const said: ChatCompletionMessageParam[] = []
    for (let turn = 0; turn < 3; turn++) {
      const passages = `Answer from this passage only: ${topic} was described in volume ${17 * index + turn} of the almanac.`
      said.push({ role: 'user', content: `Which ${topic} are meant in part ${turn}, and who wrote about them?` })
      said.push({ role: 'assistant', content: await ask([{ role: 'system', content: passages }, ...said]) })
    }
  }
  const alike = (topic: string) =>
    [
      `How long do ${topic} last in a dry cellar?`,
      `Please: How long do ${topic} last in a dry cellar?`,
      `How long do ${topic} last in a dry cellar? Thanks!`,
      `How long do ${topic} last in a dry celar?`,
      `How long do ${topic} last in a dry cellar? My order is 48213.`,
    ].map((content) => ask([{ role: 'user', content }]))
  await Promise.all(topics.map(retrieve))
  await Promise.all(topics.flatMap(alike))
  await logged(tag, topics.length * 8)
  const made = await json('POST', '/datasets/from_logs', { name: tag, filters: { tag }, holdout_pct: 25, seed: 3 })
  expect(made.summary).toMatchObject({
    matched: 64,
    folded_conversations: 8,
    folded_turns: 16,
    dropped: { leaked: 0 },
    leakage: { share: 0 },
  })
  expect(made.summary.leakage.nearest).toBeLessThan(0.8)
  const topicsOf = async ({ id }: Json) => {
    const { data } = await json('GET', `/datasets/${id}/examples?limit=100`)
    const texts = data.map(({ messages }: Json) => messages.find(({ role }: Json) => role === 'user').content)
    const kinds = texts.map(
      (text: string) =>
        `${text.includes('cellar') || text.includes('celar')} ${topics.find((each) => text.includes(each))}`,
    )
    return { examples: texts.length, kinds: new Set<string>(kinds) }
  }
  const [train, held] = [await topicsOf(made.dataset), await topicsOf(made.eval_dataset)]
  expect(train.examples + held.examples).toBe(48)
  expect(held.kinds.size).toBeGreaterThan(0)
  expect([...held.kinds].filter((kind) => train.kinds.has(kind))).toEqual([])
})

it('keeps the exchanges that a judge passed', async () => {
  const tag = 'judged'
  const headers = { 'X-Svc-Tag': tag }
  const topics = ['moss on the northern slope', 'the depth of a fjord', 'who built the mill', 'names of islands']
  for (const topic of topics) {
    const messages = [{ role: 'user' as const, content: `Tell me about ${topic}.` }]
    await openai.chat.completions.create({ model: 'sim/quality-1', messages }, { headers })
  }
  await logged(tag, topics.length)
  const judge = { name: 'Sound', judge_prompt: 'The answer contains a mistake.', judge_model: 'sim/judge-1-1' }
  const { id } = await json('POST', '/criteria', judge)
  const curate = (more: object) =>
    json('POST', '/datasets/from_logs', { name: 'judged', filters: { tag }, criterion_id: id, dry_run: true, ...more })
  expect((await curate({})).summary).toMatchObject({ matched: 4, kept: 0, dropped: { judge_unscored: 4 } })
  const scan = await json('POST', `/criteria/${id}/scan`, { sample_count: 4, filters: { tag } })
  await eventually(async () => expect((await json('GET', `/criteria/${id}/scans/${scan.id}`)).status).toBe('DONE'), {
    withinMs: 45_000,
  })
  const { data } = await json('GET', `/criteria/${id}/verdicts?source=scan`)
  const passed = data.filter(({ verdict }: Json) => verdict === 'pass').length
  expect(data).toHaveLength(4)
  expect((await curate({})).summary).toMatchObject({ kept: passed, dropped: { judge_failed: 4 - passed } })
  expect((await curate({ verdict: 'fail' })).summary).toMatchObject({ kept: 4 - passed })
  const unknown = await curate({ criterion_id: `crit_${'0'.repeat(32)}` })
  expect([unknown.error.code, unknown.error.param]).toEqual(['not_found', 'criterion_id'])
})

it('drops duplicates and truncated answers, and keeps a dataset when its log entries are deleted', async () => {
  const tag = 'repeated'
  const headers = { 'X-Svc-Tag': tag }
  const messages = [{ role: 'user' as const, content: 'Where do glaciers end?' }]
  for (let n = 0; n < 3; n++) await openai.chat.completions.create({ model: 'sim/quality-1', messages }, { headers })
  await openai.chat.completions.create(
    { model: 'sim/quality-1', messages: [{ role: 'user', content: 'And rivers?' }], max_tokens: 1 },
    { headers },
  )
  await logged(tag, 4)
  const { dataset, summary } = await json('POST', '/datasets/from_logs', { name: 'once', filters: { tag } })
  expect(summary).toMatchObject({ matched: 4, kept: 1, dropped: { duplicate: 2, truncated: 1 } })
  const { data } = await json('GET', `/logs?tag=${tag}`)
  for (const { id } of data) expect((await ask('DELETE', `/logs/${id}`)).status).toBe(200)
  const { data: examples } = await json('GET', `/datasets/${dataset.id}/examples`)
  expect(examples).toMatchObject([
    { messages: [messages[0], { role: 'assistant' }], source_log_id: expect.stringMatching(/^log_/) },
  ])
})

it('accepts files from the openai package, returns the same bytes, and creates datasets from them', async () => {
  const lines = Array.from({ length: 2_000 }, (_, n) =>
    JSON.stringify({
      messages: [
        { role: 'user', content: `q ${n}` },
        { role: 'assistant', content: `a ${n}` },
      ],
    }),
  )
  const content = `${lines.join('\n')}\n`
  const file = await openai.files.create({
    file: await toFile(Buffer.from(content), 'train.jsonl'),
    purpose: 'fine-tune',
  })
  expect(file).toMatchObject({
    object: 'file',
    bytes: Buffer.byteLength(content),
    filename: 'train.jsonl',
    purpose: 'fine-tune',
    status: 'processed',
  })
  expect(await openai.files.retrieve(file.id)).toEqual(file)
  expect(await (await openai.files.content(file.id)).text()).toBe(content)
  expect(await json('GET', '/files')).toEqual([file])
  const { dataset } = await json('POST', '/datasets', { name: 'from a file', file_id: file.id })
  expect(dataset).toMatchObject({
    source: 'upload',
    example_count: 2_000,
    sha256: createHash('sha256').update(content).digest('hex'),
  })
  expect(await openai.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true })
  await expect(openai.files.retrieve(file.id)).rejects.toBeInstanceOf(NotFoundError)
  expect(await (await ask('GET', `/datasets/${dataset.id}/export`)).text()).toBe(content)
})

it('lets members read, and only owners and admins create or delete', async () => {
  const examples = [
    {
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: 'a' },
      ],
    },
  ]
  const { dataset } = await json('POST', '/datasets', { name: 'ours', examples })
  expect((await json('GET', `/datasets/${dataset.id}`, undefined, memberKey)).id).toBe(dataset.id)
  const refused: readonly (readonly [string, string, object?])[] = [
    ['POST', '/datasets', { name: 'mine', examples }],
    ['POST', '/datasets/from_logs', { name: 'mine' }],
    ['PATCH', `/datasets/${dataset.id}`, { name: 'mine' }],
    ['DELETE', `/datasets/${dataset.id}`],
    ['POST', '/files', new FormData()],
  ]
  for (const [method, path, body] of refused) {
    const { error } = await json(method, path, body, memberKey)
    expect([method, path, error.code]).toEqual([method, path, 'insufficient_permissions'])
  }
  expect((await json('DELETE', `/datasets/${dataset.id}`)).deleted).toBe(true)
})

it('limits the number of datasets per minute', async () => {
  const { apiKey: eager } = await workspaceWith(fleet, { loggingEnabled: true })
  const statuses: number[] = []
  for (let n = 0; n < 21; n++) {
    const edge = fleet.guardedEdges[0]?.url
    statuses.push((await ask('POST', '/datasets/from_logs', { name: 'x' }, eager, edge)).status)
  }
  expect(statuses).toEqual([...Array(20).fill(400), 429])
})
