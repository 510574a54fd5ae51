import { randomUUID } from 'node:crypto'
import { evalEvidence } from '@ratchet/contracts/internal-eval'
import { publicId } from '@ratchet/contracts/public-id'
import { buildReport } from '../report/build-report.ts'
import { pairsOf, reportInput, samplesWith } from '../report/measured-samples.fixture.ts'
import { evalApp } from '../runs/eval-app.fixture.ts'
import type { EvalEvidence, EvidenceFilter } from './pg-evidence.ts'

const finishedAt = new Date('2026-11-21T13:00:00Z')
const report = buildReport(reportInput(samplesWith(pairsOf({ wins: 30, losses: 10 }).map((pair) => [pair]))))
const candidate = 'openai/gpt-5-mini'

function appThatFinds(found: readonly EvalEvidence[]) {
  const filters: EvidenceFilter[] = []
  const find = async (filter: EvidenceFilter) => {
    filters.push(filter)
    return found
  }
  const app = evalApp({ evidence: { find } })
  return { app, filters }
}

describe('the evidence of evals', () => {
  it('is the figures of the candidate from their reports', async () => {
    const [id, withoutReport] = [randomUUID(), randomUUID()]
    const found = [
      { id, candidate, report, finishedAt },
      { id: withoutReport, candidate, report: null, finishedAt },
    ]
    const { app, filters } = appThatFinds(found)
    const query = `?baseline_model=openai%2Fgpt-5&candidate_model=openai%2Fgpt-5-mini&since=2026-10-22T00:00:00Z`
    const { status, body } = await app.send('get', `${evalEvidence.path}${query}`)
    expect(status).toBe(200)
    const figures = report.candidates[candidate]
    expect(body).toEqual({
      data: [
        {
          eval_id: publicId('eval', id),
          win_rate: 0.75,
          win_rate_ci: figures?.win_rate_ci,
          savings_pct: figures?.savings_pct,
          finished_at: finishedAt.toISOString(),
        },
        {
          eval_id: publicId('eval', withoutReport),
          win_rate: null,
          win_rate_ci: null,
          savings_pct: null,
          finished_at: finishedAt.toISOString(),
        },
      ],
    })
    const since = new Date('2026-10-22T00:00:00Z')
    const { workspaceId } = app
    expect(filters).toEqual([{ workspaceId, baselineModel: 'openai/gpt-5', candidateModel: candidate, since }])
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
