import { ioFor, runEvalCommand } from '../api/run-against.fixture.ts'
import { type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'
import { estimateWith } from './evals.fixture.ts'

let api: ScriptedApi
beforeEach(async () => {
  api = await startScriptedApi()
  api.answers('POST /v1/evals/estimate', { body: estimateWith() })
})
afterEach(() => api.stop())

const pair = ['--baseline', 'sim/large', '--candidate', 'sim/small']

it('shows what the eval and its question take, and sends what is expected', async () => {
  const expected = ['--expect-win-rate', '0.5', '--expect-tie-rate', '0.8']
  const asked = ['--question', 'not_worse', '--margin', '0.03']
  const { code, out } = await runEvalCommand(ioFor(api), ['plan', ...pair, ...asked, ...expected])

  expect(code).toBe(0)
  expect(api.seen[0]?.body).toMatchObject({
    question: 'not_worse',
    margin: 0.03,
    expected: { win_rate: 0.5, tie_rate: 0.8 },
  })
  expect(out).toMatch(/^samples +100 \(not enough\) +1745$/m)
  expect(out).toMatch(/^samples, stopping when conclusive +- +no number proves it$/m)
  expect(out).toMatch(/^minutes +1\.3 +unknown$/m)
})

it('prints the answer of the API as JSON', async () => {
  const { out } = await runEvalCommand(ioFor(api), ['plan', ...pair, '--json'])
  expect(JSON.parse(out)).toEqual(estimateWith())
})

it('refuses a rate outside of 0 to 1', async () => {
  const { code } = await runEvalCommand(ioFor(api), ['plan', ...pair, '--expect-win-rate', '2'])
  expect([code, api.seen]).toEqual([1, []])
})
