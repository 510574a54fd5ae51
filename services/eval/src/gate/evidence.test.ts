import { randomUUID } from 'node:crypto'
import { evalEvidence } from '@ratchet/contracts/internal-eval'
import { publicId } from '@ratchet/contracts/public-id'
import { buildReport } from '../report/build-report.ts'
import { reportInput, samplesOf } from '../report/measured-samples.fixture.ts'
import { evalRequest, newEval } from '../runs/eval.fixture.ts'
import { evalApp } from '../runs/eval-app.fixture.ts'
import type { EvalEvidence, EvidenceFilter } from './pg-evidence.ts'

const finishedAt = new Date('2026-11-21T13:00:00Z')
const samples = samplesOf({ wins: 30, losses: 10 })
const report = buildReport(reportInput(samples))
const candidate = 'openai/gpt-5-mini'
const query = '?baseline_model=openai%2Fgpt-5&candidate_model=openai%2Fgpt-5-mini&since=2026-10-22T00:00:00Z'

function appThatFinds(found: readonly EvalEvidence[], measured = samples) {
  const filters: EvidenceFilter[] = []
  const find = async (filter: EvidenceFilter) => {
    filters.push(filter)
    return found
  }
  const evidence = { find, measured: async () => measured, promptUses: async () => 0 }
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

const found: Omit<EvalEvidence, 'id' | 'report'> = {
  candidate,
  finishedAt,
  place: 0,
  request: evalRequest({ candidate_models: [candidate], sample_count: 40, seed: 7 }),
  judge,
  attempt: 1,
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
          finished_at: finishedAt.toISOString(),
          evidence: { ...evidence, problems: [], attempt: 1, level: 0.0125 },
        },
        {
          eval_id: publicId('eval', withoutReport),
          win_rate: null,
          win_rate_ci: null,
          savings_pct: null,
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

  it('counts an eval that may stop early by its sequence', async () => {
    const request = evalRequest({ candidate_models: [candidate], sample_count: 500, stop_when: 'conclusive' })
    const wide = samplesOf({ wins: 60, losses: 20 })
    const lowOf = async (own: EvalEvidence['request']) => {
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
