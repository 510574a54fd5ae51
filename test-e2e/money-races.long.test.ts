import { formatUsd } from '@ratchet/contracts/money'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type ChatCall, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { apiOf } from './judged-traffic.ts'
import { ledgerAtRest, onlyHold } from './ledger-oracle.ts'
import { choose } from './workspace-with.ts'

/* Two edges, each with its own inference process: every race is between processes that share only the database. */
let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet({ edges: 2, inferences: 2, aliases: true })
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)
beforeEach(() => fleet.provider.reset())

const workspaceOf = (balanceUsd = '1.00') => createDemoWorkspace(fleet.databaseUrl, { balanceUsd })

interface Asked extends Omit<ChatCall, 'url' | 'apiKey'> {
  /** Which edge is called; each has its own inference process. */
  readonly edge: number
}

function send({ apiKey }: DemoWorkspace, { edge, body = {}, ...call }: Asked): Promise<Response> {
  const url = fleet.edges[edge % 2]?.url ?? ''
  return postChat(fleet, { ...call, url, apiKey, body: { max_tokens: 500, ...body } })
}

async function ask(workspace: DemoWorkspace, call: Asked) {
  const response = await send(workspace, call)
  const text = await response.text()
  const served = response.headers.get('x-svc-served-model')
  return { status: response.status, served, text, costUsd: Number(response.headers.get('x-svc-cost-usd')) }
}

/** What a request holds, nano-dollars. Measured with a wallet that is too poor for a block. */
async function holdFor(model: string, settings: Parameters<typeof choose>[2] = {}): Promise<bigint> {
  const probe = await workspaceOf()
  await choose(fleet, probe, settings)
  expect((await ask(probe, { edge: 0, model })).status).toBe(200)
  return onlyHold(fleet.databaseUrl, probe.workspaceId)
}

const providerCalls = async () => (await fleet.provider.report()).totals.requests

it('a wallet for ten requests serves ten of 200 that arrive at both processes', async () => {
  // The provider waits until all have arrived, so that no settlement frees money for an eleventh.
  const model = 'sim/slow-5000'
  const workspace = await workspaceOf(formatUsd((await holdFor(model)) * 10n))
  await fleet.provider.reset()
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => (await ask(workspace, { edge: index, model })).status),
  )
  expect(statuses.filter((status) => status === 200)).toHaveLength(10)
  expect(statuses.filter((status) => status === 402)).toHaveLength(190)
  expect(await providerCalls()).toBe(10)
  expect(await ledgerAtRest(fleet, workspace)).toMatchObject({ posted: 10, violations: [] })
}, 180_000)

it('clients that leave at any moment pay once at most, and leave nothing held', async () => {
  const workspace = await workspaceOf('5.00')
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const leaving = AbortSignal.timeout(8 * index)
      const stream = index % 3 === 0
      try {
        return (await ask(workspace, { edge: index, model: 'sim/slow-200', stream, signal: leaving })).status
      } catch {
        return 0
      }
    }),
  )
  const answered = outcomes.filter((status) => status === 200).length
  expect(outcomes.every((status) => status === 200 || status === 0)).toBe(true)
  const ledger = await ledgerAtRest(fleet, workspace)
  expect(ledger.violations).toEqual([])
  expect(ledger.posted).toBeGreaterThanOrEqual(answered)
  expect(ledger.balance).toBe(5_000_000_000n - ledger.charged)
}, 300_000)

describe('a hold covers the most expensive model that may answer', () => {
  const settings = { fallbackModels: ['sim/large'] }

  it('with a fallback of the workspace: a wallet for the named model alone is refused before any call', async () => {
    const [named, dear] = [await holdFor('sim/small'), await holdFor('sim/small', settings)]
    expect(dear).toBe(await holdFor('sim/large'))
    expect(dear).toBeGreaterThan(named)
    const poor = await workspaceOf(formatUsd(named))
    await choose(fleet, poor, settings)
    await fleet.provider.reset()
    for (const edge of [0, 1]) expect((await ask(poor, { edge, model: 'sim/small' })).status).toBe(402)
    expect(await providerCalls()).toBe(0)
  })

  it('so that a fallback that answers in the end is charged within it', async () => {
    const dear = await holdFor('sim/small', settings)
    const workspace = await workspaceOf(formatUsd(dear))
    await choose(fleet, workspace, settings)
    await fleet.provider.script({ model: 'sim/small', behaviour: 'fail-503', count: 20 })
    const answer = await ask(workspace, { edge: 1, model: 'sim/small' })
    expect(answer).toMatchObject({ status: 200, served: 'sim/large' })
    const ledger = await ledgerAtRest(fleet, workspace)
    expect(ledger).toMatchObject({ posted: 1, violations: [] })
    expect(ledger.charged).toBeLessThanOrEqual(dear)
    expect(ledger.balance).toBe(dear - ledger.charged)
  })

  it('and an alias that leads to a more expensive model afterwards changes only later requests', async () => {
    const [named, dear] = [await holdFor('sim/small'), await holdFor('sim/large')]
    expect(dear).toBeGreaterThan(named * 2n)
    const workspace = await workspaceOf(formatUsd(named * 2n))
    const put = (target: string) => apiOf(fleet, workspace)('PUT', '/aliases', { name: 'bot', target_model: target })
    expect((await put('sim/small')).status).toBe(200)
    await eventually(async () => (await ask(workspace, { edge: 0, model: 'bot' })).status === 200)
    await fleet.provider.reset()
    await fleet.provider.script({ model: 'sim/small', behaviour: 'slow-3000' })
    const running = ask(workspace, { edge: 0, model: 'bot' })
    await eventually(async () => (await providerCalls()) === 1)
    await put('sim/large')
    expect(await running).toMatchObject({ status: 200, served: 'sim/small' })
    const settled = await ledgerAtRest(fleet, workspace)
    for (const edge of [0, 1]) {
      await eventually(async () => (await ask(workspace, { edge, model: 'bot' })).status === 402)
    }
    const after = await ledgerAtRest(fleet, workspace)
    expect(after.violations).toEqual([])
    expect(settled).toMatchObject({ posted: 2, violations: [] })
    expect(settled.charged).toBeLessThanOrEqual(named)
    expect((await fleet.provider.report({ model: 'sim/large' })).requests).toEqual([])
  }, 180_000)
})

it('a process that is killed among requests of both loses and doubles no charge', async () => {
  const workspace = await workspaceOf('5.00')
  const call = { model: 'sim/pace-20', stream: true, body: { max_tokens: 40 } }
  const begun = await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const response = await send(workspace, { ...call, edge: index })
      const reader = response.body?.getReader()
      await reader?.read()
      return reader
    }),
  )
  fleet.inference.signal('SIGKILL')
  const wholes = await Promise.all(begun.map(readsToTheEnd))
  await fleet.restartInference()
  expect(wholes.filter((whole, index) => !whole && index % 2 === 1)).toEqual([])
  const ledger = await ledgerAtRest(fleet, workspace)
  expect(ledger.violations).toEqual([])
  expect(ledger.posted).toBeGreaterThanOrEqual(wholes.filter(Boolean).length)
  expect(ledger.balance).toBe(5_000_000_000n - ledger.charged)
}, 300_000)

/** True when the stream ends as promised. */
async function readsToTheEnd(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<boolean> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read())
      text += decoder.decode(piece.value, { stream: true })
  } catch {
    return false
  }
  return text.endsWith('data: [DONE]\n\n')
}
