import { readFileSync } from 'node:fs'
import path from 'node:path'
import { startWireApp } from '../wire-app.fixture.ts'
import { noEqualElsewhere, noPriceOrPlace } from './reasons.fixture.ts'

/*
 * Every optional member and every variant of a union that the types of OpenAI's and Anthropic's newest SDKs declare, once
 * each: to a model of the API's own provider and to models of others. `npm run sdk-requests` writes the requests.
 */

interface SdkRequest {
  readonly api: 'chat' | 'responses' | 'messages'
  /** The member that the request varies, as in `tools[]<mcp>.server_url=…`. */
  readonly at: string
  readonly betas?: readonly string[]
  readonly body: Readonly<Record<string, unknown>>
}

const requests = readFileSync(path.join(import.meta.dirname, 'requests.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as SdkRequest)

const paths = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' }
const own = { chat: 'gpt-6-sol', responses: 'gpt-6-sol', messages: 'claude-opus-5-5' }
const translating = ['sim-google/tools', 'sim-bedrock/tools']
const others = {
  chat: ['claude-opus-5-5', ...translating],
  responses: ['claude-opus-5-5', ...translating],
  messages: ['gpt-6-sol', ...translating],
}

type Case = readonly [request: SdkRequest, model: string]

interface Refused {
  readonly at: string
  readonly model: string
  /** The member that the answer names, with a star for each index; `null` when it names none. */
  readonly param: string
  readonly message: string
}

let wire: Awaited<ReturnType<typeof startWireApp>>
beforeAll(async () => {
  wire = await startWireApp()
})
afterAll(() => wire.stop())

async function send([{ api, at, betas = [], body }, model]: Case): Promise<Refused[]> {
  const headers: Record<string, string> = betas.length > 0 ? { 'anthropic-beta': betas.join() } : {}
  const answer = await wire.send({ ...body, model }, headers, paths[api])
  const isFailed = /"type":"(response\.failed|error)"/.test(answer.text)
  if (answer.status === 200 && !isFailed) return []
  const { param, message } = answer.body.error ?? { message: answer.text.slice(0, 300) }
  return [{ at: `${api} ${at}`, model, param: String(param).replace(/\.\d+(?=\.|$)/g, '.*'), message }]
}

/** Sends some at a time, so that an answer that takes longer delays none of the others. */
async function refusedOf(cases: readonly Case[]): Promise<readonly Refused[]> {
  const waiting = cases.values()
  const lanes = Array.from({ length: 8 }, async () => {
    const refused: Refused[] = []
    for (const each of waiting) refused.push(...(await send(each)))
    return refused
  })
  return (await Promise.all(lanes)).flat()
}

function withoutReason(refused: readonly Refused[], ...tables: readonly Readonly<Record<string, string>>[]) {
  const known = new Set(tables.flatMap((table) => Object.keys(table)))
  return refused.filter(({ param }) => !known.has(param))
}

it('works with a model of its own provider, unless that needs what is not here', async () => {
  const cases = requests.map((request): Case => [request, own[request.api]])
  const refused = await refusedOf(cases)
  expect(withoutReason(refused, noPriceOrPlace)).toEqual([])
  expect([refused.length, cases.length]).toEqual([29, 1688])
  expect(refused.length / cases.length).toBeLessThan(0.02)
}, 300_000)

it('works with models of other providers, unless that would change what it means or costs', async () => {
  const cases = requests.flatMap((request) => others[request.api].map((model): Case => [request, model]))
  const refused = await refusedOf(cases)
  expect(withoutReason(refused, noPriceOrPlace, noEqualElsewhere)).toEqual([])
  expect([refused.length, cases.length]).toEqual([162, 5064])
  expect(refused.length / cases.length).toBeLessThan(0.08)
}, 600_000)
