import { testDeps, testNow } from '../app.fixture.ts'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { type Ledger, LedgerUnavailable } from '../ledger/ledger.ts'
import { createMemoryLedger } from '../ledger/memory-ledger.ts'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import { messagesSurface } from '../surfaces/messages/messages-surface.ts'
import type { Surface } from '../surfaces/surface.ts'
import type { InternalCall } from './internal-call.ts'
import type { CountTokens } from './price-answer.ts'
import { plannedRequest, question, silentProvider, testWorkspaceId } from './request-records.fixture.ts'
import { takeHold } from './take-hold.ts'

const catalog = catalogOf([
  modelEntry('acme/fast', { input_per_mtok: '1', cached_input_per_mtok: null, output_per_mtok: '1' }),
  modelEntry('acme/caching', { input_per_mtok: '1', cache_write_per_mtok: '1.25', cache_write_1h_per_mtok: '2' }),
  modelEntry('acme/dear', { input_per_mtok: '2', cached_input_per_mtok: null, output_per_mtok: '3' }),
])

interface Given {
  readonly body?: object
  readonly balanceNano?: bigint
  readonly countTokens?: CountTokens
  readonly ledger?: Partial<Ledger>
  readonly internalCall?: InternalCall | null
  readonly surface?: Surface
}

function hold(given: Given = {}) {
  const { body = question, balanceNano = 10n ** 12n, countTokens = async () => null } = given
  const { ledger = {}, internalCall = null, surface = chatSurface } = given
  const ledgerState = createMemoryLedger()
  ledgerState.topUp(testWorkspaceId, balanceNano)
  const deps = testDeps(silentProvider, { catalog })
  const planned = plannedRequest({ max_tokens: 100, ...body }, { internalCall, surface }, deps)
  const { brand } = deps
  const seen: string[] = []
  const taking = takeHold(
    {
      brand,
      ledger: { ...ledgerState, ...ledger },
      countTokensOf: () => countTokens,
      onCharged() {},
      endUsers: { seen: (_workspace, { name }) => void seen.push(name) },
      now: testNow,
    },
    planned,
  )
  return { taking, ledgerState, seen }
}

const long = { ...question, messages: [{ role: 'user', content: 'word '.repeat(20_000) }] }

describe('takeHold', () => {
  it('reserves the bytes of the prompt and the maximum answer that the request allows', async () => {
    const { taking, ledgerState } = hold()
    const { holdNano } = await taking
    const bytes = JSON.stringify({ max_tokens: 100, ...question }).length
    expect(holdNano).toBeGreaterThanOrEqual(BigInt(bytes + 100) * 1_000n)
    expect(holdNano).toBeLessThan(BigInt(bytes + 100 + 500) * 1_000n)
    expect(ledgerState.wallet(testWorkspaceId).heldNano).toBe(holdNano)
  })

  it('learns the end users of requests that are paid, and of no others', async () => {
    const body = { ...question, user: 'ann' }
    const { taking, seen } = hold({ body })
    await taking
    expect(seen).toEqual(['ann'])
    const refused = hold({ body, balanceNano: 0n })
    await expect(refused.taking).rejects.toMatchObject({ code: 'insufficient_balance' })
    expect(refused.seen).toEqual([])
  })

  it('reserves for each answer, and for the most expensive of the candidates', async () => {
    const { holdNano: one } = await hold().taking
    const { holdNano: four } = await hold({ body: { ...question, n: 4 } }).taking
    const { holdNano: dear } = await hold({ body: { ...question, models: ['acme/dear'] } }).taking
    expect(four - one).toBeGreaterThanOrEqual(300_000n)
    expect(dear).toBeGreaterThan(one + 200_000n)
  })

  it.each([
    ['more on the surface that writes them', messagesSurface, true],
    ['nothing more in chat completions, which write shorter ones', chatSurface, false],
  ])('reserves for caches of an hour %s', async (_name, surface, isMore) => {
    const text = (ttl: string) => ({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl } })
    const cached = (ttl: string) => {
      const body = { model: 'acme/caching', messages: [{ role: 'user', content: [text(ttl)] }] }
      return hold({ body, surface }).taking
    }
    const [short, hour] = [await cached('5m'), await cached('1h')]
    expect(hour.holdNano > short.holdNano).toBe(isMore)
  })

  it('counts no tokens while the wallet covers the bytes', async () => {
    const asked: unknown[] = []
    const countTokens: CountTokens = async (model) => asked.push(model)
    await hold({ body: long, countTokens }).taking
    expect(asked).toEqual([])
  })

  it('counts the tokens for each candidate when the wallet does not cover the bytes', async () => {
    const asked: string[] = []
    const countTokens: CountTokens = async ({ id }) => {
      asked.push(id)
      return 20_000
    }
    const body = { ...long, models: ['acme/dear'] }
    const { taking, ledgerState } = hold({ body, balanceNano: 80_000_000n, countTokens })
    const { holdNano } = await taking
    expect(asked).toEqual(['acme/fast', 'acme/dear'])
    // The tokens were counted with another vocabulary, so the bound adds half of them.
    expect(holdNano).toBeGreaterThanOrEqual(60_000_000n)
    expect(ledgerState.wallet(testWorkspaceId).heldNano).toBe(holdNano)
  })

  it.each<[string, Given]>([
    ['counting helps no more', { body: long, balanceNano: 80_000_000n, countTokens: async () => 90_000 }],
    ['counting takes too long', { body: long, balanceNano: 80_000_000n }],
    ['there is nothing', { balanceNano: 0n }],
  ])('refuses, and holds nothing, when %s', async (_name, given) => {
    const { taking, ledgerState } = hold(given)
    await expect(taking).rejects.toMatchObject({ code: 'insufficient_balance' })
    expect(ledgerState.wallet(testWorkspaceId).heldNano).toBe(0n)
  })

  it('counts no tokens when a count cannot save enough, because the answer is the expensive part', async () => {
    const asked: unknown[] = []
    const countTokens: CountTokens = async (model) => asked.push(model)
    const { taking } = hold({ body: { ...question, max_tokens: 16_000 }, balanceNano: 1_000_000n, countTokens })
    await expect(taking).rejects.toMatchObject({ code: 'insufficient_balance' })
    expect(asked).toEqual([])
  })

  it('counts the tokens when the cap does not cover the bytes, and names the cap when that is not enough', async () => {
    const id = '00000000-0000-7000-8000-0000000000c1'
    const cap = { id, windowStart: new Date('2026-11-16T00:00:00Z'), capNano: 40_000_000n }
    const internalCall = { purpose: 'judge' as const, cap }
    const { taking, ledgerState } = hold({ body: long, internalCall, countTokens: async () => 20_000 })
    const { holdNano } = await taking
    expect(ledgerState.cap(testWorkspaceId, cap)).toEqual({ capNano: 40_000_000n, spentNano: 0n, heldNano: holdNano })
    const { taking: refused } = hold({ body: long, internalCall, countTokens: async () => 50_000 })
    await expect(refused).rejects.toMatchObject({ code: 'spend_cap_reached' })
  })

  it('answers 503 with Retry-After when the ledger is unavailable, and passes other errors on', async () => {
    const unavailable = async () => {
      throw new LedgerUnavailable('unavailable', { uncertain: true })
    }
    await expect(hold({ ledger: { hold: unavailable } }).taking).rejects.toMatchObject({ code: 'service_unavailable' })
    const bug = async () => {
      throw new RangeError('a bug')
    }
    await expect(hold({ ledger: { hold: bug } }).taking).rejects.toThrow(RangeError)
    await expect(hold({ ledger: { hold: async () => 'posted' } }).taking).rejects.toThrow(/already posted/)
  })
})
