import { uuidOf } from '@ratchet/contracts/public-id'
import { eventually } from '@ratchet/testing/eventually'
import { createDueRunner, type DueRunner } from '@ratchet/work-kit/polling/due-runner'
import { createWebhookSender } from '@ratchet/work-kit/webhooks/send-webhook'
import { Webhook } from 'standardwebhooks'
import { type DeliveryEvent, deliverWebhook } from './deliver-webhook.ts'
import { createPgDueDeliveries } from './pg-due-deliveries.ts'
import { type Receiver, startReceiver } from './receiver.fixture.ts'
import { startWebhookApp, testRules, type WebhookApp } from './webhook-app.fixture.ts'

let app: WebhookApp
let receiver: Receiver
let events: DeliveryEvent[]
let runner: DueRunner
const undo: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  app = await startWebhookApp()
})
afterAll(() => app?.stop())
beforeEach(async () => {
  await app.operator.query('TRUNCATE webhook, webhook_event CASCADE')
  events = []
  runner = createRunner()
  receiver = await anotherReceiver()
})
afterEach(async () => {
  for (const stop of undo.splice(0).reverse()) await stop()
  await runner.stop()
})

function createRunner(): DueRunner {
  const due = createPgDueDeliveries(app.pool)
  const send = createWebhookSender({ rules: testRules, now: () => new Date() })
  const deps = { due, secrets: app.secrets, send, onEvent: (event: DeliveryEvent) => events.push(event) }
  return createDueRunner({
    take: due.take,
    process: (delivery) => deliverWebhook(deps, delivery),
    concurrency: 20,
    onError: (error) => expect(error).toBeUndefined(),
  })
}

async function anotherReceiver(): Promise<Receiver> {
  const started = await startReceiver()
  undo.push(() => started.stop())
  return started
}

/** Delivers what is due now, and waits until this many attempts were made in total. */
async function deliver(attempts: number): Promise<void> {
  await runner.fill()
  await eventually(() => expect(events).toHaveLength(attempts))
}

const kinds = () => events.map(({ kind }) => kind)
const log = async (id: string) => (await app.send('get', `/v1/webhooks/${id}/deliveries`)).body.data
const passTime = () => app.operator.query("UPDATE webhook_delivery SET due_at = now() - interval '1 second'")
/** Seconds until the next attempt at the only delivery. */
async function wait(): Promise<number> {
  const text = 'SELECT extract(epoch FROM due_at - now())::float8 AS wait FROM webhook_delivery'
  return (await app.operator.query<{ wait: number }>(text)).rows[0]?.wait ?? Number.NaN
}

describe('a message', () => {
  it('has a signature that its receiver can verify, and is sent once when it is accepted', async () => {
    const { id, secret } = await app.addWebhook(receiver.url)
    const eventId = await app.publish()
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

  it('is a text for a channel, where the webhook is one', async () => {
    const { id } = await app.addWebhook(receiver.url)
    const { body } = await app.send('patch', `/v1/webhooks/${id}`, { format: 'slack' })
    expect(body.format).toBe('slack')
    await app.publish()
    await deliver(1)
    expect(JSON.parse(String(receiver.received[0]?.body))).toEqual({ text: '*eval.done*\nname: Größe' })
    expect(await log(id)).toMatchObject([{ payload: { type: 'eval.done' } }])
  })

  it('is retried with growing delays until it is accepted', async () => {
    const { id, secret } = await app.addWebhook(receiver.url)
    await app.publish()
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

  it('is dead-lettered after its deadline, and not before', async () => {
    const { id } = await app.addWebhook(receiver.url)
    await app.publish()
    receiver.answer = 302
    await app.operator.query("UPDATE webhook_delivery SET tries = 3, deadline = now() + interval '90 seconds'")
    await deliver(1)
    await passTime()
    await deliver(2)
    expect(kinds()).toEqual(['retried', 'dead_lettered'])
    expect(await log(id)).toMatchObject([{ status: 'failed', next_attempt_at: null, attempts: [{}, { status: 302 }] }])
  })

  it('is attempted at least once, also after its deadline', async () => {
    await app.addWebhook(receiver.url)
    await app.publish()
    await app.operator.query("UPDATE webhook_delivery SET deadline = now() - interval '1 hour'")
    await createPgDueDeliveries(app.pool).expire()
    await deliver(1)
    expect(kinds()).toEqual(['delivered'])
  })

  it('is signed with the current secret', async () => {
    const { id, secret } = await app.addWebhook(receiver.url)
    await app.publish()
    receiver.answer = 500
    await deliver(1)
    const rotated = `whsec_${Buffer.alloc(24, 9).toString('base64')}`
    await app.send('patch', `/v1/webhooks/${id}`, { secret: rotated })
    await passTime()
    await deliver(2)
    const [, { body, headers }] = receiver.received as unknown as [unknown, Receiver['received'][number]]
    new Webhook(rotated).verify(body, headers as Record<string, string>)
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).toThrow('No matching signature')
  })

  it('is claimed by one process, and due again when that process ends', async () => {
    await app.addWebhook(receiver.url)
    await app.publish()
    const [one, two] = [createPgDueDeliveries(app.pool), createPgDueDeliveries(app.pool)]
    const taken = await Promise.all([one.take(20, []), two.take(20, []), one.take(20, [])])
    const [lost, ...others] = taken.flat()
    expect(others).toEqual([])
    expect(await wait()).toBeGreaterThan(50)
    await passTime()
    await deliver(1)
    const attempt = { at: new Date().toISOString(), status: 500, error: 'late', duration_ms: 1 }
    const result = { attempt, result: 'failed', retryDelayMs: 10_000 } as const
    expect(await one.save(lost as NonNullable<typeof lost>, result)).toBe('lost')
    const { rows } = await app.operator.query('SELECT status, attempts FROM webhook_delivery')
    expect([rows[0].status, JSON.parse(rows[0].attempts).length]).toEqual(['delivered', 2])
  })

  it('stores its last fifty attempts', async () => {
    const { id } = await app.addWebhook(receiver.url)
    await app.publish()
    const old = { at: '2026-11-20T12:00:00.000Z', status: 500, error: 'old', duration_ms: 1 }
    const attempts = JSON.stringify(Array.from({ length: 50 }, (_, index) => ({ ...old, duration_ms: index })))
    await app.operator.query('UPDATE webhook_delivery SET attempts = $1', [attempts])
    await deliver(1)
    const [delivery] = await log(id)
    expect(delivery.attempts).toHaveLength(50)
    expect([delivery.attempts[0].duration_ms, delivery.attempts.at(-1).status]).toEqual([1, 204])
  })
})

describe('a disabled webhook', () => {
  it('receives pending deliveries once it is enabled again', async () => {
    const { id } = await app.addWebhook(receiver.url)
    await app.publish()
    await app.send('patch', `/v1/webhooks/${id}`, { enabled: false })
    await app.publish()
    await deliver(0)
    expect(await log(id)).toMatchObject([{ status: 'pending', next_attempt_at: null }])
    await app.send('patch', `/v1/webhooks/${id}`, { enabled: true })
    await deliver(1)
    expect(kinds()).toEqual(['delivered'])
  })

  it('has its pending deliveries failed after their deadline', async () => {
    const { id } = await app.addWebhook(receiver.url)
    await app.publish()
    await app.send('patch', `/v1/webhooks/${id}`, { enabled: false })
    const due = createPgDueDeliveries(app.pool)
    await due.expire()
    expect(await log(id)).toMatchObject([{ status: 'pending' }])
    await app.operator.query("UPDATE webhook_delivery SET deadline = now() - interval '1 second'")
    await due.expire()
    expect(await log(id)).toMatchObject([{ status: 'failed', attempts: [] }])
  })

  it('is what a webhook becomes when its receiver answers with 410', async () => {
    const { id } = await app.addWebhook(receiver.url)
    await app.publish()
    receiver.answer = 410
    await deliver(1)
    expect(kinds()).toEqual(['gone'])
    expect((await app.send('get', `/v1/webhooks/${id}`)).body.enabled).toBe(false)
    expect(await log(id)).toMatchObject([{ status: 'failed', attempts: [{ status: 410 }] }])
  })

  it('is not what a webhook becomes whose URL was changed before the 410', async () => {
    const { id } = await app.addWebhook(receiver.url)
    await app.publish()
    receiver.answer = async (response) => {
      await app.send('patch', `/v1/webhooks/${id}`, { url: 'https://example.com/' })
      response.writeHead(410).end()
    }
    await deliver(1)
    expect([kinds(), (await app.send('get', `/v1/webhooks/${id}`)).body.enabled]).toEqual([['retried'], true])
  })
})

it('a replay repeats the same message with a new schedule, and is refused while attempts follow', async () => {
  const { id, secret } = await app.addWebhook(receiver.url)
  await app.publish()
  receiver.answer = 500
  const [{ id: deliveryId }] = await log(id)
  const replay = () => app.send('post', `/v1/webhooks/${id}/deliveries/${deliveryId}/replay`)
  expect(await replay()).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
  await app.operator.query("UPDATE webhook_delivery SET tries = 9, deadline = now() - interval '1 second'")
  await deliver(1)
  expect(kinds()).toEqual(['dead_lettered'])
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
  expect(kinds()).toEqual(['dead_lettered', 'retried', 'delivered', 'delivered'])
  expect(await log(id)).toMatchObject([{ status: 'delivered', attempts: [{}, {}, {}, { status: 200 }] }])
  const messages = receiver.received.map(({ body, headers }) => {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return `${headers['webhook-id']} ${body}`
  })
  expect([messages.length, new Set(messages).size]).toEqual([4, 1])
})

it('a receiver that hangs delays no other, not even in the same workspace', async () => {
  const hanging = await anotherReceiver()
  const held: (() => void)[] = []
  hanging.answer = (response) => void held.push(() => response.writeHead(200).end())
  await app.addWebhook(hanging.url)
  const otherWorkspace = crypto.randomUUID()
  for (let count = 0; count < 6; count += 1) await app.publish()
  await app.addWebhook(receiver.url)
  await app.addWebhook(receiver.url, {}, otherWorkspace)
  await app.publish()
  await app.publish({ by: otherWorkspace })
  await deliver(2)
  await eventually(() => expect(held).toHaveLength(2))
  expect([receiver.received.length, kinds()]).toEqual([2, ['delivered', 'delivered']])
  hanging.answer = 200
  for (const release of held) release()
  await eventually(() => expect(events).toHaveLength(4))
  await deliver(9)
  expect(hanging.received).toHaveLength(7)
})

it('a workspace has at most four deliveries in progress', async () => {
  const held: (() => void)[] = []
  receiver.answer = (response) => void held.push(() => response.writeHead(200).end())
  for (let count = 0; count < 6; count += 1) await app.addWebhook(receiver.url)
  await app.publish()
  await runner.fill()
  await runner.fill()
  await eventually(() => expect(held).toHaveLength(4))
  receiver.answer = 200
  for (const release of held) release()
  await eventually(() => expect(events).toHaveLength(4))
  await deliver(6)
})

it('an unreadable secret and an invalid row do not stop other deliveries', async () => {
  const broken = await app.addWebhook(receiver.url)
  const unread = await app.addWebhook(receiver.url)
  await app.addWebhook(receiver.url)
  await app.publish()
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

it('events are deleted after thirty days with their deliveries, unless one is being replayed', async () => {
  const { id } = await app.addWebhook(receiver.url)
  const [old, replayed] = [await app.publish(), await app.publish(), await app.publish()]
  await deliver(3)
  const age = "UPDATE webhook_event SET created_at = now() - interval '30 days 1 second' WHERE id = ANY($1)"
  await app.operator.query(age, [[old, replayed]])
  const again = "UPDATE webhook_delivery SET status = 'pending', due_at = now() WHERE event_id = $1"
  await app.operator.query(again, [replayed])
  await createPgDueDeliveries(app.pool).purge()
  expect(await log(id)).toHaveLength(2)
  await deliver(4)
  await createPgDueDeliveries(app.pool).purge()
  expect(await log(id)).toHaveLength(1)
})
