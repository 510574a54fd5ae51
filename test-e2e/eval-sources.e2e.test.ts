import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { agentRun, agentTools, importRuns } from './agent-runs.ts'
import { postChat } from './clients.ts'
import {
  type Api,
  apiOf,
  calibrate,
  createJudge,
  gradeTruly,
  type Json,
  sendTraffic,
  untilOver,
} from './judged-traffic.ts'
import { type LedgerState, readLedger } from './ledger-oracle.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet

beforeAll(async () => {
  fleet = await shareFleet()
}, 300_000)

interface Place {
  readonly workspace: DemoWorkspace
  readonly api: Api
}

async function newPlace(): Promise<Place> {
  const workspace = await workspaceWith(fleet, { loggingEnabled: true })
  return { workspace, api: apiOf(fleet, workspace) }
}

const basics = {
  name: 'Which one',
  rubric: 'The answer is right.',
  baseline_model: 'sim/quality-1',
  candidate_models: ['sim/quality-0'],
  judge_model: 'sim/judge-1-1',
  sample_count: 20,
}

interface Evaluated {
  /** The eval after its end. */
  readonly done: Json
  readonly samples: readonly Json[]
  /** The ledger before and after. */
  readonly ledgerState: readonly [LedgerState, LedgerState]
}

async function evaluate({ api, workspace: { workspaceId } }: Place, more: object): Promise<Evaluated> {
  const before = await readLedger(fleet.databaseUrl, workspaceId)
  const { status, json, text } = await api('POST', '/evals', { ...basics, ...more })
  if (status !== 200) throw new Error(`${status}: ${text}`)
  const done = await untilOver(api, `/evals/${json.id}`)
  expect(done).toMatchObject({ status: 'DONE', error: null })
  const { json: page } = await api('GET', `/evals/${json.id}/samples?limit=200`)
  expect(page.total).toBe(done.report.samples_total)
  return { done, samples: page.data, ledgerState: [before, await readLedger(fleet.databaseUrl, workspaceId)] }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const nanoOf = (usd: number) => BigInt(Math.round(usd * 1e6)) * 1_000n

/** Logs chats, each with a different answer. */
async function log({ workspace, api }: Place, chats: readonly Json[]): Promise<void> {
  const before = (await api('GET', '/logs?content=none&limit=1')).json.total
  await Promise.all(
    chats.map(async ({ tag, ...call }) => {
      const headers = { 'x-svc-tag': tag ?? 'chats' }
      const answer = await postChat(fleet, { ...call, headers, apiKey: workspace.apiKey })
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`)
      await answer.text()
    }),
  )
  const isLogged = async () => (await api('GET', '/logs?content=none&limit=1')).json.total === before + chats.length
  await eventually(isLogged, { withinMs: 45_000, everyMs: 100 })
}

const questions = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ model: 'sim/quality-1', content: `Where does river ${n} end?`, ...more }))

/** Width of the 95 % interval of a win rate that accounts for ties, but not for clusters. */
function independentWidth({ wins, ties, losses }: Json): number {
  const n = wins + ties + losses
  const rate = (wins + ties / 2) / n
  const variance = (wins * (1 - rate) ** 2 + ties * (0.5 - rate) ** 2 + losses * rate ** 2) / n
  const [size, z] = [variance === 0 ? n : (n * rate * (1 - rate)) / variance, 1.959964]
  return (2 * z * Math.sqrt((rate * (1 - rate)) / size + z ** 2 / (4 * size ** 2))) / (1 + z ** 2 / size)
}

const widthOf = ({ win_rate_ci: [low, high] }: Json) => high - low

describe('agent runs', () => {
  const candidates = ['sim/tools', 'sim/large'] as const
  const tag = 'agents'
  // All steps of a run are flawed or none is, so that verdicts on them are correlated.
  const runs = Array.from({ length: 20 }, (_, number) =>
    agentRun({ number, steps: 2 + (number % 3), tag, isFlawed: number % 2 === 0 }),
  )
  const order = {
    baseline_model: 'logged',
    candidate_models: candidates,
    sample_count: 40,
    sample_filters: { trace_replay: true, tag },
    assertions: [
      { type: 'tool_called', value: 'search' },
      { type: 'no_tool_call' },
      { type: 'args_match', value: 'search', args: { language: 'en' } },
    ],
  }
  let place: Place
  let found: Evaluated

  beforeAll(async () => {
    place = await newPlace()
    await importRuns(place.api, [
      ...runs,
      agentRun({ number: 100, steps: 2, tag, finishReason: 'tool_calls' }),
      agentRun({ number: 101, steps: 2, tag, finishReason: 'length' }),
      agentRun({ number: 102, steps: 2, tag, minutesAgo: 5 }),
      agentRun({ number: 103, steps: 2, tag: 'others' }),
    ])
    found = await evaluate(place, order)
  }, 300_000)

  const stepsOf = (traceId: string) => runs.find((run) => run.traceId === traceId)?.steps ?? []

  it('are drawn completely, only completed ones, and each step contains the recorded messages before it', () => {
    const { done, samples } = found
    const drawn = Map.groupBy(samples, ({ trace_id: traceId }) => traceId)
    expect(samples.length).toBeGreaterThan(36)
    expect(samples.length).toBeLessThanOrEqual(40)
    expect(done.progress).toEqual({ done: samples.length, total: samples.length })
    for (const [traceId, steps] of drawn) {
      expect(steps.map(({ step_index: index, prompt }) => [index, prompt])).toEqual(
        stepsOf(traceId).map(({ messages }, index) => [index, { messages, tools: agentTools }]),
      )
    }
  })

  it('use the recorded answers for the baseline, without cost', () => {
    const { done, samples, ledgerState } = found
    for (const { trace_id: traceId, step_index: index, baseline, candidates: answers } of samples) {
      const { response, latency_ms, cost_usd } = stepsOf(traceId)[index]
      expect(baseline).toMatchObject({ model: 'logged', error: null, latency_ms, cost_usd })
      expect(baseline.tool_calls).toEqual(response.tool_calls ?? null)
      const [made] = response.tool_calls ?? []
      expect(baseline.text).toBe(
        made ? `[tool call] ${made.function.name}(${made.function.arguments})` : response.content,
      )
      const [called] = answers['sim/tools'].tool_calls ?? []
      const isFirst = index === 0
      expect(called?.function.name).toBe(isFirst ? 'search' : undefined)
      if (isFirst) expect(answers['sim/tools'].text).toBe(`[tool call] search(${called.function.arguments})`)
    }
    const answered = samples.flatMap(({ candidates: answers }) => candidates.map((model) => answers[model].cost_usd))
    expect(done.cost_usd).toBeCloseTo(sum(answered), 9)
    const [before, after] = ledgerState
    expect(before.balance - after.balance).toBe(nanoOf(done.cost_usd) + nanoOf(done.judge_cost_usd))
    expect(after).toMatchObject({ held: 0n, violations: [] })
  })

  it.each(candidates)('are counted, and clean without a lost step: %s', (candidate) => {
    const { done, samples } = found
    const runsDrawn = [...Map.groupBy(samples, ({ trace_id: traceId }) => traceId).values()]
    const outcomes = runsDrawn.map((steps) => steps.map((step) => step.outcomes[candidate]))
    const { runs_total: total, runs_clean: clean, ...figures } = done.report.candidates[candidate]
    expect([total, clean]).toEqual([outcomes.length, outcomes.filter((each) => !each.includes('loss')).length])
    expect(clean).toBeGreaterThan(0)
    expect(clean).toBeLessThan(total)
    expect(figures.wins + figures.ties + figures.losses).toBe(samples.length)
    expect(widthOf(figures)).toBeGreaterThan(1.1 * independentWidth(figures))
  })

  it('have results of assertions by model, which the gate checks', async () => {
    const { done, samples } = found
    const models = [
      ['logged', done.report.baseline, (sample: Json) => sample.baseline] as const,
      ...candidates.map(
        (model) => [model, done.report.candidates[model], (sample: Json) => sample.candidates[model]] as const,
      ),
    ]
    const total = samples.length
    for (const [model, { assertions }, answerOf] of models) {
      const calls = samples.map((sample) => (answerOf(sample).tool_calls ?? []).map((each: Json) => each.function))
      const searched = calls.filter((made) => made.some(({ name }: Json) => name === 'search')).length
      const silent = calls.filter((made) => made.length === 0).length
      expect(assertions).toEqual({
        'tool_called:search': { passed: searched, total, pass_rate: searched / total },
        no_tool_call: { passed: silent, total, pass_rate: silent / total },
        'args_match:search': { passed: searched, total, pass_rate: searched / total },
      })
      expect(samples.filter((sample) => sample.assertions[model].no_tool_call)).toHaveLength(silent)
    }
    const runsDrawn = new Set(samples.map(({ trace_id: traceId }) => traceId)).size
    expect(done.report.candidates['sim/tools'].assertions['tool_called:search'].passed).toBe(runsDrawn)
    const gate = (candidate: string, rate: number) =>
      place.api(
        'GET',
        `/evals/${done.id}/gate?candidate=${candidate}&min_assertion_pass_rate=${rate}&require_conclusive=false`,
      )
    const worst = Math.min(runsDrawn / total, 1 - runsDrawn / total)
    expect(await gate('sim/tools', worst)).toMatchObject({ status: 200, json: { checks: [{ observed: worst }] } })
    expect((await gate('sim/tools', worst + 0.01)).status).toBe(412)
    expect((await gate('sim/large', 0.01)).json.error.details.checks).toMatchObject([{ observed: 0, passed: false }])
  })
})

it('uses the examples of a dataset, each prompt once, with the last turn as reference', async () => {
  const place = await newPlace()
  const example = (n: number, last: string) => ({
    messages: [
      { role: 'user', content: `What is peak ${n}?` },
      { role: 'assistant', content: 'Which one do you mean?' },
      { role: 'user', content: 'The northern one.' },
      { role: 'assistant', content: last },
    ],
  })
  const examples = Array.from({ length: 12 }, (_, n) => example(n, `Peak ${n} is a mountain.`))
  const duplicates = [...examples.slice(0, 4), ...Array.from({ length: 4 }, (_, n) => example(n + 4, 'A hill.'))]
  const made = await place.api('POST', '/datasets', { name: 'peaks', examples: [...examples, ...duplicates] })
  const [baseline, candidate] = ['sim/quality-0.95', 'sim/quality-0.05']
  const body = {
    baseline_model: baseline,
    candidate_models: [candidate],
    sample_filters: { dataset_id: made.json.dataset.id },
    judging_mode: 'match_reference',
    reference: 'dataset',
    params: { temperature: 0.25, max_tokens: 9 },
  }
  const estimate = await place.api('POST', '/evals/estimate', { ...basics, ...body })
  expect(estimate.json).toMatchObject({ eligible_prompts: made.json.dataset.example_count, distinct_prompts: 12 })
  const { done, samples } = await evaluate(place, body)
  expect(done).toMatchObject({ judging_mode: 'match_reference', reference: 'dataset', progress: { total: 12 } })
  const asked = new Set(samples.map(({ prompt }) => JSON.stringify(prompt.messages)))
  expect(asked).toEqual(new Set(examples.map(({ messages }) => JSON.stringify(messages.slice(0, -1)))))
  for (const { prompt, reference, log_id, baseline: answer } of samples) {
    const own = [...examples, ...duplicates].filter(
      ({ messages: [first] }) => first?.content === prompt.messages[0].content,
    )
    expect(own.map(({ messages }) => messages[3]?.content)).toContain(reference)
    expect([log_id, prompt.tools]).toEqual([null, null])
    expect(answer.text.length).toBeLessThanOrEqual(4 * 9)
  }
  for (const model of [baseline, candidate]) {
    const { requests } = await fleet.provider.report({ model })
    expect(requests.map(({ parameters }) => [parameters.temperature, parameters.max_tokens])).toEqual(
      Array(12).fill([0.25, 9]),
    )
  }
}, 180_000)

it('uses the prompts that match the filters, with the requested repetitions, charged each time', async () => {
  const place = await newPlace()
  const talk = (count: number, system: string, model: string) =>
    questions(count, { model }).map(({ content }) => {
      const messages = [
        { role: 'system', content: system },
        { role: 'user', content },
      ]
      return { model, body: { messages } }
    })
  const [sailor, baker] = ['You are a sailor who explains rivers.', 'As a baker, talk of bread and of nothing else.']
  await log(place, [
    ...talk(7, sailor, 'sim/quality-1'),
    ...talk(6, sailor, 'sim/small'),
    ...talk(8, baker, 'sim/small'),
  ])
  const { json: segments } = await place.api('GET', '/logs/segments')
  const sailors = segments.data.find(({ sample }: Json) => sample === sailor).segment
  const filtered = await evaluate(place, { sample_filters: { segment: sailors, model: 'sim/small' } })
  expect(filtered.samples).toHaveLength(6)
  for (const { log_id } of filtered.samples) {
    expect((await place.api('GET', `/logs/${log_id}`)).json).toMatchObject({ segment: sailors, model: 'sim/small' })
  }

  const [baseline, candidate] = ['sim/quality-0.55', 'sim/quality-0.45']
  const order = { baseline_model: baseline, candidate_models: [candidate], sample_filters: {}, repetitions: 2 }
  const { done, samples, ledgerState } = await evaluate(place, order)
  const byPrompt = Map.groupBy(samples, ({ log_id: logId }) => logId)
  // Six of the sailor's thirteen chats have a prompt that another model received too.
  expect(byPrompt.size).toBe(15)
  for (const duplicates of byPrompt.values()) expect(duplicates.map(({ repetition }) => repetition)).toEqual([0, 1])
  expect(new Set(samples.map(({ id }) => id)).size).toBe(30)
  const { requests } = await fleet.provider.report({ model: candidate })
  expect(requests).toHaveLength(30)
  const answers = samples.flatMap((sample) => [sample.baseline, sample.candidates[candidate]])
  for (const { cost_usd } of answers) expect(cost_usd).toBeGreaterThan(0)
  expect(done.cost_usd).toBeCloseTo(sum(answers.map(({ cost_usd }) => cost_usd)), 9)
  const [before, after] = ledgerState
  const looks = samples.flatMap(({ orders }) => orders.filter(({ winner }: Json) => winner !== 'tie'))
  expect(after.posted - before.posted).toBe(60 + looks.length)
  expect(before.balance - after.balance).toBe(nanoOf(done.cost_usd) + nanoOf(done.judge_cost_usd))
  const figures = done.report.candidates[candidate]
  expect(widthOf(figures)).toBeGreaterThan(1.2 * independentWidth(figures))
}, 300_000)

it('neither shows nor judges the reasoning of models', async () => {
  const place = await newPlace()
  const said = Array.from({ length: 6 }, (_, n) => `It ends in lake ${n}.`)
  // The judge treats an answer with the mark as flawed, so the result would be a tie if it received the reasoning.
  await log(
    place,
    questions(6).map((call, n) => ({ ...call, content: `<think>(flawed) Hm.</think>\n${said[n]}` })),
  )
  const { done, samples } = await evaluate(place, { baseline_model: 'sim/quality-0', candidate_models: ['sim/echo'] })
  expect(samples.map(({ candidates: { 'sim/echo': echo } }) => echo.text).toSorted()).toEqual(said)
  expect(samples.map(({ prompt: { messages } }) => messages[0].content)).toContain(
    `<think>(flawed) Hm.</think>\n${said[0]}`,
  )
  expect(done.report.candidates['sim/echo']).toMatchObject({ wins: 6, ties: 0, losses: 0, inconsistent: 0 })
}, 180_000)

it('deletes content with its log entries, and keeps results', async () => {
  const place = await newPlace()
  await log(place, questions(6))
  const { done, samples } = await evaluate(place, {})
  const [deleted, ...others] = samples
  expect((await place.api('DELETE', `/logs/${deleted.log_id}`)).status).toBe(200)
  const emptied = await eventually(
    async () => {
      const { json } = await place.api('GET', `/evals/${done.id}/samples`)
      const sample = json.data.find(({ id }: Json) => id === deleted.id)
      return sample.prompt === null ? sample : null
    },
    { withinMs: 45_000, everyMs: 100 },
  )
  const silent = (answer: Json) => ({ ...answer, text: null, tool_calls: null })
  expect(emptied).toEqual({
    ...deleted,
    prompt: null,
    reference: null,
    baseline: silent(deleted.baseline),
    candidates: { 'sim/quality-0': silent(deleted.candidates['sim/quality-0']) },
    orders: deleted.orders.map((order: Json) => ({ ...order, explanation: null })),
  })
  const { json: rest } = await place.api('GET', `/evals/${done.id}/samples`)
  expect(rest.data.filter(({ id }: Json) => id !== deleted.id)).toEqual(others)
  expect((await place.api('GET', `/evals/${done.id}`)).json).toEqual(done)
}, 180_000)

it('does not store answers to a prompt that was deleted meanwhile', async () => {
  const place = await newPlace()
  await log(place, questions(6))
  const { json } = await place.api('POST', '/evals', { ...basics, candidate_models: ['sim/slow-1500'] })
  await eventually(async () => (await fleet.provider.report({ model: 'sim/slow-1500' })).requests.length >= 6, {
    withinMs: 45_000,
    everyMs: 50,
  })
  const { data } = (await place.api('GET', '/logs')).json
  for (const { id } of data) expect((await place.api('DELETE', `/logs/${id}`)).status).toBe(200)
  expect(await untilOver(place.api, `/evals/${json.id}`)).toMatchObject({
    status: 'DONE',
    report: { samples_judged: 6 },
  })
  const silent = { text: null, tool_calls: null, error: null, cost_usd: expect.any(Number) }
  await eventually(
    async () => {
      const { data: samples } = (await place.api('GET', `/evals/${json.id}/samples`)).json
      expect(samples).toHaveLength(6)
      for (const sample of samples) {
        expect(sample).toMatchObject({ prompt: null, baseline: silent, candidates: { 'sim/slow-1500': silent } })
        expect(sample.orders).toMatchObject([{ explanation: null }, { explanation: null }])
      }
    },
    { withinMs: 45_000, everyMs: 200 },
  )
}, 180_000)

it('completes a step of the setup status when an eval is DONE', async () => {
  const place = await newPlace()
  const status = async () => (await place.api('GET', '/setup/status')).json
  const next = async () => (await status()).next.action
  const traffic = await sendTraffic(fleet, place.workspace, { model: 'sim/quality-0.5', count: 90 })
  const criterion = await createJudge(place.api, 'sim/judge-1-1')
  await gradeTruly(place.api, traffic)
  await calibrate(place.api, criterion.id)
  const { judges, next: step } = await status()
  expect(step).toMatchObject({ action: 'run_eval', takes: { samples: expect.any(Number), cost_usd: null } })
  expect(step.takes.grades > 0).toBe(judges.can_act === 0)
  const order = { sample_count: 5, rubric: undefined, judge_model: undefined, criterion_id: criterion.id }
  const { json } = await place.api('POST', '/evals', { ...basics, ...order, candidate_models: ['sim/slow-2000'] })
  await place.api('POST', `/evals/${json.id}/cancel`)
  expect(await next()).toBe('run_eval')
  expect((await evaluate(place, order)).done).toMatchObject({ criterion_id: criterion.id, judge_trust: 'trustworthy' })
  expect(await next()).toBe('create_alias')
  const alias = { name: 'support', target_model: 'sim/slow-2000' }
  expect(await place.api('PUT', '/aliases', alias)).toMatchObject({ status: 200 })
  expect(await next()).toBe('none')
}, 300_000)
