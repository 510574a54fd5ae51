import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'
import { type MountedCatalog, mountedCatalog } from './mounted-catalog.ts'

let fleet: Fleet
let catalog: MountedCatalog
/** The deployments of `many/recall`; `many/alone` has only the first one. Each caches the prompts that it gets. */
let places: SimulatedProvider[]

beforeAll(async () => {
  places = await Promise.all(Array.from({ length: 4 }, () => startSimulatedProvider()))
  const at = places.map(({ baseUrl }, place) => ({ id: `place-${place}`, base_url: `${baseUrl}/v1` }))
  const caching = { upstream_model: 'sim/recall', cached_input_per_mtok: '0.1' }
  catalog = await mountedCatalog({
    providers: [{ id: 'many', base_url: `${places[0]?.baseUrl}/v1` }],
    models: [
      { id: 'many/recall', deployments: at, ...caching },
      { id: 'many/alone', deployments: at.slice(0, 1), ...caching },
    ],
  })
  fleet = await startFleet({ env: { CATALOG_DIR: catalog.folder } })
}, 300_000)
afterAll(async () => {
  await fleet?.stop()
  for (const place of places ?? []) await place.stop()
  await catalog?.remove()
}, 180_000)

beforeEach(async () => {
  for (const place of places) await place.reset()
})

const policy = { role: 'system', content: 'You know the returns policy of the shop and quote it. '.repeat(100) }

interface Turn {
  readonly model: string
  /** Number of the conversation. */
  readonly talk: number
  readonly turn: number
}

async function say({ model, talk, turn }: Turn) {
  const turns = Array.from({ length: turn }, (_, n) => [
    { role: 'user', content: `Case ${talk}, question ${n}: ${'may I return my kettle? '.repeat(20)}` },
    { role: 'assistant', content: `Answer ${n}: ${'within thirty days, with the receipt. '.repeat(10)}` },
  ])
  const messages = [policy, ...turns.flat().slice(0, -1)]
  const response = await postChat(fleet, { model, body: { messages, max_tokens: 20 } })
  expect(response.status).toBe(200)
  const { usage } = (await response.json()) as {
    usage: { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } }
  }
  return { prompt: usage.prompt_tokens, cached: usage.prompt_tokens_details.cached_tokens }
}

const talks = 12
const turnsEach = 6

/** The share of the prompts' tokens that a provider had cached, over conversations that run at the same time. */
async function cachedShare(model: string): Promise<number> {
  let [prompt, cached] = [0, 0]
  for (let turn = 1; turn <= turnsEach; turn += 1) {
    const all = await Promise.all(Array.from({ length: talks }, (_, talk) => say({ model, talk, turn })))
    for (const each of all) {
      prompt += each.prompt
      cached += each.cached
    }
  }
  return cached / prompt
}

it('has about as many tokens cached at four deployments as at one, and uses all four', async () => {
  const alone = await cachedShare('many/alone')
  for (const place of places) await place.reset()
  const many = await cachedShare('many/recall')
  expect(alone).toBeGreaterThan(0.8)
  expect(many).toBeGreaterThan(0.95 * alone)
  const used = await Promise.all(places.map(async (place) => (await place.report()).totals.requests))
  expect(used.every((requests) => requests > 0)).toBe(true)
}, 60_000)

it('sends a turn to another deployment when its own fails, and returns to it afterwards', async () => {
  const homeOf = async () => {
    const counts = await Promise.all(places.map(async (place) => (await place.report()).totals.requests))
    return counts.findIndex((count) => count > 0)
  }
  const ask = (turn: number) => say({ model: 'many/recall', talk: 1, turn })
  await ask(1)
  const home = places[await homeOf()]
  await home?.script({ model: 'sim/recall', behaviour: 'fail-503', count: 1 })
  expect((await ask(2)).cached).toBe(0)
  const back = await ask(3)
  expect(back.cached).toBeGreaterThan(1_000)
  const ledger = await readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
  expect(ledger).toMatchObject({ open: 0, held: 0n, violations: [] })
}, 60_000)
