import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { reportAliasTraffic } from '@ratchet/contracts/internal-alias'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { requireIdentity } from '@ratchet/service-kit/identity/require-identity'
import { createDrain } from '@ratchet/service-kit/process/drain'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import { silentLogger } from '@ratchet/testing/silent-logger'
import type { InferenceConfig } from './config.ts'
import type { InferenceEvents } from './events.ts'
import type { AliasTrafficEvent } from './routing/arm-recorder.ts'
import type { TrafficReport } from './routing/report-traffic.ts'
import { startAliasTraffic } from './start-alias-traffic.ts'
import type { ChosenArm } from './workspace-settings/alias-route.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const arm: ChosenArm = { id: '00000000-0000-7000-8000-0000000000d1', name: 'bot', epoch: 1, arm: 'canary' }
const now = () => new Date()

let service: Server
let proxy: ChaosProxy
const taken: TrafficReport[] = []
const open: { stop(): Promise<void> }[] = []

/** Stands for the alias service. */
function aliasService() {
  return createHttpApp({
    requestId: () => uuidV7(Date.now()),
    logger: silentLogger,
    metrics: createProcessMetrics('test'),
    health: { drain: createDrain(), checks: {}, now },
    serveMetrics: false,
    routes: (router) => {
      router.use(requireIdentity({ audience: 'alias', keys: [key], now, logger: silentLogger }))
      mountJson(router, reportAliasTraffic, async ({ body, identity }) => {
        expect(identity).toEqual(fleetIdentity)
        taken.push(body)
        return { reply: { counted: true } }
      })
    },
  })
}

beforeEach(async () => {
  taken.length = 0
  service = createServer(aliasService()).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const { port } = service.address() as AddressInfo
  proxy = await startChaosProxy({ targetHost: '127.0.0.1', targetPort: port })
})
afterEach(async () => {
  for (const { stop } of open.splice(0)) await stop()
  await proxy.stop()
  service.close()
})

/** The counts of one process. */
function startProcess() {
  const stops: Stop[] = []
  const events: AliasTrafficEvent['kind'][] = []
  const arms = startAliasTraffic({
    config: {
      ALIAS_URL: `http://127.0.0.1:${proxy.port}`,
      ALIAS_KEYS: [keyOfCaller(key, 'inference')],
    } as unknown as InferenceConfig,
    lifecycle: { onStop: (stop) => stops.push(stop), hurry: new AbortController().signal },
    events: { aliasTraffic: ({ kind }: AliasTrafficEvent) => events.push(kind) } as unknown as InferenceEvents,
    now,
    reporter: randomUUID(),
  })
  const process = { arms, events, stop: () => runStops(stops, silentLogger) }
  open.push(process)
  return process
}

/** Counts each report once, because an answer may have been lost. */
function assignedOnce(): number {
  const distinct = new Map(taken.map(({ sequence, arms }) => [sequence, arms]))
  return [...distinct.values()].flat().reduce((sum, { assigned }) => sum + assigned, 0)
}

it('sends the counts to the alias service with a signed identity, and after an outage those of the outage', async () => {
  const { arms, events } = startProcess()
  arms.assigned(arm)
  await eventually(() => expect(taken).toMatchObject([{ sequence: 1, arms: [{ arm: 'canary', assigned: 1 }] }]))
  await proxy.refuse()
  arms.assigned(arm)
  await eventually(() => expect(events).toContain('unavailable'))
  arms.assigned(arm)
  await proxy.restore()
  await eventually(() => expect(assignedOnce()).toBe(3))
  expect(new Set(taken.map(({ reporter }) => reporter)).size).toBe(1)
})

it('sends the last counts when the process ends, and does not hang when the service does not answer', async () => {
  const { arms, stop } = startProcess()
  arms.assigned(arm)
  await stop()
  expect(taken).toMatchObject([{ sequence: 1 }])
  const other = startProcess()
  proxy.freeze()
  other.arms.assigned(arm)
  const startedAt = performance.now()
  await other.stop()
  expect(performance.now() - startedAt).toBeLessThan(3_500)
  expect(other.events).toContain('lost')
})
