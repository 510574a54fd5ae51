import { eventually } from '@ratchet/testing/eventually'
import type { WebCaller } from '@ratchet/testing/web-caller'
import { seededRandom } from '../engine/seeded-random.fixture.ts'
import { type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { createTestCall, joinCall, startTestWorker, type TestWorker } from './call-system.fixture.ts'
import { testWriters } from './test-writers.fixture.ts'

const callers = 20
const perCaller = 10

let app: TestVoiceApp
let worker: TestWorker
beforeAll(async () => {
  app = await voiceApp()
  // A sentence of eight seconds, different for every turn.
  const writers = testWriters((turns) =>
    Array.from({ length: 24 }, (_, i) => `t${turns.length}w${i}${i % 7 === 6 ? ',' : ''}`).join(' '),
  )
  worker = await startTestWorker({ databaseUrl: app.databaseUrl, money: app.money.money, writers })
})
afterAll(async () => {
  await worker.stop()
  await app.drop()
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref())

async function talk(caller: WebCaller, random: () => number): Promise<void> {
  for (let i = 0; i < perCaller; i++) {
    const heard = caller.ear.length
    caller.speak('Stop and listen to me.')
    // The next answer is under way.
    await eventually(() => caller.ear.length > heard + 1 && caller.mouthMs === 0 && caller.isListening)
    await pause(3_000 * random())
  }
  caller.hangUp()
  await caller.closed
}

it('writes exactly the words that callers heard, at two hundred interruptions on WebSockets', async () => {
  let interruptions = 0
  let cutWords = 0
  await Promise.all(
    Array.from({ length: callers }, async (_, seed) => {
      const by = crypto.randomUUID()
      const agent = { first_message: 'one two three four five six seven eight nine ten eleven twelve.' }
      const { call } = await createTestCall(app, { agent: { ...agent, interruption_sensitivity: 1 }, by })
      const caller = joinCall(call, worker)
      await eventually(() => caller.ear.length > 2)
      await talk(caller, seededRandom(seed + 1))
      const { body } = await app.send('get', `/v1/calls/${call.id}`, { by })
      const agentTurns = body.transcript.filter(({ role }: { role: string }) => role === 'agent')
      const { cut, interrupted } = compare(seed, caller.ear, agentTurns)
      interruptions += interrupted
      cutWords += cut
    }),
  )
  expect(worker.errors).toEqual([])
  expect(interruptions).toBeGreaterThanOrEqual(callers * (perCaller - 1))
  // A word whose last 20 ms were cut is read by the ear, and is not written.
  expect(cutWords).toBeLessThan(interruptions / 10)
}, 240_000)

function compare(
  seed: number,
  ear: readonly string[],
  turns: readonly { readonly text: string; readonly interrupted: boolean }[],
): { readonly cut: number; readonly interrupted: number } {
  let at = 0
  let cut = 0
  for (const [i, { text, interrupted }] of turns.entries()) {
    for (const word of text.split(' ')) {
      if (ear[at] !== word) throw new Error(`Call ${seed}: heard ${ear[at]}, written ${word} of: ${text}`)
      at++
    }
    const following = turns[i + 1]?.text.split(' ')[0]
    if (interrupted && ear[at] !== undefined && ear[at] !== following) {
      cut++
      at++
    }
  }
  if (at !== ear.length) throw new Error(`Call ${seed}: ${ear.slice(at).join(' ')} was heard and not written`)
  return { cut, interrupted: turns.filter(({ interrupted }) => interrupted).length }
}
