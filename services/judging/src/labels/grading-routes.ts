import { createHash } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import type { LogEntry } from '@ratchet/contracts/logs'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { type GradeCandidate, nextToGrade } from '@ratchet/contracts/scans'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import { requireRequestUnit } from '../criteria/require-request-unit.ts'
import type { VerdictReads } from '../judgements/pg-verdicts.ts'
import { requireLog } from '../runs/require-log.ts'
import { seedOf } from '../runs/seed-of.ts'
import { populationFilters } from '../scans/population-filters.ts'
import {
  type Choice,
  type ChosenExchange,
  chooseBalanced,
  chooseDisputed,
  type GradingStrategy,
} from './choose-candidates.ts'

interface GradingRouteDeps {
  readonly criteria: CriterionStore
  readonly verdicts: VerdictReads
  readonly log: LogReader
}

/** Number of latest judged exchanges from which candidates are chosen. */
const maxJudged = 2_000
/** More than are returned, because those that have a grade are left out. */
const maxDrawn = 2_000

/** Chooses the exchanges that people should grade next. */
export function gradingRoutes(router: Router, deps: GradingRouteDeps): void {
  mount(router, nextToGrade, async ({ params, query: { limit, strategy, reveal }, identity }) => {
    const criterion = await requireCriterion(deps.criteria, identity, params.id)
    requireRequestUnit(criterion)
    const choice = { limit, rank: rankFor(criterion.id) }
    const { chosen, used } = await requireLog(() => choose(deps, { criterion, identity, choice, strategy }))
    const candidates = await Promise.all(chosen.map((each) => candidateOf(deps, identity, { chosen: each, reveal })))
    return { object: 'list' as const, data: candidates.filter((each) => each !== null), strategy: used }
  })
}

/** A random but stable order, so that the list does not change while a person works through it. */
function rankFor(criterionId: string): Choice['rank'] {
  return (logId) => createHash('sha256').update(`${criterionId}:${logId}`).digest('hex')
}

interface Choosing {
  readonly criterion: StoredCriterion
  readonly identity: Identity
  readonly choice: Choice
  readonly strategy: GradingStrategy
}

async function choose(deps: GradingRouteDeps, { criterion, identity, choice, strategy }: Choosing) {
  const key = { workspaceId: identity.workspaceId, criterionId: criterion.id }
  if (strategy !== 'random') {
    const judged = await deps.verdicts.judgedLately(key, maxJudged)
    const chosen = strategy === 'balanced' ? chooseBalanced(judged, choice) : chooseDisputed(judged, choice)
    if (chosen.length > 0) return { chosen, used: strategy }
  }
  // Nothing was judged yet, so exchanges are drawn at random.
  const filters = populationFilters(criterion, {})
  const { rows, total } = await deps.log.sample(identity, { filters, count: maxDrawn, seed: seedOf(criterion.id) })
  const logIds = rows.flatMap(({ id }) => uuidOf('log', id) ?? [])
  const graded = await deps.verdicts.gradedAmong(key, logIds)
  const open = logIds.filter((logId) => !graded.has(logId)).slice(0, choice.limit)
  const samplingProbability = (graded.size + open.length) / Math.max(1, total)
  const chosen = open.map(
    (logId): ChosenExchange => ({ logId, samplingProbability, stratum: 'all', judgeVerdict: null }),
  )
  return { chosen, used: 'random' as const }
}

interface CandidateChoice {
  readonly chosen: ChosenExchange
  readonly reveal: boolean
}

async function candidateOf(
  { log }: GradingRouteDeps,
  identity: Identity,
  { chosen, reveal }: CandidateChoice,
): Promise<GradeCandidate | null> {
  const entry = await log.entry(identity, chosen.logId)
  return entry === null
    ? null
    : { ...candidateReply(entry, chosen), ...(reveal ? { judge_verdict: chosen.judgeVerdict } : {}) }
}

function candidateReply(entry: LogEntry, { logId, samplingProbability, stratum }: ChosenExchange): GradeCandidate {
  return {
    log_id: publicId('log', logId),
    created_at: entry.created_at,
    segment: entry.segment,
    tag: entry.tag,
    sampling_probability: Math.min(1, samplingProbability),
    stratum,
    messages: entry.messages,
    response: entry.response,
    tools: entry.tools,
  }
}
