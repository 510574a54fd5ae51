import type { Identity } from '@ratchet/contracts/identity'
import type { RunGrade } from '@ratchet/contracts/session-labels'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { CriterionStore } from '../criteria/criterion.ts'
import type { LoggedRunItem } from '../judgements/plan-logged.ts'
import { readRunContent, requireRun } from '../judgements/require-run.ts'
import { roundMethod } from '../review/round.ts'
import { withDraws } from './add-grades.ts'
import { createFindCriterion } from './find-criterion.ts'
import { type FrozenExchange, freezeExchange } from './freeze-exchange.ts'
import { runItemKey } from './grading-frame.ts'
import type { NewLabel } from './label.ts'
import { samplingOf } from './label-of-entry.ts'
import type { GradingFrameStore } from './pg-grading-frames.ts'
import type { LabelStore } from './pg-labels.ts'
import { picked } from './picked.ts'
import type { Redact } from './redact.ts'
import { redactRationale } from './redact-rationale.ts'

export interface GradeRunDeps {
  readonly labels: Pick<LabelStore, 'add'>
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly frames: Pick<GradingFrameStore, 'offered'>
  readonly log: Pick<LogReader, 'entry' | 'readRuns'>
  readonly redact: Redact
  readonly now: () => Date
  readonly newId: () => string
}

/**
 * Adds a grade of a completed run, with a snapshot of the run as judges read it. Resolves with the id of the grade.
 *
 * @throws ServiceError for an unknown run or criterion, a criterion of exchanges, and a run that a judge cannot judge
 */
export async function gradeRun(deps: GradeRunDeps, identity: Identity, grade: RunGrade): Promise<string> {
  const criterionId = await createFindCriterion(deps.criteria, identity.workspaceId, 'trace')(grade.criterion_id)
  const run = await requireRun(deps.log, identity, grade.trace_id)
  const snapshot = freezeExchange(await readRunContent(deps.log, identity, run))
  const rationale = await redactRationale(deps.redact, identity, grade.rationale ?? null)
  const facts = { criterionId, run, snapshot, rationale, id: deps.newId(), at: deps.now() }
  const [label] = await withDraws(deps.frames, [labelOfRun(identity, grade, facts)])
  if (label === undefined) throw new Error('a grade has one draw')
  await deps.labels.add([label], { skipsKnown: false })
  return label.id
}

interface RunFacts {
  readonly criterionId: string | null
  readonly run: LoggedRunItem
  readonly snapshot: FrozenExchange
  /** Redacted. */
  readonly rationale: string | null
  readonly id: string
  readonly at: Date
}

function labelOfRun({ workspaceId, userId }: Identity, grade: RunGrade, facts: RunFacts): NewLabel {
  const { criterionId, run, snapshot, rationale, id, at } = facts
  return {
    id,
    workspaceId,
    criterionId,
    snapshot,
    rationale,
    unit: 'trace',
    logId: null,
    traceId: run.traceId,
    itemKey: runItemKey(run.traceId),
    label: grade.label,
    graderId: userId,
    source: 'review_queue',
    blind: grade.blind ?? false,
    externalId: null,
    tag: run.tag,
    segment: run.segment,
    // A round stores its grades itself. Who calls a run graded singly one of a round has picked it.
    sampling: grade.sampling?.method === roundMethod ? picked : samplingOf(grade),
    createdBy: userId,
    createdAt: at,
  }
}
