import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { eventually } from '@ratchet/testing/eventually'
import { createDueRunner, type DueRunner } from '@ratchet/work-kit/polling/due-runner'
import { createWebhookSender } from '@ratchet/work-kit/webhooks/send-webhook'
import { type DeliveryEvent, deliverWebhook } from './deliver-webhook.ts'
import { createPgDueDeliveries } from './pg-due-deliveries.ts'
import { startReceiver } from './receiver.fixture.ts'
import { startWebhookApp, testRules, type WebhookApp } from './webhook-app.fixture.ts'

let app: WebhookApp
const undo: (() => unknown)[] = []

beforeEach(() => app.operator.query('TRUNCATE webhook, webhook_event CASCADE'))
beforeAll(async () => {
  app = await startWebhookApp()
})
afterAll(() => app?.stop())
afterEach(async () => {
  for (const stop of undo.splice(0).reverse()) await stop()
})

/** A receiver that takes connections and does this with them. */
async function slowReceiver(behave: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    behave(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/hooks`, sockets }
}

/** Writes a byte of the text again and again, so that no timeout for silence ends it. */
function trickle(socket: Socket, text: string): void {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), 20)
  socket.once('close', () => clearInterval(timer))
}

const slow: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['never answers', () => undefined],
  ['reads nothing', (socket) => socket.pause()],
  ['sends a head without an end', (socket) => trickle(socket, 'HTTP/1.1 200 OK\r\nA: '.padEnd(10_000, 'x'))],
  [
    'sends a body without an end',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n')
      trickle(socket, 'x')
    },
  ],
]

it.each(slow)('a receiver that %s delays no other, of any workspace', async (_what, behave) => {
  const events: DeliveryEvent[] = []
  const runner = createRunner(events)
  const receivers = await Promise.all([1, 2, 3].map(() => slowReceiver(behave)))
  const [hostile, other] = [crypto.randomUUID(), crypto.randomUUID()]
  for (const { url } of receivers) await app.addWebhook(url, {}, hostile)
  for (let count = 0; count < 20; count += 1) await app.publish({ by: hostile })
  await runner.fill()
  await eventually(() => expect(receivers.reduce((sum, { sockets }) => sum + sockets.size, 0)).toBe(4))
  const prompt = await startReceiver()
  undo.push(prompt.stop)
  await app.addWebhook(prompt.url, {}, other)
  await app.publish({ by: other })
  await runner.fill()
  await eventually(() => expect(prompt.received).toHaveLength(1))
  expect(events.map(({ kind }) => kind)).toEqual(['delivered'])
})

it('a free place goes to the workspace with the fewest deliveries in progress', async () => {
  const due = createPgDueDeliveries(app.pool)
  const [many, one] = [crypto.randomUUID(), crypto.randomUUID()]
  const idle = await slowReceiver(() => undefined)
  for (const by of [many, many, one]) await app.addWebhook(idle.url, {}, by)
  for (let count = 0; count < 4; count += 1) await app.publish({ by: many })
  const first = await due.take(2, [])
  await app.publish({ by: one })
  const next = await due.take(1, first)
  expect([...first, ...next].map(({ workspaceId }) => workspaceId)).toEqual([many, many, one])
})

function createRunner(events: DeliveryEvent[]): DueRunner {
  const due = createPgDueDeliveries(app.pool)
  const send = createWebhookSender({ rules: testRules, now: () => new Date() })
  const deps = { due, secrets: app.secrets, send, onEvent: (event: DeliveryEvent) => events.push(event) }
  const runner = createDueRunner({
    take: due.take,
    process: (delivery) => deliverWebhook(deps, delivery),
    concurrency: 20,
    onError: (error) => expect(error).toBeUndefined(),
  })
  // After the receivers, whose connections it waits for.
  undo.unshift(() => runner.stop())
  return runner
}
