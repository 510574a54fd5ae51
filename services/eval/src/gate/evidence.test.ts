import { randomUUID } from 'node:crypto'
import { evalEvidence } from '@ratchet/contracts/internal-eval'
import { publicId } from '@ratchet/contracts/public-id'
import type { BlindPreference } from '../preferences/compared-blind.ts'
import { buildReport } from '../report/build-report.ts'
import { reportInput, samplesOf } from '../report/measured-samples.fixture.ts'
import { evalRequest, newEval } from '../runs/eval.fixture.ts'
import { evalApp, pending } from '../runs/eval-app.fixture.ts'
import type { EvalRun } from '../runs/eval-run.ts'
import type { EvalResult, EvidenceFilter } from './pg-evidence.ts'

const finishedAt = new Date('2026-11-21T13:00:00Z')
const samples = samplesOf({ wins: 30, losses: 10 })
const report = buildReport(reportInput(samples))
const candidate = 'openai/gpt-5-mini'
const query = '?baseline_model=openai%2Fgpt-5&candidate_model=openai%2Fgpt-5-mini&since=2026-10-22T00:00:00Z'

function appThatFinds(found: readonly EvalResult[], measured = samples, preferences: readonly BlindPreference[] = []) {
  const filters: EvidenceFilter[] = []
  const find = async (filter: EvidenceFilter) => {
    filters.push(filter)
    return found
  }
  const evidence = {
    find,
    attempts: async () => [],
    measured: async () => measured,
    compared: async () => preferences,
    promptUses: async () => 0,
  }
  const app = evalApp({ evidence })
  return { app, filters }
}

const judge = {
  model: 'sim/judge',
  rubric: 'x',
  criterionId: randomUUID(),
  trust: 'trustworthy',
  cannotActReason: null,
} as const

const found: Omit<EvalResult, 'id' | 'report'> = {
  candidate,
  finishedAt,
  place: 0,
  request: evalRequest({ candidate_models: [candidate], sample_count: 40, seed: 7 }),
  judge,
  attempt: 1,
  peopleAttempt: null,
}

describe('the evidence of evals', () => {
  it('is the figures of the candidate from their reports, and what they prove', async () => {
    const [id, withoutReport] = [randomUUID(), randomUUID()]
    const { app, filters } = appThatFinds([
      { ...found, id, report },
      { ...found, id: withoutReport, report: null, judge: newEval().judge, attempt: 2 },
    ])
    const { status, body } = await app.send('get', `${evalEvidence.path}${query}`)
    expect(status).toBe(200)
    const figures = report.candidates[candidate]
    const evidence = { prompt_uses: 0, samples_judged: 40, sample_count: 40, seed: 7 }
    expect(body).toMatchObject({
      data: [
        {
          eval_id: publicId('eval', id),
          win_rate: 0.75,
          win_rate_ci: figures?.win_rate_ci,
          savings_pct: figures?.savings_pct,
          savings_low: figures?.savings_ci?.[0] ?? null,
          criterion_id: publicId('criterion', judge.criterionId),
          finished_at: finishedAt.toISOString(),
          evidence: { ...evidence, problems: [], attempt: 1, level: 0.0125 },
        },
        {
          eval_id: publicId('eval', withoutReport),
          win_rate: null,
          win_rate_ci: null,
          savings_pct: null,
          savings_low: null,
          criterion_id: null,
          finished_at: finishedAt.toISOString(),
          evidence: { ...evidence, problems: ['judge_unmeasured'], attempt: 2 },
        },
      ],
    })
    const [first, second] = body.data
    expect(first.evidence.win_rate_low).toBeGreaterThan(0.5)
    expect(second.evidence.win_rate_low).toBeLessThan(first.evidence.win_rate_low)
    const since = new Date('2026-10-22T00:00:00Z')
    const { workspaceId } = app
    expect(filters).toEqual([{ workspaceId, baselineModel: 'openai/gpt-5', candidateModel: candidate, since }])
  })

  it('needs a judge that could act when the eval was created, which earlier releases did not record', async () => {
    const { cannotActReason: _, ...earlier } = judge
    const judges = [judge, { ...judge, cannotActReason: 'e-value' }, earlier]
    const { app } = appThatFinds(judges.map((own) => ({ ...found, id: randomUUID(), report, judge: own })))
    const { body } = await app.send('get', `${evalEvidence.path}${query}`)
    const weighed = body.data.map(({ evidence }: { evidence: object }) => evidence)
    expect(weighed).toMatchObject([
      { problems: [], judge_cannot_act_reason: null },
      { problems: ['judge_cannot_act'], judge_cannot_act_reason: 'e-value' },
      { problems: ['judge_cannot_act'], judge_cannot_act_reason: expect.stringContaining('earlier release') },
    ])
  })

  it('also has what people compared blind, in the order of the draw', async () => {
    const wide = samplesOf({ wins: 20, losses: 80 })
    const preferring = (count: number) =>
      wide
        .slice(0, count)
        .map(({ id }) => ({ place: id, candidateIndex: 1, preferred: 'candidate' as const, createdBy: null }))
    const peopleOf = async (preferences: readonly BlindPreference[], peopleAttempt: number | null = 2) => {
      const request = evalRequest({ candidate_models: [candidate], sample_count: 100 })
      const { app } = appThatFinds([{ ...found, id: randomUUID(), report, request, peopleAttempt }], wide, preferences)
      return (await app.send('get', `${evalEvidence.path}${query}`)).body.data[0].evidence.people
    }
    expect(await peopleOf([], null)).toBeNull()
    const sixty = await peopleOf(preferring(60))
    expect(sixty).toMatchObject({ problems: [], compared: 60, attempt: 2, win_rate: 1 })
    expect(sixty.level).toBeCloseTo(0.025 / 6, 12)
    expect(sixty.win_rate_low).toBeGreaterThan(0.5)
    expect(await peopleOf(preferring(49))).toMatchObject({ problems: ['too_few_samples'], compared: 49 })
    // One sample that was left out ends what counts.
    expect(await peopleOf(preferring(60).toSpliced(3, 1))).toMatchObject({ compared: 3 })
    expect((await peopleOf(preferring(60), 5)).win_rate_low).toBeLessThan(sixty.win_rate_low)
  })

  it('counts an eval that may stop early by its sequence', async () => {
    const request = evalRequest({ candidate_models: [candidate], sample_count: 500, stop_when: 'conclusive' })
    const wide = samplesOf({ wins: 60, losses: 20 })
    const lowOf = async (own: EvalResult['request']) => {
      const { app } = appThatFinds([{ ...found, id: randomUUID(), report, request: own }], wide)
      return (await app.send('get', `${evalEvidence.path}${query}`)).body.data[0].evidence.win_rate_low
    }
    expect(await lowOf(request)).toBeLessThan(await lowOf({ ...request, stop_when: null }))
  })

  it.each(['', '?baseline_model=a&candidate_model=b', '?baseline_model=a&candidate_model=b&since=then'])(
    'requires all parameters: %s',
    async (query) => {
      const { app, filters } = appThatFinds([])
      expect((await app.send('get', `${evalEvidence.path}${query}`)).status).toBe(400)
      expect(filters).toEqual([])
    },
  )
})

describe('an eval', () => {
  const second = 'openai/gpt-5-nano'
  const request = evalRequest({ candidate_models: [candidate, second], sample_count: 200, seed: 7 })
  const measured = samplesOf({ wins: 140, losses: 60 }).map((sample) => ({
    ...sample,
    answers: [...sample.answers, ...sample.answers.slice(1)],
    pairs: [...sample.pairs, ...sample.pairs],
  }))

  function appWithEval(status: 'DONE' | 'RUNNING', promptUses = 30) {
    const attempts = async () => [
      { candidate, place: 0, attempt: 1, peopleAttempt: null },
      { candidate: second, place: 1, attempt: 2, peopleAttempt: 4 },
    ]
    const evidence = {
      find: async () => [],
      attempts,
      measured: async () => measured,
      compared: async () =>
        measured
          .slice(0, 60)
          .map(({ id }) => ({ place: id, candidateIndex: 2, preferred: 'tie' as const, createdBy: null })),
      promptUses: async () => promptUses,
    }
    const app = evalApp({ evidence })
    const run: EvalRun = { ...pending(newEval({ request, judge })), status }
    app.save(run)
    return { ...app, path: `/v1/evals/${publicId('eval', run.id)}` }
  }

  it('shows by candidate what it proves, and that its prompts are used up', async () => {
    const { send, path } = appWithEval('DONE')
    const { body } = await send('get', path)
    expect(Object.keys(body.evidence)).toEqual([candidate, second])
    expect(body.evidence[candidate]).toMatchObject({ attempt: 1, problems: [], prompt_uses: 30, is_exhausted: true })
    expect(body.evidence[second]).toMatchObject({ attempt: 2, level: 0.025 / 6 / 2 })
    expect(body.evidence[candidate].people).toBeNull()
    expect(body.evidence[second].people).toMatchObject({
      attempt: 4,
      compared: 60,
      win_rate: 0.5,
      level: 0.025 / 20 / 2,
    })
    expect(body.evidence[candidate].win_rate_low_if_fresh).toBeGreaterThan(0.5)
    expect(body.evidence[candidate].used_up).toBeGreaterThan(0.8)
    const { body: list } = await send('get', '/v1/evals')
    expect(list.data).toMatchObject([{ evidence: null }])
  })

  it('lets the gate check what is proven after attempts and uses of prompts', async () => {
    const observed = async (promptUses: number) => {
      const { send, path } = appWithEval('DONE', promptUses)
      const { body } = await send('get', `${path}/gate?candidate=${encodeURIComponent(candidate)}&min_evidence_lower=1`)
      return body.error.details.checks.find(({ name }: { name: string }) => name === 'min_evidence_lower').observed
    }
    const { send, path } = appWithEval('DONE', 1)
    const low = (await send('get', path)).body.evidence[candidate].win_rate_low
    expect(await observed(1)).toBe(low)
    expect(await observed(0)).toBeGreaterThan(low)
  })

  it('shows none while it runs', async () => {
    const { send, path } = appWithEval('RUNNING')
    const { body } = await send('get', path)
    expect(body).toMatchObject({ status: 'RUNNING', evidence: null })
  })
})
