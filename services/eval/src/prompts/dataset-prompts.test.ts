import { type DatasetExample, getDataset } from '@ratchet/contracts/datasets'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { question, reply } from '../runs/eval.fixture.ts'
import { createDatasetPrompts } from './dataset-prompts.ts'
import { orderOf } from './log-entry.fixture.ts'

type Message = DatasetExample['messages'][number]

function example(messages: readonly Message[], tools: unknown[] | null = null): Partial<DatasetExample> {
  return { messages: [...messages], tools }
}
const plain = (place: number) => example([question(`Question ${place}?`), reply(`Answer ${place}.`)])
const plainOnes = (count: number) => Array.from({ length: count }, (_, place) => plain(place))

/** Logging with one dataset of these examples, of which the first `present` still exist when they are read. */
function loggingWith(examples: readonly Partial<DatasetExample>[], present = examples.length, format = 'chat') {
  const offsets: number[] = []
  const call = async (endpoint: unknown, input: { params: { id: string }; query?: { offset: number } }) => {
    if (input.params.id !== 'ds_1') throw new FleetCallError('no', { status: 404, code: 'not_found' })
    if (endpoint === getDataset) return { example_count: examples.length, format }
    const offset = input.query?.offset ?? 0
    offsets.push(offset)
    return { data: offset < present ? [examples[offset]] : [] }
  }
  return { prompts: createDatasetPrompts({ call } as unknown as Pick<FleetClient, 'call'>), offsets }
}

const order = (sample_count: number, seed = 0, dataset_id = 'ds_1') =>
  orderOf({ sample_count, seed, sample_filters: { dataset_id } })

const textsOf = async (prompts: ReturnType<typeof loggingWith>['prompts'], sample_count: number, seed: number) =>
  (await prompts.draw(order(sample_count, seed))).map(({ prompt }) => prompt.messages[0]?.content)

describe('drawing', () => {
  it('is the same for the same seed, and another for another', async () => {
    const { prompts } = loggingWith(plainOnes(200))
    const first = await textsOf(prompts, 20, 1)
    expect(await textsOf(prompts, 20, 1)).toEqual(first)
    expect(await textsOf(prompts, 20, 2)).not.toEqual(first)
    expect(await textsOf(prompts, 20, -1)).not.toEqual(first)
    expect(new Set(first).size).toBe(20)
  })

  it('draws every example with the same probability', async () => {
    const { prompts } = loggingWith(plainOnes(10))
    const times = new Map<unknown, number>()
    for (let seed = 0; seed < 2_000; seed += 1) {
      const texts = await textsOf(prompts, 5, seed)
      expect(texts).toHaveLength(5)
      for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1)
    }
    expect(times.size).toBe(10)
    // 1,000 are expected of each, with a standard deviation of 22.
    for (const count of times.values()) expect(Math.abs(count - 1_000)).toBeLessThan(110)
  })

  it('takes all examples of a dataset that has fewer than requested', async () => {
    const { prompts, offsets } = loggingWith(plainOnes(7))
    expect(new Set(await textsOf(prompts, 50, 0)).size).toBe(7)
    expect(offsets.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('reads no more than it needs', async () => {
    const { prompts, offsets } = loggingWith(plainOnes(1_000))
    expect(await textsOf(prompts, 20, 0)).toHaveLength(20)
    expect(offsets).toHaveLength(20)
  })

  it('takes each prompt once, whatever its answer, and reads more examples instead', async () => {
    const repeated = Array.from({ length: 60 }, (_, place) =>
      example([question(`Question ${place % 30}?`), reply(`Answer ${place}.`)]),
    )
    const { prompts, offsets } = loggingWith(repeated)
    const texts = await textsOf(prompts, 25, 0)
    expect([texts.length, new Set(texts).size]).toEqual([25, 25])
    expect(offsets.length).toBeGreaterThan(25)
    expect(new Set(offsets).size).toBe(offsets.length)
  })

  it('reads at most three examples per requested prompt', async () => {
    const { prompts, offsets } = loggingWith(Array.from({ length: 1_000 }, () => plain(1)))
    expect(await textsOf(prompts, 20, 0)).toHaveLength(1)
    expect(offsets).toHaveLength(60)
  })

  it('distinguishes prompts with different tools', async () => {
    const messages = [question('Question?'), reply('Answer.')]
    const { prompts } = loggingWith([example(messages), example(messages, [{ type: 'function' }])])
    expect(await prompts.draw(order(5))).toHaveLength(2)
  })

  it('treats prompts that differ only in weights as one', async () => {
    const weighted = (weight: number) =>
      example([question('Hi?'), { ...reply('Hello!'), weight }, question('And?'), reply('So.')])
    const { prompts } = loggingWith([weighted(0), weighted(1)])
    expect(await prompts.draw(order(5))).toHaveLength(1)
  })

  it('draws nothing from an empty dataset', async () => {
    const { prompts } = loggingWith([])
    expect(await prompts.draw(order(5))).toEqual([])
    expect(await prompts.survey(order(5))).toEqual({ eligible: 0, distinct: 0, tokens: [] })
  })

  it('leaves out examples deleted in the meantime', async () => {
    const { prompts } = loggingWith(plainOnes(10), 6)
    expect(await prompts.draw(order(10))).toHaveLength(6)
  })
})

describe('an example', () => {
  it('is a prompt with its last message as the stored answer, without weights', async () => {
    const tools = [{ type: 'function', function: { name: 'add' } }]
    const messages = [
      { role: 'system', content: 'Be kind.' },
      question('Hi?'),
      { ...reply('Hello!'), weight: 0 },
      question('2 + 2?'),
      { ...reply('Four.'), weight: 1 },
    ]
    const [drawn] = await loggingWith([example(messages, tools)]).prompts.draw(order(5))
    expect(drawn).toEqual({
      cluster: expect.stringMatching(/^[0-9a-f]{64}$/),
      logId: null,
      traceId: null,
      stepIndex: null,
      segment: null,
      expiresAt: null,
      recorded: null,
      reference: reply('Four.'),
      prompt: {
        messages: [{ role: 'system', content: 'Be kind.' }, question('Hi?'), reply('Hello!'), question('2 + 2?')],
        tools,
        responseFormat: null,
      },
    })
  })

  it.each<[string, readonly Message[]]>([
    ['no messages', []],
    ['an answer alone', [reply('Answer.')]],
    ['a question alone', [question('Question?')]],
    ['a question at the end', [question('Question?'), reply('Answer.'), question('And?')]],
  ])('with %s is not a prompt', async (_case, messages) => {
    const { prompts } = loggingWith([example(messages), plain(1)])
    expect(await prompts.draw(order(5))).toHaveLength(1)
    expect(await prompts.survey(order(5))).toMatchObject({ eligible: 2, distinct: 1 })
  })
})

it('of a dataset of prompts is one as it is, unless the eval compares with its reply', async () => {
  const asked = [question('Question?'), reply('Answer.'), question('And?')]
  const { prompts } = loggingWith([example(asked)], 1, 'prompts')
  const [drawn] = await prompts.draw(order(5))
  expect(drawn).toMatchObject({ reference: null, prompt: { messages: asked } })
  expect((await prompts.survey(order(5))).tokens[0]?.completion).toBe(300)
  for (const more of [{ judging_mode: 'match_reference' }, { baseline_model: 'logged' }] as const) {
    const asks = orderOf({ sample_filters: { dataset_id: 'ds_1' }, ...more })
    await expect(prompts.draw(asks)).rejects.toMatchObject({ param: 'sample_filters.dataset_id' })
  }
})

it('estimates the tokens of prompts and answers', async () => {
  const messages = [question('a'.repeat(4_000)), reply('b'.repeat(400))]
  const { tokens } = await loggingWith([example(messages)]).prompts.survey(order(5))
  expect(tokens).toHaveLength(1)
  expect(tokens[0]?.prompt).toBeGreaterThan(1_000)
  expect(tokens[0]?.prompt).toBeLessThan(1_040)
  expect(tokens[0]?.completion).toBeGreaterThan(100)
  expect(tokens[0]?.completion).toBeLessThan(130)
})

describe('a dataset', () => {
  it('that does not exist is named in the error', async () => {
    const { prompts } = loggingWith(plainOnes(5))
    const refused = { code: 'not_found', param: 'sample_filters.dataset_id' }
    await expect(prompts.survey(order(5, 0, 'ds_2'))).rejects.toMatchObject(refused)
    await expect(prompts.draw(order(5, 0, 'ds_2'))).rejects.toMatchObject(refused)
  })

  it('that is unavailable now can be retried', async () => {
    const unavailable = { call: () => Promise.reject(new FleetCallError('logging did not answer', { status: 0 })) }
    await expect(createDatasetPrompts(unavailable).draw(order(5))).rejects.toMatchObject({ mayPass: true })
  })
})
