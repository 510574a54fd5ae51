import type { Eval } from '@ratchet/contracts/evals'
import { cannotActReasonOf, type EvalRun } from '../runs/eval-run.ts'
import { wearOf } from './evidence-wear.ts'
import type { EvalResult, EvidenceStore } from './pg-evidence.ts'
import { type EvidenceInput, weighEvidence } from './weigh-evidence.ts'
import { type PeopleInput, weighPeople } from './weigh-people.ts'

type FoundResult = Pick<EvalResult, 'id' | 'place' | 'request' | 'judge' | 'attempt' | 'peopleAttempt'>

/** What it takes to weigh the result of an eval, by its judge and by people. */
export interface ReadEvidence {
  readonly judged: EvidenceInput
  readonly people: PeopleInput
}

/** Reads what it takes to weigh the result of an eval. */
export async function readEvidence(
  store: Pick<EvidenceStore, 'measured' | 'promptUses' | 'compared'>,
  workspaceId: string,
  { id, place, request, judge, attempt, peopleAttempt }: FoundResult,
): Promise<ReadEvidence> {
  const common = {
    place,
    candidates: request.candidate_models.length,
    promptUses: await store.promptUses({ workspaceId, id }),
    samples: await store.measured(id),
  }
  const judged = {
    ...common,
    attempt,
    judgeTrust: judge.trust,
    cannotActReason: cannotActReasonOf(judge),
    plannedSequence: request.stop_when === 'conclusive' ? request.sample_count : null,
  }
  const preferences = peopleAttempt === null ? [] : await store.compared({ workspaceId, id })
  return { judged, people: { ...common, preferences, attempt: peopleAttempt, sampleCount: request.sample_count } }
}

/** What an eval proves about each of its candidates, and how far earlier evals have used it up; null unless it is DONE. */
export async function evidenceOfRun(
  store: EvidenceStore,
  { id, workspaceId, status, request, judge }: EvalRun,
): Promise<Eval['evidence']> {
  if (status !== 'DONE') return null
  const attempts = await store.attempts({ workspaceId, id })
  const [first] = attempts
  if (first === undefined) return null
  const isCompared = attempts.find(({ peopleAttempt }) => peopleAttempt !== null)
  const read = await readEvidence(store, workspaceId, { id, request, judge, ...(isCompared ?? first) })
  return Object.fromEntries(
    attempts.map(({ candidate, place, attempt, peopleAttempt }) => {
      const judged = { ...read.judged, place, attempt }
      const people = weighPeople({ ...read.people, place, attempt: peopleAttempt })
      return [candidate, { ...weighEvidence(judged), ...wearOf(judged), people }]
    }),
  )
}

/** By candidate, the higher one of the bounds that the judge and people prove; null where neither is evidence. */
export function evidenceLows(found: Eval['evidence']): Readonly<Record<string, number | null>> {
  return Object.fromEntries(
    Object.entries(found ?? {}).map(([candidate, { problems, win_rate_low: byJudge, people }]) => {
      const lows = [problems.length === 0 ? byJudge : null, people?.problems.length === 0 ? people.win_rate_low : null]
      const known = lows.filter((low) => low !== null)
      return [candidate, known.length === 0 ? null : Math.max(...known)]
    }),
  )
}
