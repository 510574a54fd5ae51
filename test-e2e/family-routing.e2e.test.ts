import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, type Json } from './judged-traffic.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet
let workspace: DemoWorkspace
let api: Api

beforeAll(async () => {
  fleet = await startFleet({ inferences: 2, aliases: true })
  workspace = await workspaceWith(fleet, { loggingEnabled: true, responseCache: false })
  api = apiOf(fleet, workspace)
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

/** Prompts of two applications, in which names and numbers differ from request to request. */
const prompts = {
  support: (index: number) =>
    `You help ${names[index % names.length]} with question ${index} about invoices. Be brief. Never promise a refund.`,
  translation: (index: number) =>
    `Translate letter ${index} for ${names[index % names.length]} into French. Keep all names as they are. Use short words.`,
}
const names = ['Ann', 'Bob Miller', 'Chris', 'Dana']

async function ask(system: string | null): Promise<{ readonly served: string; readonly requestId: string }> {
  const content = 'Hi.'
  const instructions = system === null ? [] : [{ role: 'system', content: system }]
  const messages = [...instructions, { role: 'user', content }]
  const { apiKey } = workspace
  const response = await postChat(fleet, { model: 'bot', content, apiKey, body: { messages, max_tokens: 16 } })
  await response.text()
  expect(response.status).toBe(200)
  return {
    served: response.headers.get('x-svc-served-model') ?? '',
    requestId: response.headers.get('x-request-id') ?? '',
  }
}

async function put(more: object): Promise<Json> {
  const { status, json, text } = await api('PUT', '/aliases', { name: 'bot', target_model: 'sim/large', ...more })
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return json
}

const logsOf = async (): Promise<Json[]> => (await api('GET', '/logs?alias=bot&limit=200')).json.data

it('routes each request by the segment that the log gives it, whatever is inserted in its prompt', async () => {
  await put({})
  await eventually(async () => (await ask(prompts.support(0))).served === 'sim/large', { withinMs: 45_000 })
  const [first] = await eventually(async () => ((await logsOf()).length > 0 ? logsOf() : null), { withinMs: 45_000 })
  const canary = { canary_model: 'sim/small', canary_percent: 100 }
  await put({ ...canary, family_rules: [{ segment: first?.segment, model: 'sim/large' }] })
  await eventually(async () => (await ask(null)).served === 'sim/small', { withinMs: 45_000 })
  const since = Date.now()
  await eventually(() => Date.now() - since > 2_500, { withinMs: 45_000 })
  const before = (await logsOf()).length
  const asked: { readonly kind: string; readonly served: string }[] = []
  for (let from = 0; from < 60; from += 6) {
    const some = Array.from({ length: 6 }, async (_, place) => {
      const kind = place % 2 === 0 ? 'support' : 'translation'
      return { kind, ...(await ask(prompts[kind](from + place + 1))) }
    })
    asked.push(...(await Promise.all(some)))
  }
  expect(asked.map(({ kind, served }) => `${kind} ${served}`).toSorted()).toEqual([
    ...new Array(30).fill('support sim/large'),
    ...new Array(30).fill('translation sim/small'),
  ])
  const rows = await eventually(
    async () => {
      const found = await logsOf()
      return found.length >= before + 60 ? found.slice(0, 60) : null
    },
    { withinMs: 45_000 },
  )
  const routed = rows.map(
    ({ segment, served_model: served }) => (segment === first?.segment) === (served === 'sim/large'),
  )
  expect(routed).toEqual(new Array(60).fill(true))
}, 300_000)
