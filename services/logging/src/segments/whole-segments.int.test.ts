import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import { adjustedRandIndex } from '@ratchet/testing/adjusted-rand-index'
import { type LoggingService, startLoggingService } from '../logging-service.fixture.ts'

let service: LoggingService
beforeAll(async () => {
  service = await startLoggingService()
})
afterAll(() => service.stop())

const names = ['Ann', 'Bilal', 'Chiara', 'Dmitri', 'Esra', 'Farid', 'Greta', 'Hana', 'Ivo', 'Jun', 'Kofi', 'Lea']
const tables = ['orders', 'invoices', 'shipments', 'tickets', 'employees', 'payments', 'leads', 'rooms', 'visits']
const languages = ['French', 'Polish', 'Korean', 'Turkish', 'Swahili', 'Greek', 'Danish', 'Hindi', 'Czech']

interface Draw {
  readonly pick: (words: readonly string[]) => string
  readonly number: (most: number) => number
}

const some = (count: number, line: () => string) => Array.from({ length: count }, line).join('\n')

/** Kinds of prompts that were split into many segments, or could be mixed with another. */
const templates: readonly ((draw: Draw) => string)[] = [
  ({ pick, number }) =>
    `You write SQL for PostgreSQL. Answer with one statement only.\nTables:\n${some(1 + number(5), () => `${pick(tables)}_${number(90)} (id int, ${pick(tables)}_id int, note text)`)}`,
  ({ pick, number }) =>
    `Du bist die Assistenz einer Praxis. Termine heute:\n${some(1 + number(6), () => `- ${8 + number(9)}:${10 + number(49)} ${pick(names)}, Raum ${number(40)}`)}\nAntworte auf Deutsch und in höchstens drei Sätzen.`,
  ({ pick }) =>
    `Translate every message of the user from ${pick(languages)} into ${pick(languages)}. Keep the names of products. Answer with the translation only.`,
  ({ pick, number }) =>
    `Classify the mood of a review as good, bad or mixed.\nExamples:\n${some(1 + number(8), () => `Review: "${pick(names)} was ${pick(['kind', 'slow', 'rude', 'fine'])}" -> ${pick(['good', 'bad', 'mixed'])}`)}\nAnswer with one word.`,
  ({ pick, number }) =>
    `You plan the work of several agents. Agents:\n${some(2 + number(4), () => `* ${pick(names)}Agent: does ${pick(tables)}`)}\nReturn a JSON array of steps, each with an agent and a task.`,
  ({ pick, number }) =>
    `You are the assistant of a bank. The last transactions of ${pick(names)}:\n${some(1 + number(9), () => `2026-0${1 + number(8)}-1${number(9)} ${number(900)}.${10 + number(89)} EUR ${pick(tables)}`)}\nNever give advice about investments.`,
]

async function segmentsOf(lines: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const workspaceId = await service.addWorkspace()
  const headers = { 'content-type': 'application/x-ndjson' }
  const body = lines.join('\n')
  const stored = await service.send({ method: 'POST', path: '/v1/logs/import', body, headers, workspaceId })
  expect(stored.status).toBeLessThan(300)
  const listed = await service.send({ method: 'GET', path: '/v1/logs?limit=200&content=none', workspaceId })
  const { data } = (await listed.json()) as { data: { model: string; segment: string }[] }
  return data.map(({ model, segment }) => [model, segment] as const)
}

describe('D10: segments of prompts into which something is inserted', () => {
  it.each(['grouped', 'shuffled'])('are those of their templates when they arrive %s', async (order) => {
    const random = randomFromSeed(order)
    const number = (most: number) => Math.floor(random() * (most + 1))
    const draw: Draw = { number, pick: (words) => words[number(words.length - 1)] ?? '' }
    const lines = templates.flatMap((template, index) =>
      Array.from({ length: 30 }, () =>
        JSON.stringify({
          messages: [
            { role: 'system', content: template(draw) },
            { role: 'user', content: `Question ${number(9_999)}` },
          ],
          response: { role: 'assistant', content: 'Done.' },
          model: `sim/template-${index}`,
        }),
      ),
    )
    const keyed = lines.map((line, index) => ({ line, key: order === 'grouped' ? index : random() }))
    const found = await segmentsOf(keyed.toSorted((one, other) => one.key - other.key).map(({ line }) => line))
    expect(found).toHaveLength(180)
    const [truth, given] = [found.map(([model]) => model), found.map(([, segment]) => segment)]
    expect(adjustedRandIndex(truth, given)).toBeGreaterThanOrEqual(0.95)
    const models = Map.groupBy(found, ([, segment]) => segment)
    const mixed = [...models.values()].filter((own) => new Set(own.map(([model]) => model)).size > 1)
    expect(mixed).toEqual([])
  })
})
