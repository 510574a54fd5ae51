import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type Api, apiOf, type Json, untilOver } from './judged-traffic.ts'
import { ledgerAtRest, readLedger } from './ledger-oracle.ts'
import { loopbackCertificate } from './loopback-certificate.ts'
import { askRealQuestions } from './real-traffic.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace
let api: Api
beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  await askRealQuestions(fleet, workspace, { model: 'sim/medium', tag: 'support' })
}, 300_000)

/** Probability of an answer without a flaw, by model. */
const soundness = { 'sim/medium': 0.88, 'sim/large': 0.97, 'sim/small': 0.7, 'sim/quality-0.5': 0.5 } as const
const candidates = ['sim/large', 'sim/small', 'sim/quality-0.5'] as const

/** A perfect judge prefers a sound answer to a flawed one, and is undecided between two of the same kind. */
const trueWinRate = (candidate: keyof typeof soundness) => 0.5 + (soundness[candidate] - soundness['sim/medium']) / 2

const order = (more: object = {}) => ({
  name: 'Which model for support',
  rubric: 'The answer is right and complete.',
  baseline_model: 'sim/medium',
  candidate_models: candidates,
  sample_count: 160,
  sample_filters: { tag: 'support' },
  judge_model: 'sim/judge-1-1',
  seed: 7,
  ...more,
})

async function run(body: object): Promise<Json> {
  const { status, json, text } = await api('POST', '/evals', body)
  if (status !== 200) throw new Error(`${status}: ${text}`)
  expect(json).toMatchObject({ object: 'eval', status: 'PENDING', report: null })
  return untilOver(api, `/evals/${json.id}`, 120_000)
}

const nanoOf = (usd: number) => BigInt(Math.round(usd * 1e6)) * 1_000n

describe('an eval of three candidates over real prompts', () => {
  let done: Json

  it('reports intervals that contain the true win rates, and charges the reported cost', async () => {
    const before = await readLedger(fleet.databaseUrl, workspace.workspaceId)
    done = await run(order())
    const after = await readLedger(fleet.databaseUrl, workspace.workspaceId)
    expect(done).toMatchObject({ status: 'DONE', error: null, progress: { done: 160, total: 160 } })
    expect(done.report).toMatchObject({
      samples_total: 160,
      samples_judged: 160,
      samples_failed: 0,
      multiplicity: 'holm',
    })
    for (const candidate of candidates) {
      const { win_rate_ci: ci, ...found } = done.report.candidates[candidate]
      expect(found).toMatchObject({
        samples_judged: 160,
        inconsistent: 0,
        consistency_rate: 1,
        errors: 0,
        unparseable: 0,
      })
      expect(found.wins + found.losses + found.ties).toBe(160)
      expect([found.winRate, found.savingsPct, found.avgLatencyMs]).toEqual([
        found.win_rate,
        found.savings_pct,
        found.avg_latency_ms,
      ])
      expect(ci[0]).toBeLessThanOrEqual(trueWinRate(candidate))
      expect(ci[1]).toBeGreaterThanOrEqual(trueWinRate(candidate))
    }
    const { 'sim/large': large, 'sim/small': small } = done.report.candidates
    expect(large.savings_pct).toBeLessThan(-300)
    expect(small.savings_pct).toBeGreaterThan(50)
    expect(small.savings_ci[0]).toBeLessThanOrEqual(small.savings_pct)
    expect(after.violations).toEqual([])
    expect(before.balance - after.balance).toBe(nanoOf(done.cost_usd) + nanoOf(done.judge_cost_usd))
    // Every model once per prompt, and the judge in both orders, except for identical answers.
    expect(after.posted - before.posted).toBeLessThanOrEqual(160 * (4 + 6))
    expect(after.held).toBe(0n)
  }, 300_000)

  it('gives the same report for the same seed, except latencies', async () => {
    const again = await run(order())
    expect(again.id).not.toBe(done.id)
    expect(withoutClock(again.report)).toEqual(withoutClock(done.report))
    expect([again.cost_usd, again.judge_cost_usd]).toEqual([done.cost_usd, done.judge_cost_usd])
  }, 300_000)

  it('returns each sample with prompt, answers, both orders and outcome', async () => {
    const wins = await api('GET', `/evals/${done.id}/samples?candidate=sim/small&outcome=win&limit=200`)
    expect(wins.json.total).toBe(done.report.candidates['sim/small'].wins)
    for (const sample of wins.json.data) {
      expect(sample).toMatchObject({ object: 'eval.sample', outcome: 'win', error: null })
      expect(sample.orders.filter(({ candidate }: Json) => candidate === 'sim/small')).toMatchObject([
        { first: 'sim/medium', second: 'sim/small', winner: 'sim/small', explanation: expect.any(String) },
        { first: 'sim/small', second: 'sim/medium', winner: 'sim/small', explanation: expect.any(String) },
      ])
    }
    const all = await api('GET', `/evals/${done.id}/samples?limit=200`)
    expect(all.json).toMatchObject({ total: 160, has_more: false })
    expect(new Set(all.json.data.map(({ prompt }: Json) => JSON.stringify(prompt.messages))).size).toBe(160)
    const flawed = all.json.data.filter(({ candidates: each }: Json) => each['sim/small'].text.includes('(flawed)'))
    expect(flawed.length).toBeGreaterThan(20)
  })

  it('passes a gate for a proven candidate and refuses another, with all checks', async () => {
    const small = `/evals/${done.id}/gate?candidate=sim/small`
    const passed = await api(
      'GET',
      `${small}&min_savings_pct=50&max_error_rate=0&min_samples=160&require_conclusive=false`,
    )
    expect(passed).toMatchObject({ status: 200, json: { object: 'eval.gate', passed: true, candidate: 'sim/small' } })
    const refused = await api('GET', `${small}&min_win_rate_lower=0.5&min_savings_pct=50`)
    expect(refused).toMatchObject({
      status: 412,
      json: { error: { code: 'precondition_failed', type: 'invalid_request_error', details: { eval_status: 'DONE' } } },
    })
    const byName = Object.fromEntries(
      refused.json.error.details.checks.map((check: Json) => [check.name, check.passed]),
    )
    expect(byName).toEqual({
      min_win_rate_lower: false,
      min_savings_pct: true,
      require_conclusive: true,
      require_reliable_judge: true,
      require_measured_judge: false,
    })
    expect((await api('GET', `/evals/${done.id}/gate?candidate=sim/small`)).json.error.code).toBe('no_checks')
    expect((await api('GET', `/evals/${done.id}/gate?min_samples=1`)).json.error).toMatchObject({ param: 'candidate' })
  })
})

/** A report without figures that depend on time, which differ from run to run. */
function withoutClock(report: Json): Json {
  const isOfTheClock = (name: string) => /latency/i.test(name)
  return JSON.parse(JSON.stringify(report, (name, value) => (isOfTheClock(name) ? undefined : value)))
}

describe('refused is', () => {
  const refusals: readonly (readonly [string, object, number, string, string | null])[] = [
    [
      'four candidates',
      { candidate_models: ['sim/a', 'sim/b', 'sim/c', 'sim/d'] },
      400,
      'invalid_request',
      'candidate_models',
    ],
    ['too few samples', { sample_count: 4 }, 400, 'invalid_request', 'sample_count'],
    ['too many samples', { sample_count: 501 }, 400, 'invalid_request', 'sample_count'],
    ['an unknown candidate', { candidate_models: ['sim/nothing'] }, 404, 'model_not_found', 'candidate_models.0'],
    ['an unknown baseline', { baseline_model: 'nobody/nothing' }, 404, 'model_not_found', 'baseline_model'],
    ['an embedding model', { candidate_models: ['sim/embed'] }, 400, 'invalid_request', 'candidate_models.0'],
    ['itself as a candidate', { candidate_models: ['sim/medium'] }, 400, 'invalid_request', 'candidate_models.0'],
    ['no judge', { judge_model: undefined }, 400, 'invalid_request', 'judge_model'],
    ['two judges', { criterion_id: 'crit_1' }, 400, 'invalid_request', 'judge_model'],
    [
      'an unknown judge',
      { judge_model: undefined, rubric: undefined, criterion_id: 'crit_1' },
      404,
      'not_found',
      'criterion_id',
    ],
    ['a custom rubric without a text', { rubric: undefined, rubric_type: 'custom' }, 400, 'invalid_request', 'rubric'],
    ['an unknown field', { rubrik: 'x' }, 400, 'unknown_parameter', 'rubrik'],
    ['an unknown filter', { sample_filters: { tags: 'x' } }, 400, 'unknown_parameter', 'sample_filters.tags'],
    ['prompts that do not exist', { sample_filters: { tag: 'nobody' } }, 400, 'invalid_request', 'sample_filters'],
    ['an unknown dataset', { sample_filters: { dataset_id: 'ds_1' } }, 404, 'not_found', 'sample_filters.dataset_id'],
    ['stored answers without agent runs', { baseline_model: 'logged' }, 400, 'invalid_request', 'baseline_model'],
    [
      'agent runs without stored answers',
      { sample_filters: { trace_replay: true } },
      400,
      'invalid_request',
      'baseline_model',
    ],
    ['a reference that nobody matches', { reference: 'dataset' }, 400, 'invalid_request', 'reference'],
  ]
  it.each(refusals)('%s', async (_name, more, status, code, param) => {
    const answer = await api('POST', '/evals', order(more))
    expect([answer.status, answer.json.error.code, answer.json.error.param]).toEqual([status, code, param])
  })

  it('a wallet that does not cover it, before any model is called', async () => {
    const poor = await workspaceWith(fleet, { loggingEnabled: true })
    const poorApi = apiOf(fleet, poor)
    await askRealQuestions(fleet, poor, { model: 'sim/small', tag: 'support', questions: 5 })
    await drain(poor)
    const answer = await poorApi('POST', '/evals', order())
    expect([answer.status, answer.json.error.code]).toEqual([402, 'insufficient_balance'])
  })

  it('a workspace without logging, a member, and another workspace', async () => {
    const silent = apiOf(fleet, await workspaceWith(fleet, { loggingEnabled: false }))
    const refused = await silent('POST', '/evals', order())
    expect([refused.status, refused.json.error.code]).toEqual([409, 'logging_disabled'])
    const { json } = await api('GET', '/evals?limit=1')
    const absent = await silent('GET', '/evals/eval_00000000000000000000000000000000')
    const foreign = await silent('GET', `/evals/${json.data[0].id}`)
    expect([foreign.status, foreign.json.error.message]).toEqual([404, absent.json.error.message])
  })
})

/** Reduces a wallet to almost nothing. */
async function drain(workspace: DemoWorkspace): Promise<void> {
  const { workspaceId } = workspace
  await ledgerAtRest(fleet, workspace)
  const { connectPool } = await import('@ratchet/db/connect-pool')
  const pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
  await pool.query('UPDATE wallet SET balance = held + 1000 WHERE workspace_id = $1', [workspaceId])
  await pool.end()
}

it('estimates its cost before it starts, close to the real cost', async () => {
  const estimate = await api('POST', '/evals/estimate', order({ seed: 7 }))
  expect(estimate).toMatchObject({
    status: 200,
    json: { object: 'eval.estimate', sample_count: 160, distinct_prompts: 160 },
  })
  const { json } = await api('GET', '/evals?status=DONE&candidate_model=sim/large&limit=1')
  const [done] = json.data
  expect(estimate.json.estimated_cost_usd / done.cost_usd).toBeGreaterThan(0.5)
  expect(estimate.json.estimated_cost_usd / done.cost_usd).toBeLessThan(2)
  expect(estimate.json.judge_cost_usd / done.judge_cost_usd).toBeGreaterThan(0.5)
  expect(estimate.json.judge_cost_usd / done.judge_cost_usd).toBeLessThan(2.5)
})

it('counts no wins for a judge that prefers the answer that is shown first', async () => {
  const done = await run(order({ candidate_models: ['sim/large'], judge_model: 'sim/judge-first', sample_count: 40 }))
  expect(done.report.candidates['sim/large']).toMatchObject({
    wins: 0,
    losses: 0,
    win_rate: 0.5,
    inconclusive: true,
    judge_unreliable: true,
    judge_biased: true,
    position_bias: 1,
    ties: 40,
    inconsistent: 40,
    consistency_rate: 0,
  })
  expect(done.report.multiplicity).toBeNull()
})

it('counts unreadable verdicts and missing answers separately', async () => {
  const broken = await run(order({ candidate_models: ['sim/large'], judge_model: 'sim/judge-broken', sample_count: 5 }))
  expect(broken.report.candidates['sim/large']).toMatchObject({ unparseable: 5, samples_judged: 0, win_rate: null })
  expect(broken.judge_cost_usd).toBeGreaterThan(0)
  const failing = await run(order({ candidate_models: ['sim/fail-400', 'sim/large'], sample_count: 5 }))
  expect(failing.report.candidates['sim/fail-400']).toMatchObject({
    errors: 5,
    error_rate: 1,
    samples_judged: 0,
    unjudged: 5,
    losses: 5,
    lost_by_error: 5,
    win_rate: 0,
  })
  expect(failing.report.candidates['sim/large']).toMatchObject({ errors: 0, samples_judged: 5 })
  const { json } = await api('GET', `/evals/${failing.id}/samples?outcome=error&candidate=sim/fail-400`)
  expect(json.data[0].candidates['sim/fail-400']).toMatchObject({ text: null, error: expect.any(String), cost_usd: 0 })
})

it('can use a criterion, whose trust is recorded for the gate', async () => {
  const criterion = await api('POST', '/criteria', {
    name: 'No flaws',
    judge_prompt: 'The answer contains a mistake.',
    judge_model: 'sim/judge-1-1',
  })
  const done = await run(
    order({
      candidate_models: ['sim/large'],
      judge_model: undefined,
      rubric: undefined,
      criterion_id: criterion.json.id,
      sample_count: 10,
    }),
  )
  expect(done).toMatchObject({
    judge_model: 'sim/judge-1-1',
    criterion_id: criterion.json.id,
    judge_trust: 'unmeasured',
  })
  const gate = await api('GET', `/evals/${done.id}/gate?require_trust=trustworthy&require_conclusive=false`)
  expect(gate.json.error.details.checks).toMatchObject([
    { name: 'require_trust', observed: 'unmeasured', passed: false },
  ])
})

it('does not exceed its maximum cost, and reports this', async () => {
  const done = await run(order({ candidate_models: ['sim/large'], max_cost_usd: 0.002, sample_count: 100 }))
  expect(done.status).toBe('FAILED')
  expect(done.error).toMatch(/left too little for \d+ of 100 samples/)
  expect(done.cost_usd + done.judge_cost_usd).toBeLessThanOrEqual(0.002)
  expect(done.report.samples_total).toBe(100)
  const gate = await api('GET', `/evals/${done.id}/gate?min_samples=1`)
  expect(gate).toMatchObject({ status: 412, json: { error: { details: { eval_status: 'FAILED' } } } })
}, 180_000)

it('reports the charges of the ledger also when an unreadable judge reaches the cap', async () => {
  const before = await readLedger(fleet.databaseUrl, workspace.workspaceId)
  const done = await run(
    order({ judge_model: 'sim/echo', params: { max_tokens: 20 }, max_cost_usd: 0.03, sample_count: 30 }),
  )
  const after = await readLedger(fleet.databaseUrl, workspace.workspaceId)
  expect(before.balance - after.balance).toBe(nanoOf(done.cost_usd) + nanoOf(done.judge_cost_usd))
  expect(after).toMatchObject({ held: 0n, violations: [] })
}, 180_000)

it('can be cancelled at once, and reports its charges', async () => {
  const { json } = await api('POST', '/evals', order({ candidate_models: ['sim/slow-300'], sample_count: 160 }))
  const cancelled = await api('POST', `/evals/${json.id}/cancel`)
  expect(cancelled).toMatchObject({ status: 200, json: { status: 'CANCELLED' } })
  expect((await api('POST', `/evals/${json.id}/cancel`)).status).toBe(200)
  const gate = await api('GET', `/evals/${json.id}/gate?min_samples=1`)
  expect([gate.status, gate.json.error.details.eval_status]).toEqual([412, 'CANCELLED'])
})

it('sends its webhook at the end, and refuses internal addresses', async () => {
  const received: Json[] = []
  const server = createServer(loopbackCertificate, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    received.push({ url: request.url, id: request.headers['webhook-id'], body: JSON.parse(body) })
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const webhook_url = `https://127.0.0.1:${port}/hooks/evals?team=a`
  const done = await run(order({ candidate_models: ['sim/large'], sample_count: 5, webhook_url }))
  const { webhook } = await eventually(
    async () => {
      const { json } = await api('GET', `/evals/${done.id}`)
      return json.webhook.delivered_at === null ? null : json
    },
    { withinMs: 45_000, everyMs: 100 },
  )
  expect(webhook).toMatchObject({ url: webhook_url, attempts: 1, error: null })
  expect(received).toEqual([
    {
      url: '/hooks/evals?team=a',
      id: expect.any(String),
      body: {
        type: 'eval.done',
        timestamp: done.finished_at,
        data: { object: 'eval', id: done.id, name: done.name, status: 'DONE' },
      },
    },
  ])
  server.close()
  for (const url of ['https://169.254.169.254/x', 'http://example.com/', 'https://localhost/x', 'https://10.0.0.1/']) {
    const refused = await api('POST', '/evals', order({ webhook_url: url }))
    expect([refused.status, refused.json.error.param]).toEqual([400, 'webhook_url'])
  }
})

it('starts once for one Idempotency-Key', async () => {
  const send = async (body: object) => {
    const response = await fetch(`${fleet.url}/v1/evals`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${workspace.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'once',
      },
      body: JSON.stringify(body),
    })
    return {
      status: response.status,
      replay: response.headers.get('idempotent-replay'),
      json: (await response.json()) as Json,
    }
  }
  const body = order({ candidate_models: ['sim/large'], sample_count: 5 })
  const first = await send(body)
  const second = await send(body)
  expect([second.status, second.json.id, second.replay]).toEqual([200, first.json.id, 'true'])
  const other = await send({ ...body, seed: 8 })
  expect([other.status, other.json.error.code]).toEqual([409, 'idempotency_conflict'])
})
