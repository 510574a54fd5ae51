import type { Eval } from '@ratchet/contracts/evals'
import { cannotActReasonOf, type EvalRun } from '../runs/eval-run.ts'
import { wearOf } from './evidence-wear.ts'
import type { EvalResult, EvidenceStore } from './pg-evidence.ts'
import { type EvidenceInput, weighEvidence } from './weigh-evidence.ts'

type FoundResult = Pick<EvalResult, 'id' | 'place' | 'request' | 'judge' | 'attempt'>

/** Reads what it takes to weigh the result of an eval. */
export async function readEvidence(
  store: Pick<EvidenceStore, 'measured' | 'promptUses'>,
  workspaceId: string,
  { id, place, request, judge, attempt }: FoundResult,
): Promise<EvidenceInput> {
  return {
    place,
    attempt,
    judgeTrust: judge.trust,
    cannotActReason: cannotActReasonOf(judge),
    plannedSequence: request.stop_when === 'conclusive' ? request.sample_count : null,
    candidates: request.candidate_models.length,
    promptUses: await store.promptUses({ workspaceId, id }),
    samples: await store.measured(id),
  }
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
  const read = await readEvidence(store, workspaceId, { id, request, judge, ...first })
  return Object.fromEntries(
    attempts.map((each) => {
      const input = { ...read, ...each }
      return [each.candidate, { ...weighEvidence(input), ...wearOf(input) }]
    }),
  )
}
