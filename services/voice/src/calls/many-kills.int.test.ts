import { once } from 'node:events'
import { eventually } from '@ratchet/testing/eventually'
import type { WebCaller } from '@ratchet/testing/web-caller'
import { seededRandom } from '../engine/seeded-random.fixture.ts'
import { type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { createTestCall, joinCall } from './call-system.fixture.ts'
import { rejoin, type WorkerProcess, workerProcesses } from './worker-processes.fixture.ts'

const calls = 12
const kills = 4

let app: TestVoiceApp
const processes = workerProcesses(() => app.databaseUrl)
beforeAll(async () => {
  app = await voiceApp()
})
afterAll(async () => {
  processes.killAll()
  await app.drop()
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref())
const agent = { first_message: Array.from({ length: 200 }, (_, i) => `word${i}`).join(' ') }

/** A caller who comes back until the test is over. */
async function stay(call: { id: string; client_token: string }, workers: WorkerProcess[], isOver: () => boolean) {
  let losses = 0
  let caller: WebCaller = joinCall(call, workers[0]!)
  for (;;) {
    const closed = await Promise.race([caller.closed, eventually(isOver, { withinMs: 120_000 }).then(() => null)])
    if (closed === null) break
    losses += 1
    caller = await rejoin(caller, call.id, workers)
    caller.speak('Go on.')
  }
  caller.hangUp()
  await caller.closed
  return { ear: caller.ear, losses }
}

it('has exactly one transcript of each call, of what was heard, whatever workers are killed', async () => {
  const random = seededRandom(7)
  const workers = [await processes.start(), await processes.start()]
  let isOver = false
  const running = Array.from({ length: calls }, async () => {
    const by = crypto.randomUUID()
    const { call } = await createTestCall(app, { by, agent })
    const { ear, losses } = await stay(call, workers, () => isOver)
    const { body } = await app.send('get', `/v1/calls/${call.id}`, { by })
    return { ear, losses, body }
  })
  for (let kill = 0; kill < kills; kill++) {
    await pause(3_000 + 2_000 * random())
    const [killed] = workers
    const next = await processes.start()
    workers.splice(0, 2, workers[1]!, next)
    killed?.process.kill('SIGKILL')
  }
  await pause(3_000)
  isOver = true
  for (const { ear, losses, body } of await Promise.all(running)) {
    expect(body).toMatchObject({ status: 'completed', ended_reason: 'caller_hangup' })
    expect(body.worker_generations).toBe(losses + 1)
    const written = body.transcript
      .filter(({ role }: { role: string }) => role === 'agent')
      .flatMap(({ text }: { text: string }) => text.split(' '))
    // Every written word was heard, in order. Of what was heard, one word for each death may be missing.
    let at = 0
    for (const word of written) {
      while (at < ear.length && ear[at] !== word) at++
      if (at === ear.length)
        throw new Error(`${word} was not heard. Written: ${written.join(' ')}. Heard: ${ear.join(' ')}`)
      at++
    }
    expect(ear.length - written.length).toBeLessThanOrEqual(losses)
  }
}, 150_000)

it('hands forty calls over when a worker stops, and loses none', async () => {
  const [first, second] = [await processes.start(), await processes.start()]
  const callers = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const { call } = await createTestCall(app, { by: crypto.randomUUID(), agent })
      return { call, caller: joinCall(call, first) }
    }),
  )
  await eventually(() => callers.every(({ caller }) => caller.ear.length > 3))
  const exited = once(first.process, 'exit')
  first.process.kill('SIGTERM')
  const again = await Promise.all(
    callers.map(async ({ call, caller }) => {
      const { code } = await caller.closed
      return { code, caller: await rejoin(caller, call.id, [second]) }
    }),
  )
  expect(new Set(again.map(({ code }) => code))).toEqual(new Set([1_012]))
  await eventually(() => again.every(({ caller }) => caller.ear.join(' ').includes('the line cut out.')))
  expect(await exited).toEqual([0, null])
  for (const { caller } of again) caller.hangUp()
  await Promise.all(again.map(({ caller }) => caller.closed))
  const { rows } = await app.operator.query(
    `SELECT count(*)::int AS count FROM call WHERE status = 'completed' AND generation = 2`,
  )
  expect(rows[0].count).toBeGreaterThanOrEqual(40)
}, 90_000)
