import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { FleetOptions } from '../fleet.ts'
import { mountedCatalog } from '../mounted-catalog.ts'
import { describeFault, type OnStop } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'
import { settledCharge } from './settled-charge.ts'

/** Milliseconds; in production 5 s, 600 s, 60 s and 900 s. */
const clocks = { connect: 300, firstByte: 2_000, idle: 1_000, total: 5_000 }
/** Maximum delay of undici's connection timeout, each time. */
const connectTickMs = 1_000
/** Waits between three attempts: at most 250 and 500 ms. */
const waitsMs = 750
/** Tolerance for a busy machine. */
const slackMs = 600

describeFault(
  {
    id: 'F14',
    title: 'a provider is silent at each phase of a call',
    promise: 'four independent timeouts: connect (502), first byte (408), idle and total (an error frame); no charge',
    fleet: async (onStop) => withSilentProvider(onStop),
  },
  (fault) => {
    it('answers 502 after three attempts to connect', async () => {
      const answer = await fault.ask({ model: 'silent/chat' })
      fault.note('connect (300 ms × 3 tries), ms', Math.round(answer.ms))
      expect(answer.status).toBe(502)
      expectBetween(answer.ms, 3 * clocks.connect, 3 * (clocks.connect + connectTickMs) + waitsMs)
      expect(await settledCharge(fault.fleet, answer.requestId)).toBe(0n)
    })

    it.each([false, true])('answers 408 without a first byte, and does not retry (stream: %s)', async (stream) => {
      const answer = await fault.ask({ model: 'sim/slow-9000', stream })
      fault.note('first byte (2000 ms), ms', Math.round(answer.ms))
      expect(answer.status).toBe(408)
      expect(JSON.parse(answer.text).error).toMatchObject({ code: 'request_timeout' })
      expectBetween(answer.ms, clocks.firstByte)
      expect(await callsOf('sim/slow-9000')).toBe(stream ? 2 : 1)
      expect(await settledCharge(fault.fleet, answer.requestId)).toBe(0n)
    })

    it('ends a stream without further chunks by one error frame and a broken connection', async () => {
      const answer = await fault.ask({ model: 'sim/stall-900', stream: true })
      fault.note('idle (1000 ms), ms', Math.round(answer.ms))
      await expectBrokenOff(answer, clocks.idle)
      expect(await callsOf('sim/stall-900')).toBe(1)
    })

    it('ends a stream that exceeds the total timeout, even if it is active', async () => {
      const answer = await fault.ask({ model: 'sim/pace-50', stream: true, body: { max_tokens: 500 } })
      fault.note('total (5000 ms), ms', Math.round(answer.ms))
      await expectBrokenOff(answer, clocks.total)
    })

    it('does not end an active stream that is longer than all timeouts except the total', async () => {
      const answer = await fault.ask({ model: 'sim/pace-100', stream: true, body: { max_tokens: 35 } })
      expect(answer).toMatchObject({ status: 200, whole: true })
      expect(answer.ms).toBeGreaterThan(clocks.idle + clocks.firstByte)
      expect(await settledCharge(fault.fleet, answer.requestId)).toBeGreaterThan(0n)
    })

    async function expectBrokenOff(answer: Asked, afterMs: number) {
      expect(answer).toMatchObject({ status: 200, whole: false, failure: expect.any(String) })
      expect(answer.text.match(/data: \{"error":\{/g)).toHaveLength(1)
      expect(answer.text).toContain('"code":"request_timeout"')
      expect(answer.text).not.toContain('[DONE]')
      expectBetween(answer.ms, afterMs)
      expect(await settledCharge(fault.fleet, answer.requestId)).toBe(0n)
    }

    async function callsOf(model: string): Promise<number> {
      return (await fault.fleet.provider.report({ model })).requests.length
    }
  },
)

function expectBetween(ms: number, from: number, to = from): void {
  expect(ms).toBeGreaterThan(from - 20)
  expect(ms).toBeLessThan(to + slackMs)
}

/** `silent/chat` accepts connections and never starts TLS. */
async function withSilentProvider(onStop: OnStop): Promise<FleetOptions> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onStop(async () => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  const base_url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const catalog = await mountedCatalog({ providers: [{ id: 'silent', base_url }], models: [{ id: 'silent/chat' }] })
  onStop(catalog.remove)
  return {
    env: {
      CATALOG_DIR: catalog.folder,
      UPSTREAM_CONNECT_TIMEOUT_MS: String(clocks.connect),
      UPSTREAM_FIRST_BYTE_TIMEOUT_MS: String(clocks.firstByte),
      UPSTREAM_IDLE_TIMEOUT_MS: String(clocks.idle),
      UPSTREAM_TOTAL_TIMEOUT_MS: String(clocks.total),
    },
  }
}
