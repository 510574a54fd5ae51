import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { connectWebCaller } from '@ratchet/testing/web-caller'
import { ledgerAtRest } from './ledger-oracle.ts'
import { startVoiceFleet, type VoiceFleet } from './voice/voice-fleet.ts'

let voice: VoiceFleet
/** Stands for what leads callers to a worker that runs. */
let media: ChaosProxy
let mediaOrigin: string

beforeAll(async () => {
  voice = await startVoiceFleet()
  media = await startChaosProxy({ targetPort: Number(new URL(voice.worker.url).port) })
  const port = String(await anyFreePort())
  const behind = { VOICE_URL: voice.voice.url, VOICE_MEDIA_URL: `http://127.0.0.1:${media.port}` }
  await voice.fleet.add('edge', { VOICE_PORT: port, ...behind })
  mediaOrigin = `ws://127.0.0.1:${port}`
}, 300_000)
afterAll(async () => {
  await media?.stop()
  await voice?.stop()
}, 60_000)

it('goes on through the edge at another worker within three seconds, in the same trace, and is paid right', async () => {
  const { ask, fleet, worker, workspace } = voice
  const before = (await ledgerAtRest(fleet, workspace)).balance
  const first_message = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ')
  const created = await ask('POST', '/calls/create', { agent_id: await voice.newAgent({ first_message }), type: 'web' })
  const { id, client_token: token } = created.body
  const url = `${mediaOrigin}/media/${id}`
  const caller = connectWebCaller(url, token)
  await eventually(() => caller.ear.length > 6)
  const another = await voice.addWorker()
  media.aim(Number(new URL(another.url).port))
  worker.signal('SIGKILL')
  const { atMs: lostMs } = await caller.closed
  const again = connectWebCaller(url, caller.resumeToken, caller.ear, caller.lastPlayed)
  await eventually(() => again.heardAtMs > 0)
  expect(again.heardAtMs - lostMs).toBeLessThan(3_000)
  await eventually(() => again.ear.join(' ').endsWith('Sorry, the line cut out.'))
  again.hangUp()
  await again.closed
  const call = await eventually(
    async () => {
      const { body } = await ask('GET', `/calls/${id}`)
      return body.cost?.settled === true ? body : null
    },
    { withinMs: 150_000, everyMs: 500 },
  )
  expect(call).toMatchObject({ ended_reason: 'caller_hangup', worker_generations: 2, trace_id: id })
  const said = call.transcript.map(({ text }: { text: string }) => text)
  expect(said.join(' ').split(' ')).toEqual(again.ear)
  const after = await ledgerAtRest(fleet, workspace)
  expect(Number(before - after.balance) / 1e9).toBeCloseTo(call.cost.total_usd, 8)
}, 240_000)
