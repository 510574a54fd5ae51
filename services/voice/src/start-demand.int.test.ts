import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { eventually } from '@ratchet/testing/eventually'
import { createTestCall } from './calls/call-system.fixture.ts'
import { startDemand } from './start-demand.ts'
import { type TestVoiceApp, voiceApp } from './voice-app.fixture.ts'

let app: TestVoiceApp
beforeAll(async () => {
  app = await voiceApp()
  await app.operator.query(
    "INSERT INTO voice_worker (id, seen_at, calls, max_calls) VALUES ('w', now() + interval '1 hour', 0, 9)",
  )
})
afterAll(() => app.drop())

it('counts calls that need a worker, and says nothing once its figure is old', async () => {
  const { registry } = createProcessMetrics('voice')
  let nowMs = 0
  const errors: unknown[] = []
  const stops: (() => unknown)[] = []
  const [first] = [await createTestCall(app), await createTestCall(app)]
  startDemand({
    pool: app.pool,
    metrics: { registry },
    nowMs: () => nowMs,
    onStop: (stop) => void stops.push(stop),
    onError: (error) => void errors.push(error),
    everyMs: 50,
  })
  const shown = async () =>
    /^ratchet_voice_calls_live(?:\{[^}]*\})? (\d+)$/m.exec(await registry.metrics())?.[1] ?? null
  await eventually(async () => expect(await shown()).toBe('2'))
  await app.send('post', `/v1/calls/${first.call.id}/stop`)
  await eventually(async () => expect(await shown()).toBe('1'))
  for (const stop of stops) await stop()
  nowMs = 60_001
  expect(await shown()).toBeNull()
  expect(errors).toEqual([])
})
