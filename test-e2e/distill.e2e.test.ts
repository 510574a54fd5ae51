import { eventually } from '@ratchet/testing/eventually'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, createJudge, type Json } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'

/* Datasets of a teacher's answers, on a fleet. The teacher answers half of the questions right. */

let fleet: Fleet
let api: Api

beforeAll(async () => {
  fleet = await startFleet({ judges: true, training: true })
  api = apiOf(fleet, fleet.workspace)
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

async function upload(count: number): Promise<string> {
  const examples = Array.from({ length: count }, (_, index) => ({
    messages: [
      { role: 'user', content: `Why does item ${index} of the list matter?` },
      { role: 'assistant', content: `Item ${index} matters to people.` },
    ],
  }))
  return (await api('POST', '/datasets', { name: 'prompts', examples })).json.dataset.id
}

it('asks a teacher once for each answer, keeps what the judge passes, and charges what it shows', async () => {
  const judge = await createJudge(api, 'sim/judge-0.98-0.98')
  const body = {
    name: 'Distilled',
    teacher_model: 'sim/quality-0.5',
    dataset_id: await upload(20),
    samples_per_prompt: 2,
    criterion_id: judge.id,
    max_cost_usd: 1,
  }
  const started = await api('POST', '/datasets/distill', body)
  expect([started.status, started.json.status]).toEqual([202, 'building'])
  const { id } = started.json
  const done: Json = await eventually(
    async () => {
      const { json } = await api('GET', `/datasets/${id}`)
      expect(json.status).toBe('ready')
      return json as Json
    },
    { withinMs: 60_000 },
  )
  const { samples, answered, judged, passed, cost_usd: cost } = done.progress
  expect([samples, answered, judged]).toEqual([40, 40, 40])
  expect(passed).toBeGreaterThan(5)
  expect(passed).toBeLessThan(35)
  expect(cost).toBeGreaterThan(0)
  expect(done.example_count).toBeLessThanOrEqual(passed)
  expect(done.example_count).toBeGreaterThan(0)
  const { json: examples } = await api('GET', `/datasets/${id}/examples`)
  expect(JSON.stringify(examples)).not.toContain('matters to people')
  expect(done.sha256).toMatch(/^[0-9a-f]{64}$/)
  await ledgerAtRest(fleet, fleet.workspace)
}, 180_000)
