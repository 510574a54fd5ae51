import { uuidOf } from '@ratchet/contracts/public-id'
import { eventually } from '@ratchet/testing/eventually'
import { Webhook } from 'standardwebhooks'
import { createWebhookDeliverer, type DeliveryEvent, type WebhookDeliverer } from './deliver-webhooks.ts'
import { createPgDueDeliveries } from './pg-due-deliveries.ts'
import { forgetWebhookEvents } from './purge-webhook-events.ts'
import { type Receiver, startReceiver } from './receiver.fixture.ts'
import { createSendDelivery } from './send-delivery.ts'
import { startWebhookApp, testRules, type WebhookApp } from './webhook-app.fixture.ts'

let app: WebhookApp
let receiver: Receiver
let events: DeliveryEvent[]
let deliverer: WebhookDeliverer
const undo: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  app = await startWebhookApp()
})
afterAll(() => app?.stop())
beforeEach(async () => {
  await app.operator.query('TRUNCATE webhook, webhook_event CASCADE')
  events = []
  deliverer = startDeliverer()
  receiver = await anotherReceiver()
})
afterEach(async () => {
  for (const stop of undo.splice(0).reverse()) await stop()
  await deliverer.stop()
})

function startDeliverer(): WebhookDeliverer {
  const send = createSendDelivery({ secrets: app.secrets, rules: testRules, now: () => new Date() })
  return createWebhookDeliverer({ due: createPgDueDeliveries(app.pool), send, onEvent: (event) => events.push(event) })
}

async function anotherReceiver(): Promise<Receiver> {
  const started = await startReceiver()
  undo.push(() => started.stop())
  return started
}

/** Sends what is due now, and waits until so many attempts were made in all. */
async function deliver(attempts: number): Promise<void> {
  await deliverer.run()
  await eventually(() => expect(events).toHaveLength(attempts))
}

const kinds = () => events.map(({ kind }) => kind)
const log = async (id: string) => (await app.ask('get', `/v1/webhooks/${id}/deliveries`)).body.data
const passTime = () => app.operator.query("UPDATE webhook_delivery SET due_at = now() - interval '1 second'")
/** Seconds until the only delivery is tried again. */
async function wait(): Promise<number> {
  const text = 'SELECT extract(epoch FROM due_at - now())::float8 AS wait FROM webhook_delivery'
  return (await app.operator.query<{ wait: number }>(text)).rows[0]?.wait ?? Number.NaN
}

describe('a message', () => {
  it('is signed so that its receiver can verify it, and sent once when it is taken', async () => {
    const { id, secret } = await app.addWebhook(receiver.url)
    const eventId = await app.report()
    await deliver(1)
    await deliver(1)
    expect(receiver.received).toHaveLength(1)
    const [{ headers, body }] = receiver.received as [Receiver['received'][number]]
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({
      type: 'eval.done',
      timestamp: '2026-11-21T12:00:00.000Z',
      data: { name: 'Größe' },
    })
    expect(headers).toMatchObject({ 'webhook-id': `msg_${eventId.replaceAll('-', '')}` })
    expect(await log(id)).toMatchObject([
      {
        status: 'delivered',
        next_attempt_at: null,
        event_id: headers['webhook-id'],
        attempts: [{ at: expect.any(String), status: 204, error: null, duration_ms: expect.any(Number) }],
      },
    ])
  })

  it('is sent again, later and later, until it is taken', async () => {
    const { id, secret } = await app.addWebhook(receiver.url)
    await app.report()
    receiver.answer = 500
    for (const [index, seconds] of [10, 20, 40, 80].entries()) {
      await deliver(index + 1)
      expect(await wait()).toBeGreaterThan(seconds - 2)
      expect(await wait()).toBeLessThanOrEqual(seconds)
      await deliver(index + 1)
      await passTime()
    }
    await app.operator.query('UPDATE webhook_delivery SET tries = 30')
    await deliver(5)
    expect(await wait()).toBeGreaterThan(3_590)
    expect(await wait()).toBeLessThanOrEqual(3_600)
    await passTime()
    receiver.answer = 200
    await deliver(6)
    const [delivery] = await log(id)
    expect([delivery.status, delivery.attempts.length]).toEqual(['delivered', 6])
    expect(delivery.attempts[0]).toMatchObject({ status: 500, error: 'It was answered with 500.' })
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(1)
    for (const { body, headers } of receiver.received) {
      new Webhook(secret).verify(body, headers as Record<string, string>)
    }
  })

  it('is given up when its day is over, and not before', async () => {
    const { id } = await app.addWebhook(receiver.url)
    await app.report()
    receiver.answer = 302
    await app.operator.query("UPDATE webhook_delivery SET tries = 3, deadline = now() + interval '90 seconds'")
    await deliver(1)
    await passTime()
    await deliver(2)
    expect(kinds()).toEqual(['retried', 'given_up'])
    expect(await log(id)).toMatchObject([{ status: 'failed', next_attempt_at: null, attempts: [{}, { status: 302 }] }])
  })

  it('is tried at least once, however late', async () => {
    await app.addWebhook(receiver.url)
    await app.report()
    await app.operator.query("UPDATE webhook_delivery SET deadline = now() - interval '1 hour'")
    await createPgDueDeliveries(app.pool).expire()
    await deliver(1)
    expect(kinds()).toEqual(['delivered'])
  })

  it('is signed with the secret of the moment', async () => {
    const { id, secret } = await app.addWebhook(receiver.url)
    await app.report()
    receiver.answer = 500
    await deliver(1)
    const rotated = `whsec_${Buffer.alloc(24, 9).toString('base64')}`
    await app.ask('patch', `/v1/webhooks/${id}`, { secret: rotated })
    await passTime()
    await deliver(2)
    const [, { body, headers }] = receiver.received as unknown as [unknown, Receiver['received'][number]]
    new Webhook(rotated).verify(body, headers as Record<string, string>)
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).toThrow('No matching signature')
  })

  it('is not lost with whoever took it on, nor taken on by two', async () => {
    await app.addWebhook(receiver.url)
    await app.report()
    const [one, two] = [createPgDueDeliveries(app.pool), createPgDueDeliveries(app.pool)]
    const taken = await Promise.all([one.take(20, []), two.take(20, []), one.take(20, [])])
    const [lost, ...others] = taken.flat()
    expect(others).toEqual([])
    expect(await wait()).toBeGreaterThan(50)
    await passTime()
    await deliver(1)
    const attempt = { at: new Date().toISOString(), status: 500, error: 'late', duration_ms: 1 }
    expect(await one.keep(lost as NonNullable<typeof lost>, { attempt, verdict: 'failed' })).toBe('lost')
    const { rows } = await app.operator.query('SELECT status, attempts FROM webhook_delivery')
    expect([rows[0].status, JSON.parse(rows[0].attempts).length]).toEqual(['delivered', 2])
  })

  it('keeps its last fifty attempts', async () => {
    const { id } = await app.addWebhook(receiver.url)
    await app.report()
    const old = { at: '2026-11-20T12:00:00.000Z', status: 500, error: 'old', duration_ms: 1 }
    const attempts = JSON.stringify(Array.from({ length: 50 }, (_, index) => ({ ...old, duration_ms: index })))
    await app.operator.query('UPDATE webhook_delivery SET attempts = $1', [attempts])
    await deliver(1)
    const [delivery] = await log(id)
    expect(delivery.attempts).toHaveLength(50)
    expect([delivery.attempts[0].duration_ms, delivery.attempts.at(-1).status]).toEqual([1, 204])
  })
})

describe('a webhook that is not enabled', () => {
  it('is sent what waits once it is enabled again', async () => {
    const { id } = await app.addWebhook(receiver.url)
    await app.report()
    await app.ask('patch', `/v1/webhooks/${id}`, { enabled: false })
    await app.report()
    await deliver(0)
    expect(await log(id)).toMatchObject([{ status: 'pending', next_attempt_at: null }])
    await app.ask('patch', `/v1/webhooks/${id}`, { enabled: true })
    await deliver(1)
    expect(kinds()).toEqual(['delivered'])
  })

  it('has what waits given up when its day is over', async () => {
    const { id } = await app.addWebhook(receiver.url)
    await app.report()
    await app.ask('patch', `/v1/webhooks/${id}`, { enabled: false })
    const due = createPgDueDeliveries(app.pool)
    await due.expire()
    expect(await log(id)).toMatchObject([{ status: 'pending' }])
    await app.operator.query('UPDATE webhook_delivery SET deadline = now()')
    await due.expire()
    expect(await log(id)).toMatchObject([{ status: 'failed', attempts: [] }])
  })

  it('is one whose receiver says that it is gone', async () => {
    const { id } = await app.addWebhook(receiver.url)
    await app.report()
    receiver.answer = 410
    await deliver(1)
    expect(kinds()).toEqual(['gone'])
    expect((await app.ask('get', `/v1/webhooks/${id}`)).body.enabled).toBe(false)
    expect(await log(id)).toMatchObject([{ status: 'failed', attempts: [{ status: 410 }] }])
  })

  it('is not one that has another address by now', async () => {
    const { id } = await app.addWebhook(receiver.url)
    await app.report()
    receiver.answer = async (response) => {
      await app.ask('patch', `/v1/webhooks/${id}`, { url: 'https://example.com/' })
      response.writeHead(410).end()
    }
    await deliver(1)
    expect([kinds(), (await app.ask('get', `/v1/webhooks/${id}`)).body.enabled]).toEqual([['retried'], true])
  })
})

it('a replay sends the same message from the start, and not while it is being sent', async () => {
  const { id, secret } = await app.addWebhook(receiver.url)
  await app.report()
  receiver.answer = 500
  const [{ id: deliveryId }] = await log(id)
  const replay = () => app.ask('post', `/v1/webhooks/${id}/deliveries/${deliveryId}/replay`)
  expect(await replay()).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
  await app.operator.query('UPDATE webhook_delivery SET tries = 9, deadline = now()')
  await deliver(1)
  expect(kinds()).toEqual(['given_up'])
  expect(await replay()).toMatchObject({
    status: 202,
    body: { id: deliveryId, status: 'pending', attempts: [{ status: 500 }] },
  })
  await deliver(2)
  expect(await wait()).toBeLessThanOrEqual(10)
  receiver.answer = 200
  await passTime()
  await deliver(3)
  expect((await replay()).status).toBe(202)
  await deliver(4)
  expect(kinds()).toEqual(['given_up', 'retried', 'delivered', 'delivered'])
  expect(await log(id)).toMatchObject([{ status: 'delivered', attempts: [{}, {}, {}, { status: 200 }] }])
  const messages = receiver.received.map(({ body, headers }) => {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return `${headers['webhook-id']} ${body}`
  })
  expect([messages.length, new Set(messages).size]).toEqual([4, 1])
})

it('one who hangs holds nobody else up, not even in the same workspace', async () => {
  const hanging = await anotherReceiver()
  const held: (() => void)[] = []
  hanging.answer = (response) => void held.push(() => response.writeHead(200).end())
  await app.addWebhook(hanging.url)
  const outsider = crypto.randomUUID()
  for (let count = 0; count < 6; count += 1) await app.report()
  await app.addWebhook(receiver.url)
  await app.addWebhook(receiver.url, {}, outsider)
  await app.report()
  await app.report({ by: outsider })
  await deliver(2)
  await eventually(() => expect(held).toHaveLength(2))
  expect([receiver.received.length, kinds()]).toEqual([2, ['delivered', 'delivered']])
  hanging.answer = 200
  for (const letGo of held) letGo()
  await eventually(() => expect(events).toHaveLength(4))
  await deliver(9)
  expect(hanging.received).toHaveLength(7)
})

it('a workspace has four messages under way at most', async () => {
  const held: (() => void)[] = []
  receiver.answer = (response) => void held.push(() => response.writeHead(200).end())
  for (let count = 0; count < 6; count += 1) await app.addWebhook(receiver.url)
  await app.report()
  await deliverer.run()
  await deliverer.run()
  await eventually(() => expect(held).toHaveLength(4))
  receiver.answer = 200
  for (const letGo of held) letGo()
  await eventually(() => expect(events).toHaveLength(4))
  await deliver(6)
})

it('one secret that cannot be read, and one row that is broken, stop nobody else', async () => {
  const broken = await app.addWebhook(receiver.url)
  const unread = await app.addWebhook(receiver.url)
  await app.addWebhook(receiver.url)
  await app.report()
  const uuid = (id: string) => uuidOf('webhook', id)
  await app.operator.query("UPDATE webhook SET nonce = '', key_id = 'gone' WHERE id = $1", [uuid(unread.id)])
  await app.operator.query("UPDATE webhook_delivery SET attempts = '{' WHERE webhook_id = $1", [uuid(broken.id)])
  await deliver(3)
  expect(kinds().sort()).toEqual(['delivered', 'delivered', 'retried'])
  expect(await log(unread.id)).toMatchObject([
    { status: 'pending', attempts: [{ status: null, error: 'It could not be signed: the secret cannot be read.' }] },
  ])
  expect(await log(broken.id)).toMatchObject([{ status: 'delivered', attempts: [{ status: 204 }] }])
})

it('events are forgotten after thirty days with what became of them', async () => {
  const { id } = await app.addWebhook(receiver.url)
  const [old, replayed] = [await app.report(), await app.report(), await app.report()]
  await deliver(3)
  const age = "UPDATE webhook_event SET created_at = now() - interval '30 days 1 second' WHERE id = ANY($1)"
  await app.operator.query(age, [[old, replayed]])
  const again = "UPDATE webhook_delivery SET status = 'pending', due_at = now() WHERE event_id = $1"
  await app.operator.query(again, [replayed])
  await forgetWebhookEvents(createPgDueDeliveries(app.pool))
  expect(await log(id)).toHaveLength(2)
  await deliver(4)
  await forgetWebhookEvents(createPgDueDeliveries(app.pool))
  expect(await log(id)).toHaveLength(1)
})
