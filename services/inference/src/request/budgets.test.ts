import type { Budget } from '../budgets/budget.ts'
import { aliasRoute } from '../workspace-settings/alias-route.fixture.ts'
import type { WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import { type AliasedApp, aliasedApp } from './aliased-app.fixture.ts'
import { question, testWorkspaceId } from './request-records.fixture.ts'

const budgetId = '00000000-0000-7000-8000-0000000000b1'
const budget = (changes: Partial<Budget> = {}): Budget => ({
  id: budgetId,
  scope: 'workspace',
  subject: '',
  period: 'total',
  amountNano: 1_000_000n,
  fallbackModel: null,
  ...changes,
})
const window = { id: budgetId, subject: '', windowStart: new Date(0) }
const app = (settings: Partial<WorkspaceSettings>, more: Partial<AliasedApp> = {}) =>
  aliasedApp({ routes: [], settings, ...more })
const short = { ...question, model: 'acme/fast', max_tokens: 10 }
const exceeded = { error: { code: 'budget_exceeded', type: 'insufficient_quota' } }

it.each([false, true])('counts what a request costs, stream %s', async (stream) => {
  const { send, ledger } = app({ budgets: [budget({ amountNano: 10_000_000n })] })
  expect((await send({ ...short, stream })).status).toBe(200)
  const { spentNano, heldNano } = ledger.budget(testWorkspaceId, window)
  expect(heldNano).toBe(0n)
  expect(spentNano).toBe(1_000_000_000n - ledger.wallet(testWorkspaceId).balanceNano)
  expect(spentNano).toBeGreaterThan(0n)
})

it('refuses what a budget does not cover, naming it, and neither calls a model nor holds anything', async () => {
  const { send, called, ledger } = app({ budgets: [budget({ amountNano: 1n, period: 'month' })] })
  const answer = await send(short)
  expect(answer).toMatchObject({ status: 402, body: exceeded })
  expect(answer.body.error.message).toMatch(/^The budget of this workspace for this month does not cover/)
  expect(called).toEqual([])
  expect(ledger.wallet(testWorkspaceId).heldNano).toBe(0n)
})

it.each<[string, Budget['scope'], string, object, Record<string, string>]>([
  ['the key', 'key', testWorkspaceId, {}, {}],
  ['a user of the header', 'user', 'ann', { user: 'bob' }, { 'x-svc-user': 'ann' }],
  ['a user of the body', 'user', 'ann', { user: 'ann' }, {}],
  ['each user', 'user', '*', { user: 'ann' }, {}],
  ['a tag', 'tag', 'chat', {}, { 'x-svc-tag': 'chat' }],
])('has budgets of %s', async (_, scope, subject, body, headers) => {
  const { send } = app({ budgets: [budget({ scope, subject, amountNano: 1n })] })
  expect(await send({ ...short, ...body }, headers)).toMatchObject({ status: 402, body: exceeded })
})

it('does not count a request for others', async () => {
  const others = [
    budget({ scope: 'key', subject: budgetId, amountNano: 1n }),
    budget({ scope: 'user', subject: 'ann', amountNano: 1n }),
    budget({ scope: 'tag', subject: 'chat', amountNano: 1n }),
  ]
  expect((await app({ budgets: others }).send({ ...short, user: 'bob' }, { 'x-svc-tag': 'batch' })).status).toBe(200)
})

describe('with a cheaper model', () => {
  // acme/new has the dearer answers.
  const dear = { ...short, model: 'acme/new', max_tokens: 1_000 }
  const near = budget({ amountNano: 3_200_000n })

  it.each(['acme/fast', 'support-bot'])('calls %s while its maximum cost fits, and says so', async (fallbackModel) => {
    const { send, called } = app({ budgets: [{ ...near, fallbackModel }] }, { routes: [aliasRoute()] })
    const headers = { 'x-svc-served-model': 'acme/fast', 'x-svc-fallback-from': 'acme/new' }
    expect(await send(dear)).toMatchObject({ status: 200, headers })
    expect(called).toEqual(['acme/fast'])
  })

  it('refuses when that does not fit either, cannot be called, or another budget demands it', async () => {
    const cheap = { ...near, fallbackModel: 'acme/fast' }
    for (const budgets of [
      [{ ...cheap, amountNano: 1n }],
      [{ ...cheap, fallbackModel: 'acme/gone' }],
      [cheap, { ...near, id: testWorkspaceId }],
    ]) {
      expect(await app({ budgets }).send(dear)).toMatchObject({ status: 402, body: exceeded })
    }
  })

  it('charges an answer under its key once, and replays it', async () => {
    const { send, called } = app({ budgets: [{ ...near, fallbackModel: 'acme/fast' }] })
    const keyed = { 'idempotency-key': 'once' }
    await send(dear, keyed)
    expect(await send(dear, keyed)).toMatchObject({ status: 200, headers: { 'idempotent-replay': 'true' } })
    expect(called).toEqual(['acme/fast'])
  })
})

describe('a key for some models', () => {
  const only = (...globs: string[]) => ({ keyModels: new Map([[testWorkspaceId, globs]]) })
  const refused = { error: { code: 'model_not_allowed', param: 'model' } }

  it('calls what a glob matches, by the name that the client sent or by that of the catalog', async () => {
    for (const model of ['acme/fast', 'support-bot']) {
      const { send } = app(only('support-*', 'acme/f*'), { routes: [aliasRoute({ targetModel: 'acme/new' })] })
      expect((await send({ ...short, model })).status).toBe(200)
    }
  })

  it.each([
    ['a model', { model: 'acme/new' }],
    ['an alias, whatever it stands for', { model: 'support-bot' }],
    ['a fallback of the request', { model: 'acme/fast', models: ['acme/new'] }],
    ['a dedicated endpoint', { model: 'dedicated/mine' }],
  ])('does not call %s', async (_, body) => {
    const { send, called } = app(only('acme/fast'), { routes: [aliasRoute()] })
    expect(await send({ ...short, ...body })).toMatchObject({ status: 403, body: refused })
    expect(called).toEqual([])
  })

  it('is not answered by a fallback of the workspace that it may not call', async () => {
    const fails: NonNullable<AliasedApp['scripts']>[string] = (listener) =>
      listener.onFailure({ kind: 'misconfigured', message: 'no', retryAfterMs: null })
    const settings = { ...only('acme/fast'), fallbackModels: ['acme/new'] }
    const { send, called } = app(settings, { scripts: { 'acme/fast': fails } })
    expect((await send(short)).status).toBe(502)
    expect(called).toEqual(['acme/fast'])
  })
})
