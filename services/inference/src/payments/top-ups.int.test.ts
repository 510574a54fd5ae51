import { randomUUID } from 'node:crypto'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { creditKnownWorkspace } from '@ratchet/db/credit-workspace'
import { topUp as creditByOperator } from '@ratchet/db/top-up'
import { createUpstream } from '@ratchet/http/create-upstream'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { type LedgerPair, ledgerPair, otherLedger } from '../ledger/ledger-pair.fixture.ts'
import { createPgTopUps } from './pg-top-ups.ts'
import {
  type PaidChanges,
  paidMessage,
  type ScriptedStripe,
  secretKey,
  signed,
  startScriptedStripe,
  webhookSecret,
} from './stripe.fixture.ts'
import { createStripeProvider } from './stripe-provider.ts'
import { createTopUps, type PaymentEvent, type TopUps } from './top-ups.ts'

const now = () => new Date('2026-11-24T12:00:00Z')
const creditNano = 1_000_000_000n
const cents = 2_550
const paidNano = 25_500_000_000n

let pair: LedgerPair
let stripe: ScriptedStripe
let topUps: TopUps
const events: PaymentEvent[] = []
const closers: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  pair = await ledgerPair()
  stripe = await startScriptedStripe()
  const upstream = createUpstream({ origin: stripe.origin, connections: 4, connectTimeoutMs: 5_000 })
  closers.push(() => upstream.destroy())
  topUps = createTopUps({
    provider: createStripeProvider({ upstream, secretKey, webhookSecret, now }),
    store: createPgTopUps(pair.main.pool),
    credit(credit) {
      const { pool } = pair.of(credit.workspaceId)
      const name = pair.of(credit.workspaceId) === pair.other ? otherLedger : 'main'
      return creditKnownWorkspace(pair.main.pool, { name, pool }, credit)
    },
    returnOrigin: 'https://gateway.example',
    onEvent: (event) => void events.push(event),
    newId: () => uuidV7(Date.now()),
    now,
  })
})
afterAll(async () => {
  for (const close of closers) await close()
  await stripe.stop()
  await pair.drop()
})
beforeEach(() => void events.splice(0))

async function started(amountCents = cents) {
  const workspaceId = await pair.newWallet(creditNano)
  const asked = { workspaceId, userId: randomUUID(), amountCents, returnPath: '/w/acme/billing' }
  const { topUp, url } = await topUps.start(asked)
  const checkout = stripe.checkouts.at(-1)
  if (checkout === undefined) throw new Error('no checkout was opened')
  const message = (changes: PaidChanges = {}) => signed(paidMessage(checkout, changes), now())
  const balance = async () => (await pair.of(workspaceId).wallet(workspaceId)).balanceNano
  const status = async () => (await topUps.list(workspaceId))[0]?.status
  return { workspaceId, topUp, url, checkout, message, balance, status }
}

it('opens a page for the amount, and leads back to the dashboard', async () => {
  const { topUp, url, checkout, workspaceId } = await started()
  expect(url).toBe(`https://checkout.example/${checkout.id}`)
  expect(Object.fromEntries(checkout.form)).toMatchObject({
    mode: 'payment',
    client_reference_id: topUp.id,
    'line_items[0][price_data][currency]': 'usd',
    'line_items[0][price_data][unit_amount]': String(cents),
    success_url: 'https://gateway.example/w/acme/billing',
  })
  expect(checkout.headers).toMatchObject({ authorization: `Bearer ${secretKey}`, 'idempotency-key': topUp.id })
  expect(await topUps.list(workspaceId)).toMatchObject([{ status: 'pending', amountNano: paidNano }])
})

// in turn in the main ledger and in another one
it.each([1, 2])('credits a payment once, however often and however often at once it is reported (%d)', async () => {
  const { message, balance, status, topUp } = await started()
  const again = { eventId: 'evt_other', type: 'checkout.session.async_payment_succeeded' }
  const reports = [message(), message(), message({ ...again, eventId: `evt_${topUp.id}` }), message()]
  expect(await Promise.all(reports.map((report) => topUps.receive(report)))).toEqual([true, true, true, true])
  expect(await topUps.receive(message())).toBe(true)
  expect(await topUps.receive(message({ ...again, eventId: `evt_later_${topUp.id}` }))).toBe(true)
  expect([await balance(), await status()]).toEqual([creditNano + paidNano, 'credited'])
  for (const { operator } of pair.both) {
    const name = operator === pair.other.operator ? otherLedger : 'main'
    expect((await auditLedger(operator, name)).violations).toEqual([])
  }
})

it('credits a wallet that never had credit', async () => {
  const { workspaceId, message } = await started()
  await pair.of(workspaceId).operator.query('ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_append_only')
  await pair.of(workspaceId).operator.query('DELETE FROM ledger_entry WHERE wallet_id = $1', [workspaceId])
  await pair.of(workspaceId).operator.query('ALTER TABLE ledger_entry ENABLE TRIGGER ledger_entry_append_only')
  await pair.of(workspaceId).operator.query('DELETE FROM wallet WHERE workspace_id = $1', [workspaceId])
  expect(await topUps.receive(message())).toBe(true)
  expect((await pair.of(workspaceId).wallet(workspaceId)).balanceNano).toBe(paidNano)
})

it.each<[string, PaidChanges]>([
  ['another amount', { amountCents: cents - 1 }],
  ['a larger amount', { amountCents: cents * 100 }],
  ['another currency', { currency: 'jpy' }],
])('does not credit a payment of %s, and tells the operator', async (_what, changes) => {
  const { message, balance, status, topUp } = await started()
  expect(await topUps.receive(message(changes))).toBe(true)
  expect([await balance(), await status()]).toEqual([creditNano, 'refused'])
  expect(events).toMatchObject([{ kind: 'refused', topUpId: topUp.id }])
  expect(await topUps.receive(message({ eventId: `evt_late_${topUp.id}` }))).toBe(true)
  expect(await balance()).toBe(creditNano)
})

it.each<[string, PaidChanges]>([
  ['nothing', { amountCents: 0 }],
  ['less than nothing', { amountCents: -cents }],
  ['a fraction', { amountCents: 25.5 }],
  ['a text', { amountCents: String(cents) }],
  ['more than a number holds', { amountCents: 1e300 }],
  ['what is not paid yet', { status: 'unpaid' }],
  ['another event', { type: 'checkout.session.expired' }],
  ['an id that is none', { topUpId: "' OR 1=1" }],
  ['an id of no top-up', { topUpId: randomUUID() }],
])('ignores a report of %s', async (_what, changes) => {
  const { message, balance, status } = await started()
  expect(await topUps.receive(message(changes))).toBe(false)
  expect([await balance(), await status()]).toEqual([creditNano, 'pending'])
})

it('does not credit a second top-up for the same payment, nor for the page of another', async () => {
  const first = await started()
  const second = await started()
  expect(await topUps.receive(first.message())).toBe(true)
  const paymentId = `pi_${first.checkout.id}`
  expect(await topUps.receive(second.message({ paymentId }))).toBe(true)
  expect([await second.balance(), await second.status()]).toEqual([creditNano, 'refused'])
  const third = await started()
  const fourth = await started()
  expect(await topUps.receive(third.message({ topUpId: fourth.topUp.id, eventId: 'evt_crossed' }))).toBe(true)
  expect([await third.balance(), await fourth.balance()]).toEqual([creditNano, creditNano])
})

it.each([
  ['forged', (payload: string) => signed(payload, now(), 'whsec_guessed')],
  ['copied later', (payload: string) => signed(payload, new Date(now().getTime() - 301_000))],
  [
    'changed',
    (payload: string) => ({ ...signed(payload, now()), payload: payload.replace(String(cents), '99999999') }),
  ],
  ['unsigned', (payload: string) => ({ payload, signature: '' })],
])('refuses a message that was %s', async (_what, forge) => {
  const { checkout, balance } = await started()
  await expect(topUps.receive(forge(paidMessage(checkout)))).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await balance()).toBe(creditNano)
})

it('repeats what a failure interrupted: the event counts when the wallet is credited', async () => {
  const { message, balance, workspaceId } = await started()
  const failing = createTopUps({
    provider: createStripeProvider({
      upstream: createUpstream({ origin: stripe.origin, connections: 1, connectTimeoutMs: 5_000 }),
      secretKey,
      webhookSecret,
      now,
    }),
    store: createPgTopUps(pair.main.pool),
    credit: async () => Promise.reject(new Error('the ledger is down')),
    returnOrigin: '',
    onEvent: () => undefined,
    newId: randomUUID,
    now,
  })
  await expect(failing.receive(message())).rejects.toThrow('the ledger is down')
  expect(await balance()).toBe(creditNano)
  expect(await topUps.receive(message())).toBe(true)
  expect(await balance()).toBe(creditNano + paidNano)
  expect((await topUps.list(workspaceId))[0]).toMatchObject({ status: 'credited' })
})

it.each([
  [500, '{"error":{"message":"down"}}'],
  [402, '{}'],
  [200, 'no JSON'],
  [200, '{"id":"cs_9","url":"javascript:alert(1)"}'],
])('says that the provider failed when it answers %d %s', async (status, body) => {
  const workspaceId = await pair.newWallet(creditNano)
  stripe.answerNext(status, body)
  const asked = { workspaceId, userId: randomUUID(), amountCents: cents, returnPath: '/' }
  await expect(topUps.start(asked)).rejects.toMatchObject({ code: 'upstream_error' })
})

it('says who credits wallets where there is no payment provider', async () => {
  const store = createPgTopUps(pair.main.pool)
  const credit = (topUp: Parameters<typeof creditByOperator>[1]) => creditByOperator(pair.main.operator, topUp)
  const none = createTopUps({ provider: null, store, credit, returnOrigin: '', onEvent() {}, newId: randomUUID, now })
  expect(none.kind).toBe('operator')
  const asked = { workspaceId: randomUUID(), userId: randomUUID(), amountCents: cents, returnPath: '/' }
  await expect(none.start(asked)).rejects.toMatchObject({ code: 'conflict' })
  await expect(none.receive(signed('{}', now()))).rejects.toMatchObject({ code: 'not_found' })
})
