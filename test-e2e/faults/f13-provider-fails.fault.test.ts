import { once } from 'node:events'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import type { FleetOptions } from '../fleet.ts'
import { loopbackCertificate } from '../loopback-certificate.ts'
import { mountedCatalog } from '../mounted-catalog.ts'
import { describeFault, type OnStop } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'
import { settledCharge } from './settled-charge.ts'

/** Maximum calls of one model for one request. */
const maxAttempts = 3
/** Two waits of at most 250 and 500 ms, and the time of a busy machine. */
const withoutPromptMs = 5_000

const failures: readonly (readonly [what: string, model: string])[] = [
  ['says 500', 'sim/fail-500'],
  ['says 503', 'sim/fail-503'],
  ['says 429', 'sim/fail-429'],
  ['hangs up without a byte', 'sim/hangup'],
  ['refuses the connection', 'refusing/chat'],
  ['has a name that resolves to nothing', 'nameless/chat'],
  ['has a certificate of an unknown authority', 'untrusted/chat'],
  ['speaks no TLS where it should', 'toneless/chat'],
]

describeFault(
  {
    id: 'F13',
    title: 'a provider fails before its first byte',
    promise: `at most ${maxAttempts} calls, then the fallback, then 502 with the request id; no charge, the hold released`,
    fleet: withFailingProviders,
  },
  (fault) => {
    it.each(failures)('causes a 502 when it %s', async (_what, model) => {
      for (const stream of [false, true]) {
        const answer = await fault.ask({ model, stream })
        const attempts = attemptsOf(answer)
        most.attempts = Math.max(attempts, most.attempts)
        most.ms = Math.max(Math.round(answer.ms), most.ms)
        fault.note('attempts, at most', most.attempts)
        fault.note('ms to the 502, at most', most.ms)
        expect(answer.status).toBe(502)
        const { error } = JSON.parse(answer.text)
        expect(error).toMatchObject({ type: 'upstream_error', request_id: answer.requestId })
        expect(error.message).toContain(answer.requestId)
        expect(attempts).toBeGreaterThan(1)
        expect(attempts).toBeLessThanOrEqual(maxAttempts)
        expect(answer.ms).toBeLessThan(withoutPromptMs)
        expect(await settledCharge(fault.fleet, answer.requestId)).toBe(0n)
      }
    })

    it.each(failures)('is replaced by the next model when it %s', async (_what, model) => {
      for (const stream of [false, true]) {
        const answer = await fault.ask({ model, stream, body: { models: ['sim/small'] } })
        expect(answer).toMatchObject({ status: 200, whole: true })
        expect(answer.headers.get('x-svc-served-model')).toBe('sim/small')
        expect(answer.headers.get('x-svc-fallback-from')).toBe(model)
      }
    })

    it('calls the provider as often as the metrics count', async () => {
      const { requests } = await fault.fleet.provider.report({ model: 'sim/fail-503' })
      const perRequest = Map.groupBy(requests, ({ headers }) => headers['x-client-request-id'])
      expect(perRequest.size).toBe(4)
      for (const calls of perRequest.values()) expect(calls.length).toBeLessThanOrEqual(maxAttempts)
    })

    const most = { attempts: 0, ms: 0 }

    /** The first call, and the retries in the log. */
    function attemptsOf({ requestId }: Asked): number {
      const lines = fault.fleet.inference.log.filter((line) => line.includes('"event":"provider_retry"'))
      return 1 + lines.filter((line) => line.includes(`"requestId":"${requestId}"`)).length
    }
  },
)

async function withFailingProviders(onStop: OnStop): Promise<FleetOptions> {
  const untrusted = createServer(loopbackCertificate, (_request, response) => response.end('{}'))
  untrusted.listen(0, '127.0.0.1')
  await once(untrusted, 'listening')
  onStop(async () => void untrusted.close().closeAllConnections())
  const toneless = createPlainServer()
  toneless.listen(0, '127.0.0.1')
  await once(toneless, 'listening')
  onStop(async () => void toneless.close().closeAllConnections())
  const places = {
    refusing: `http://127.0.0.1:${await anyFreePort()}/v1`,
    nameless: 'http://nobody.invalid/v1',
    untrusted: `https://127.0.0.1:${(untrusted.address() as AddressInfo).port}/v1`,
    toneless: `https://127.0.0.1:${(toneless.address() as AddressInfo).port}/v1`,
  }
  const catalog = await mountedCatalog({
    providers: Object.entries(places).map(([id, base_url]) => ({ id, base_url })),
    models: Object.keys(places).map((id) => ({ id: `${id}/chat` })),
  })
  onStop(catalog.remove)
  return { env: { CATALOG_DIR: catalog.folder, UPSTREAM_CONNECT_TIMEOUT_MS: '1000' } }
}
