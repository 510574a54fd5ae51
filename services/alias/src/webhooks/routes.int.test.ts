import { randomUUID } from 'node:crypto'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { inTransaction } from '@ratchet/db/in-transaction'
import { eventually } from '@ratchet/testing/eventually'
import { enqueueEvent } from './pg-enqueue-event.ts'
import { startWebhookApp, type WebhookApp } from './webhook-app.fixture.ts'

let app: WebhookApp
beforeAll(async () => {
  app = await startWebhookApp()
})
afterAll(() => app?.stop())
beforeEach(async () => {
  await app.operator.query('TRUNCATE webhook, webhook_event CASCADE')
})

const url = 'https://example.com/hooks?team=a'
const givenSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

async function sealedSecret(id: string): Promise<string> {
  const uuid = uuidOf('webhook', id) ?? ''
  const { rows } = await app.operator.query('SELECT * FROM webhook WHERE id = $1', [uuid])
  const { key_id: keyId, nonce, ciphertext } = rows[0]
  return app.secrets.open({ keyId, nonce, ciphertext }, ['webhook', app.workspaceId, uuid])
}

describe('a test message', () => {
  it('goes to one webhook, whatever events it asks for', async () => {
    const { id } = await app.addWebhook(url, { events: ['wallet.low'] })
    await app.addWebhook(url)
    const sent = await app.send('post', `/v1/webhooks/${id}/test`)
    expect(sent).toMatchObject({
      status: 202,
      body: { object: 'webhook.delivery', webhook_id: id, type: 'webhook.test', status: 'pending', attempts: [] },
    })
    expect(sent.body.payload).toMatchObject({ type: 'webhook.test', data: { webhook_id: id } })
    const { rows } = await app.operator.query('SELECT id FROM webhook_delivery')
    expect(rows).toEqual([{ id: uuidOf('delivery', sent.body.id) }])
    const listed = await app.send('get', `/v1/webhooks/${id}/deliveries?type=webhook.test`)
    expect(listed.body.data).toEqual([sent.body])
  })

  it('is refused for a webhook that is off, of another workspace, or unknown', async () => {
    const { id } = await app.addWebhook(url)
    expect((await app.sendBy(randomUUID())('post', `/v1/webhooks/${id}/test`)).status).toBe(404)
    expect((await app.send('post', `/v1/webhooks/${publicId('webhook', randomUUID())}/test`)).status).toBe(404)
    await app.send('patch', `/v1/webhooks/${id}`, { enabled: false })
    expect((await app.send('post', `/v1/webhooks/${id}/test`)).body.error.code).toBe('conflict')
    const { rows } = await app.operator.query('SELECT id FROM webhook_delivery')
    expect(rows).toEqual([])
  })

  it('cannot be subscribed to', async () => {
    const { status, body } = await app.send('post', '/v1/webhooks', { url, events: ['webhook.test'] })
    expect([status, body.error.param]).toEqual([400, 'events.0'])
  })
})

describe('a webhook', () => {
  it('shows its secret once, and is stored with an encrypted secret', async () => {
    const made = await app.send('post', '/v1/webhooks', { url, events: ['eval.done', 'alias.gate.promoted'] })
    expect(made.status).toBe(201)
    const { secret, ...webhook } = made.body
    expect(webhook).toEqual({
      object: 'webhook',
      id: expect.stringMatching(/^whk_[0-9a-f]{32}$/),
      url,
      description: null,
      format: 'standard',
      enabled: true,
      events: ['eval.done', 'alias.gate.promoted'],
      created_at: expect.any(String),
      updated_at: webhook.created_at,
    })
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32)
    expect(await sealedSecret(webhook.id)).toBe(secret)
    const { rows } = await app.operator.query('SELECT webhook::text AS text FROM webhook')
    expect(rows[0].text).not.toContain(Buffer.from(secret).toString('hex'))
    expect((await app.send('get', `/v1/webhooks/${webhook.id}`)).body).toEqual(webhook)
    expect((await app.send('get', '/v1/webhooks')).body).toEqual({
      object: 'list',
      data: [webhook],
      total: 1,
      limit: 50,
      offset: 0,
      has_more: false,
    })
  })

  it('accepts a given secret, and a new one later', async () => {
    const { id, secret } = await app.addWebhook(url, { secret: givenSecret })
    expect([secret, await sealedSecret(id)]).toEqual([givenSecret, givenSecret])
    const rotated = givenSecret.replace('A', 'B')
    const changed = await app.send('patch', `/v1/webhooks/${id}`, { secret: rotated })
    expect([changed.status, 'secret' in changed.body, changed.text.includes('whsec_')]).toEqual([200, false, false])
    expect(await sealedSecret(id)).toBe(rotated)
  })

  it('changes only the given fields', async () => {
    const { secret: _secret, ...before } = await app.addWebhook(url, { description: 'Ours' })
    expect((await app.send('patch', `/v1/webhooks/${before.id}`, {})).body).toEqual(before)
    const changes = { url: 'https://example.org/', events: ['alias.gate.starved'], description: null, enabled: false }
    const after = await app.send('patch', `/v1/webhooks/${before.id}`, changes)
    expect(after.body).toEqual({ ...before, ...changes, updated_at: expect.any(String) })
    expect((await app.send('patch', `/v1/webhooks/${before.id}`, { enabled: true })).body).toEqual({
      ...after.body,
      enabled: true,
      updated_at: expect.any(String),
    })
  })

  it('is deleted with its pending deliveries', async () => {
    const { id } = await app.addWebhook(url)
    await app.publish()
    expect(await app.send('delete', `/v1/webhooks/${id}`)).toMatchObject({ status: 200, body: { id, deleted: true } })
    expect((await app.operator.query('SELECT 1 FROM webhook_delivery')).rowCount).toBe(0)
    expect((await app.send('delete', `/v1/webhooks/${id}`)).status).toBe(404)
  })

  it.each([
    ['a private address', { url: 'https://10.0.0.1/' }, 'url'],
    ['another scheme', { url: 'ftp://example.com/' }, 'url'],
    ['a fragment', { url: 'https://example.com/?a#b' }, 'url'],
    ['no events', { events: [] }, 'events'],
    ['an event twice', { events: ['eval.done', 'eval.done'] }, 'events'],
    ['an unknown event', { events: ['wallet.full'] }, 'events.0'],
    ['a short secret', { secret: `whsec_${Buffer.alloc(23).toString('base64')}` }, 'secret'],
    ['a long secret', { secret: `whsec_${Buffer.alloc(65).toString('base64')}` }, 'secret'],
    ['a secret without its prefix', { secret: Buffer.alloc(32).toString('base64') }, 'secret'],
  ])('must not have %s', async (_case, more, param) => {
    const made = await app.send('post', '/v1/webhooks', { url, events: ['eval.done'], ...more })
    expect([made.status, made.body.error.param]).toEqual([400, param])
    const { id } = await app.addWebhook(url)
    const changed = await app.send('patch', `/v1/webhooks/${id}`, more)
    expect([changed.status, changed.body.error.param]).toEqual([400, param])
  })

  it('is one of at most twenty, also with concurrent requests', async () => {
    const body = { url, events: ['eval.done'] }
    const made = await Promise.all(Array.from({ length: 23 }, () => app.send('post', '/v1/webhooks', body)))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(made.filter(({ status, body: { error } }) => status === 409 && error.code === 'conflict')).toHaveLength(3)
    expect((await app.sendBy(randomUUID())('post', '/v1/webhooks', body)).status).toBe(201)
    const page = (await app.send('get', '/v1/webhooks?limit=8&offset=16')).body
    expect([page.data.length, page.total, page.has_more]).toEqual([4, 20, false])
  })
})

it('another workspace gets the same replies as for a webhook that does not exist', async () => {
  const { id } = await app.addWebhook(url)
  await app.publish()
  const [delivery] = (await app.send('get', `/v1/webhooks/${id}/deliveries`)).body.data
  const otherWorkspace = app.sendBy(randomUUID())
  const absent = publicId('webhook', randomUUID())
  const asks = [
    ['get', '', undefined],
    ['patch', '', { enabled: false }],
    ['delete', '', undefined],
    ['get', '/deliveries', undefined],
    ['post', `/deliveries/${delivery.id}/replay`, undefined],
  ] as const
  for (const [method, path, body] of asks) {
    const foreign = await otherWorkspace(method, `/v1/webhooks/${id}${path}`, body)
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found'])
    for (const none of [absent, 'whk_1', '..%2f']) {
      expect((await app.send(method, `/v1/webhooks/${none}${path}`, body)).text).toBe(foreign.text)
    }
  }
  expect((await otherWorkspace('get', '/v1/webhooks')).body.data).toEqual([])
  const other = await app.addWebhook(url)
  const wrong = await app.send('post', `/v1/webhooks/${other.id}/deliveries/${delivery.id}/replay`)
  expect([wrong.status, wrong.body.error.param]).toEqual([404, 'delivery_id'])
  expect((await app.send('get', `/v1/webhooks/${id}`)).body.enabled).toBe(true)
})

describe('an event', () => {
  it('is delivered once to each enabled webhook of the workspace that requested its type', async () => {
    const [first, second] = [await app.addWebhook(url), await app.addWebhook(url)]
    const otherType = await app.addWebhook(url, { events: ['alias.gate.promoted'] })
    const off = await app.addWebhook(url)
    await app.send('patch', `/v1/webhooks/${off.id}`, { enabled: false })
    const foreign = await app.addWebhook(url, {}, randomUUID())
    const id = randomUUID()
    await Promise.all([app.publish({ id }), app.publish({ id }), app.publish({ id })])
    const { rows } = await app.operator.query<{ webhook_id: string }>('SELECT webhook_id FROM webhook_delivery')
    expect(rows.map((row) => publicId('webhook', row.webhook_id)).sort()).toEqual([first.id, second.id].sort())
    expect([otherType.id, off.id, foreign.id]).not.toContain(rows[0]?.webhook_id)
  })

  it('is accepted once, by its id alone', async () => {
    const event = { id: randomUUID(), type: 'eval.done', timestamp: '2026-11-21T12:00:00.000Z', data: { a: 1 } }
    const report = (more: object = {}) => app.send('post', '/internal/webhooks/events', { ...event, ...more })
    const answers = [await report(), await report({ data: { a: 2 } }), await report({ id: randomUUID() })]
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { accepted: true }],
      [200, { accepted: false }],
      [200, { accepted: true }],
    ])
  })

  it('is listed with its payload before the first attempt', async () => {
    const { id } = await app.addWebhook(url, { events: ['eval.done', 'alias.gate.promoted'] })
    const eventId = await app.publish()
    await app.publish({ type: 'alias.gate.promoted' })
    const { data, total } = (await app.send('get', `/v1/webhooks/${id}/deliveries?type=eval.done&status=pending`)).body
    expect(total).toBe(1)
    expect(data).toEqual([
      {
        object: 'webhook.delivery',
        id: expect.stringMatching(/^dlv_/),
        webhook_id: id,
        status: 'pending',
        event_id: publicId('webhookEvent', eventId),
        type: 'eval.done',
        attempts: [],
        next_attempt_at: expect.any(String),
        created_at: expect.any(String),
        payload: { type: 'eval.done', timestamp: '2026-11-21T12:00:00.000Z', data: { name: 'Größe' } },
      },
    ])
    const page = (await app.send('get', `/v1/webhooks/${id}/deliveries?limit=1`)).body
    expect([page.data[0].type, page.total, page.has_more]).toEqual(['alias.gate.promoted', 2, true])
    expect((await app.send('get', `/v1/webhooks/${id}/deliveries?status=failed`)).body.data).toEqual([])
  })

  it('is written with its transaction or not at all', async () => {
    await app.addWebhook(url)
    const event = { id: randomUUID(), workspaceId: app.workspaceId, type: 'eval.done' as const, data: {} }
    const report = (then: () => void) =>
      inTransaction(app.pool, async (client) => {
        expect(await enqueueEvent(client, { ...event, timestamp: new Date() })).toBe(true)
        then()
      })
    const broken = report(() => {
      throw new Error('undone')
    })
    await expect(broken).rejects.toThrow('undone')
    expect((await app.operator.query('SELECT 1 FROM webhook_event')).rowCount).toBe(0)
    await report(() => undefined)
    expect((await app.operator.query('SELECT 1 FROM webhook_delivery')).rowCount).toBe(1)
  })

  it('does not fail its transaction when a webhook is deleted at the same time', async () => {
    const { id } = await app.addWebhook(url)
    await app.addWebhook(url)
    const deleting = await app.operator.connect()
    await deleting.query('BEGIN')
    await deleting.query('DELETE FROM webhook WHERE id = $1', [uuidOf('webhook', id)])
    const reported = app.publish()
    const waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    await eventually(async () => (await app.operator.query(waits)).rowCount === 1)
    await deleting.query('COMMIT')
    deleting.release()
    await reported
    expect((await app.operator.query('SELECT 1 FROM webhook_delivery')).rowCount).toBe(1)
  })
})
