import { createHash } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import type { LogEntry } from '@ratchet/contracts/logs'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { type GradeCandidate, nextToGrade } from '@ratchet/contracts/scans'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { mount } from '@ratchet/service-kit/mount'
import type { Router } from 'express'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import { requireRequestUnit } from '../criteria/require-request-unit.ts'
import type { VerdictReads } from '../judgements/verdict-reads.ts'
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

export interface GradingRouteDeps {
  readonly criteria: CriterionStore
  readonly verdicts: Pick<VerdictReads, 'gradedAmong' | 'judgedLately'>
  readonly log: Pick<LogReader, 'sample' | 'entry'>
}

/** Judged exchanges that are chosen among. */
const maxJudged = 2_000
/** Exchanges that are drawn at random, to be left with enough that nobody graded. */
const maxDrawn = 2_000

/** What people should look at next. */
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

/** A random order that stays the same, so that a list does not change under who works through it. */
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
  // Nothing was judged yet: any exchange is as good as another.
  const filters = populationFilters(criterion, {})
  const { rows, total } = await deps.log.sample(identity, { filters, count: maxDrawn, seed: seedOf(criterion.id) })
  const logIds = rows.flatMap(({ id }) => uuidOf('log', id) ?? [])
  const graded = await deps.verdicts.gradedAmong(key, logIds)
  const open = logIds.filter((logId) => !graded.has(logId)).slice(0, choice.limit)
  const probability = (graded.size + open.length) / Math.max(1, total)
  const chosen = open.map((logId): ChosenExchange => ({ logId, probability, stratum: 'all', judgeVerdict: null }))
  return { chosen, used: 'random' as const }
}

interface Shown {
  readonly chosen: ChosenExchange
  readonly reveal: boolean
}

async function candidateOf(
  { log }: GradingRouteDeps,
  identity: Identity,
  { chosen, reveal }: Shown,
): Promise<GradeCandidate | null> {
  const entry = await log.entry(identity, chosen.logId)
  return entry === null
    ? null
    : { ...candidateReply(entry, chosen), ...(reveal ? { judge_verdict: chosen.judgeVerdict } : {}) }
}

function candidateReply(entry: LogEntry, { logId, probability, stratum }: ChosenExchange): GradeCandidate {
  return {
    log_id: publicId('log', logId),
    created_at: entry.created_at,
    segment: entry.segment,
    tag: entry.tag,
    sampling_probability: Math.min(1, probability),
    stratum,
    messages: entry.messages,
    response: entry.response,
    tools: entry.tools,
  }
}
